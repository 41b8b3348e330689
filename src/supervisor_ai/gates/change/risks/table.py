"""The kinds of calls and settings that make a change risky, as the table names them."""

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.gates.own_tables import load_table, own_text


class RiskRule(Struct, frozen=True, kw_only=True):
    """One thing that a statement may do."""

    kind: str
    pattern: re.Pattern[str]
    families: frozenset[str] | None
    """The kinds of files that it is looked for in; None: all."""
    in_strings: bool
    """Whether it also counts where it stands in a string."""
    when_gone: bool
    """Whether it is the lack of it that is risky."""
    is_strong: bool
    """Whether it makes a change complex by itself, or else medium."""

    def speaks_of(self, family: str) -> bool:
        """Tell whether it is looked for in such files."""
        return self.families is None or family in self.families


@cache
def risk_rules() -> tuple[RiskRule, ...]:
    """Return the table."""
    return parse_rules(own_text("risks.yaml"))


def parse_rules(text: str) -> tuple[RiskRule, ...]:
    """Understand the table of risks; raise InvalidInput where it cannot be understood."""
    table = load_table(text)
    if not isinstance(table, list) or not all(isinstance(row, dict) for row in table):
        raise InvalidInput("The table of risks is no list of rows.")
    return tuple(_rule(row) for row in table)


def _rule(row: Mapping[str, object]) -> RiskRule:
    families = row.get("in")
    if families is not None and not isinstance(families, list):
        raise InvalidInput(f"A row of the table of risks has no list of files: {families!r}.")
    try:
        pattern = re.compile(str(row["pattern"]), re.IGNORECASE if row.get("any_case") else 0)
    except (KeyError, re.error) as error:
        raise InvalidInput(f"A row of the table of risks has no good pattern: {row!r}.") from error
    return RiskRule(
        kind=str(row.get("kind", "")),
        pattern=pattern,
        families=None if families is None else frozenset(map(str, families)),
        in_strings=bool(row.get("in_strings", False)),
        when_gone=bool(row.get("when_gone", False)),
        is_strong=row.get("level", "complex") == "complex",
    )
