"""Facts of a plan: which files are to change, before anybody has changed one."""

from collections.abc import Collection, Iterator
from typing import Final

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.engine.ports.gates import ChangeFacts, FactsCase
from supervisor_ai.gates.change.differences import sizes
from supervisor_ai.gates.change.path_patterns import fits
from supervisor_ai.gates.facts.known_facts import KnownFacts
from supervisor_ai.gates.facts.touched_paths import find_declared, find_declared_own

_SOURCE: Final = "declared.py"
"""What a folder is judged by in which there is nothing yet: there may be code."""


def find_plan_facts(case: FactsCase, commits: Commits) -> ChangeFacts:
    """Judge files by their paths alone; of a pattern, those that there are and the pattern itself.

    Nothing has changed yet, so nothing is broken and no line is counted.
    """
    known = KnownFacts(case.own)
    paths = declared_paths(case.declared, sizes(commits, case.base))
    known.numbers.update(file_count=len(paths), lines_added=0, lines_deleted=0, lines_changed=0)
    for path in paths:
        find_declared(path, known)
        find_declared_own(path, case.own, known)
    return known.told()


def declared_paths(declared: Collection[str], there: Collection[str]) -> tuple[str, ...]:
    """Name the files that a plan may change."""
    return tuple(dict.fromkeys(path for it in declared for path in _meant(it, there)))


def _meant(declared: str, there: Collection[str]) -> Iterator[str]:
    if "*" not in declared and "?" not in declared and not declared.endswith("/"):
        yield declared
        return
    yield from (path for path in there if fits(path, declared))
    wide = declared.replace("**/", "").replace("*", "declared").replace("?", "d")
    yield f"{wide}{_SOURCE}" if wide.endswith("/") else wide
