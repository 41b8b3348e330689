"""Facts that tell by what the statements speak of that come and go in a file."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from supervisor_ai.control.ports.commits import ChangedPath
from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.change.product_files import is_operative
from supervisor_ai.gates.change.risks.changes import CodeChange, compare_sources, find_risks
from supervisor_ai.gates.change.risks.sources import RiskSource, family_of, read_source
from supervisor_ai.gates.change.risks.units import Unit
from supervisor_ai.gates.facts.known_facts import KnownFacts
from supervisor_ai.gates.facts.rules import FactRule, fact_rules, words
from supervisor_ai.gates.facts.touched_paths import Sides

SENSITIVE: Final = "changes_security_sensitive_files"
SENSITIVE_CODE: Final = (
    *("changes_auth_code", "changes_payment_code", "changes_encryption"),
    "changes_key_management",
)
_UNKNOWN: Final = "settings"
"""What a file is read as whose name says nothing."""
_MOST_UNITS: Final = 20_000
_SHORT: Final = 80
_TESTS_OF_RUST: Final = "#[cfg(test)]"


def find_by_code(changes: Sequence[ChangedPath], sides: Sides, known: KnownFacts) -> None:
    """Look at the statements that only one side of each file has."""
    for change in changes:
        if not is_operative(change.path):
            continue
        before, after = (_source(change.path, side) for side in sides)
        if before is not None and after is not None:
            _find_in(change.path, compare_sources(before.family, [before], [after]), known)
            _find_inner_tests(change.path, before, after, known)
    _conclude(known)


def holds_code(path: str) -> bool:
    """Tell whether a file whose contents nobody saw could hold statements."""
    return is_operative(path) and (
        family_of(path) is not None or "." not in path.rpartition("/")[2]
    )


def _source(path: str, side: Mapping[str, bytes]) -> RiskSource | None:
    contents = side.get(path, b"")
    family = family_of(path) or _UNKNOWN
    if b"\0" in contents:
        return None
    return read_source(family, contents.decode("utf-8", "replace"))


def _find_in(path: str, change: CodeChange, known: KnownFacts) -> None:
    units = [*change.added, *change.removed]
    if len(units) > _MOST_UNITS:
        detail = "it has too many changed statements to be looked at"
        known.is_unknown((*SENSITIVE_CODE, SENSITIVE), path, detail)
    for rule in fact_rules():
        if rule.is_about_code and rule.speaks_of(change.family):
            found = next(_met(rule, units[:_MOST_UNITS]), None)
            if found is not None:
                known.holds(rule.fact, path, f"{rule.reason}: {found}")
    for risk in find_risks([change]):
        if risk.is_strong:
            known.holds(SENSITIVE, path, f"a changed statement is a risk: {risk.kind}")


def _met(rule: FactRule, units: Sequence[Unit]) -> Iterator[str]:
    for unit in units:
        looked = unit.text if rule.in_strings else unit.code
        spoken = sorted(rule.words & words(looked)) if rule.words else []
        match = rule.pattern.search(looked) if rule.pattern else None
        if spoken:
            yield spoken[0]
        elif match is not None:
            yield match.group().strip()[:_SHORT]


def _find_inner_tests(path: str, before: RiskSource, after: RiskSource, known: KnownFacts) -> None:
    """Rust keeps tests at the end of the file that they test."""
    if before.family == "rust":
        old, new = (source.text.partition(_TESTS_OF_RUST)[2] for source in (before, after))
        if old.split() != new.split():
            known.holds("changes_tests", path, "tests stand at its end")


def _conclude(known: KnownFacts) -> None:
    """What is about access, money, encryption or keys is sensitive, whatever else it is."""
    for fact in SENSITIVE_CODE:
        for found in known.evidence_of(fact) if known.is_true(fact) else ():
            sensitive = replace(found, fact=SENSITIVE)
            known.holds(SENSITIVE, sensitive.file, sensitive.detail)
