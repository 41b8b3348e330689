"""Facts of a change that a test writes down."""

from collections.abc import Mapping

from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.engine.ports.gates import ChangeFacts, FactsCase
from supervisor_ai.gates.facts.change_facts import find_facts

Files = Mapping[str, str | bytes]


def seen(before: Files, after: Files, **own: tuple[str, ...]) -> ChangeFacts:
    """Find the facts of a change from one set of files to another."""
    case = FactsCase(base=BASE, head=HEAD, own=own)
    return find_facts(case, two_commits(before, after))


def value(found: ChangeFacts, name: str) -> int | float | bool | None:
    """Return one fact; it has to be there exactly once."""
    (fact,) = (it for it in found.facts if it.name == name)
    return fact.value


def files_for(found: ChangeFacts, name: str) -> list[str]:
    """Return the files that speak for a fact."""
    return [it.file for it in found.evidence if it.fact == name]


def true_flags(found: ChangeFacts) -> set[str]:
    """Return the flags that are true."""
    return {it.name for it in found.facts if it.value is True}
