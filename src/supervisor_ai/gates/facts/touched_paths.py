"""Facts that tell by where the changed files lie."""

from collections.abc import Mapping, Sequence
from typing import Final

from supervisor_ai.control.ports.commits import ChangedPath
from supervisor_ai.domain.git_flow.own_state import is_own_directory
from supervisor_ai.domain.run.gates import Area
from supervisor_ai.gates.change.differences import is_absent, is_test_path
from supervisor_ai.gates.change.path_patterns import fits
from supervisor_ai.gates.change.picked_keys import keys_differ
from supervisor_ai.gates.change.product_files import is_operative
from supervisor_ai.gates.change.risks.sources import family_of
from supervisor_ai.gates.facts.known_facts import KnownFacts
from supervisor_ai.gates.facts.rules import FactRule, fact_rules
from supervisor_ai.gates.integrity.protected_files.tables import WHOLE

_AREAS: Final = {Area.CI: "changes_ci", Area.SNAPSHOTS: "changes_tests"}
_IN_WORDS: Final = {
    Area.CI: "it decides what runs in continuous integration",
    Area.SNAPSHOTS: "it holds what tests compare with",
}

Sides = tuple[Mapping[str, bytes], Mapping[str, bytes]]
"""The contents of small files, before and after."""


def find_by_path(changes: Sequence[ChangedPath], sides: Sides, known: KnownFacts) -> None:
    """Look at the path of every file; one that was renamed has changed under both names."""
    for change in changes:
        for rule in fact_rules():
            if _counts(rule, change.path) and rule.knows(change.path):
                _weigh(rule, change, sides, known)
        _find_usual(change.path, known)
        if change.is_submodule:
            known.holds("changes_dependencies", change.path, "it is a submodule")


def find_own(
    changes: Sequence[ChangedPath], own: Mapping[str, tuple[str, ...]], known: KnownFacts
) -> None:
    """Find the facts that the project defines by patterns of paths."""
    for change in changes:
        find_declared_own(change.path, own, known)


def find_declared(path: str, known: KnownFacts) -> None:
    """Look at the path of a file of which nobody knows yet what will change in it."""
    for rule in fact_rules():
        if _counts(rule, path) and rule.knows(path):
            known.holds(rule.fact, path, rule.reason)
    _find_usual(path, known)


def find_declared_own(path: str, own: Mapping[str, tuple[str, ...]], known: KnownFacts) -> None:
    """Find the facts that the project defines by patterns, and that one path makes true."""
    for fact, patterns in own.items():
        found = next((each for each in patterns if fits(path, each)), None)
        if found is not None:
            known.holds(fact, path, f"the project says so: {found!r}")


def _counts(rule: FactRule, path: str) -> bool:
    if rule.path_words and not family_of(path):
        return False
    return rule.anywhere or is_operative(path)


def _weigh(rule: FactRule, change: ChangedPath, sides: Sides, known: KnownFacts) -> None:
    if not rule.keys or change.is_retyped:
        known.holds(rule.fact, change.path, rule.reason)
        return
    before, after = (side.get(change.path, b"") for side in sides)
    unread = not is_absent(change.before) and change.path not in sides[0]
    if unread or (not is_absent(change.after) and change.path not in sides[1]):
        known.is_unknown([rule.fact], change.path, "it is too large to be looked at")
    elif keys_differ(rule.form or "", rule.keys, before, after):
        known.holds(rule.fact, change.path, rule.reason)


def _find_usual(path: str, known: KnownFacts) -> None:
    if is_test_path(path):
        known.holds("changes_tests", path, "tests stand in files of this name")
    for area, pattern in WHOLE:
        if area in _AREAS and pattern.fullmatch(path):
            known.holds(_AREAS[area], path, _IN_WORDS[area])
    if is_own_directory(path.partition("/")[0]):
        known.holds("changes_supervisor_settings", path, "it holds settings of supervisor")
