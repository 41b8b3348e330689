"""Facts while they are gathered: what speaks for each of them, and what nobody could read."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

from supervisor_ai.domain.run.approvals.facts import FLAGS, NUMBERS, Fact
from supervisor_ai.engine.ports.gates import ChangeFacts, FactEvidence, FactsCase
from supervisor_ai.gates.change.differences import shown

MEASURED_ELSEWHERE: Final = "test_coverage"
_EXAMPLES: Final = 20
"""So many files are named for one fact."""


class KnownFacts:
    """Flags are false until a file speaks for them, or unknown where one could not be read."""

    def __init__(self, own: Collection[str]) -> None:
        self.flags = (*sorted(FLAGS), *sorted(set(own) - FLAGS))
        self.numbers: dict[str, int | None] = {}
        self._true: set[str] = set()
        self._unknown: set[str] = set()
        self._examples: Counter[str] = Counter()
        self._evidence: dict[FactEvidence, None] = {}

    def holds(self, fact: str, file: str, detail: str) -> None:
        """Note a file that makes a flag true."""
        self._true.add(fact)
        self._note(fact, file, detail)

    def is_unknown(self, facts: Iterable[str], file: str, detail: str) -> None:
        """Note a file that could make flags true, and could not be read."""
        for fact in facts:
            self._unknown.add(fact)
            self._note(fact, file, detail)

    def is_true(self, fact: str) -> bool:
        """Tell whether something speaks for a flag."""
        return fact in self._true

    def evidence_of(self, fact: str) -> tuple[FactEvidence, ...]:
        """Return what speaks for a flag."""
        return tuple(it for it in self._evidence if it.fact == fact)

    def told(self) -> ChangeFacts:
        """Return all of it, in the same order for every change."""
        numbers = sorted(NUMBERS - {MEASURED_ELSEWHERE})
        return ChangeFacts(
            facts=(
                *(Fact(name=name, value=self.numbers.get(name)) for name in numbers),
                *(Fact(name=name, value=self._value(name)) for name in self.flags),
            ),
            evidence=tuple(sorted(self._evidence, key=lambda it: (it.fact, it.file, it.detail))),
        )

    def _value(self, fact: str) -> bool | None:
        if fact in self._true:
            return True
        return None if fact in self._unknown else False

    def _note(self, fact: str, file: str, detail: str) -> None:
        noted = FactEvidence(fact=fact, file=shown(file), detail=shown(detail))
        if noted not in self._evidence and self._examples[fact] < _EXAMPLES:
            self._examples[fact] += 1
            self._evidence[noted] = None


def nothing_known(case: FactsCase, why: str) -> ChangeFacts:
    """Say that nobody could look: every fact is unknown, and none is false."""
    known = KnownFacts(case.own)
    known.is_unknown(known.flags, "", why)
    return known.told()
