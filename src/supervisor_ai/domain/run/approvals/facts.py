"""Facts about a change that an approval policy may ask for: a closed list of names."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

FactValue = int | float | bool | None
"""None: nobody could tell."""

NUMBERS: Final = frozenset(
    {"file_count", "lines_added", "lines_deleted", "lines_changed", "test_coverage"}
)
FLAGS: Final = frozenset(
    {
        "changes_security_sensitive_files",
        "changes_auth_code",
        "changes_payment_code",
        "changes_encryption",
        "changes_key_management",
        "production_config_changes",
        "breaking_api_changes",
        "changes_dependencies",
        "changes_configuration",
        "changes_tests",
        "changes_ci",
        "changes_supervisor_settings",
    }
)
FACTS: Final = NUMBERS | FLAGS
TEST_COVERAGE: Final = "test_coverage"
SUPERVISOR_SETTINGS: Final = "changes_supervisor_settings"


class Fact(Struct, frozen=True, kw_only=True):
    """One thing that is known, or not known, about a change."""

    name: str
    value: FactValue


def values_of(facts: Iterable[Fact]) -> Mapping[str, FactValue]:
    """Return the facts by their names."""
    return {fact.name: fact.value for fact in facts}
