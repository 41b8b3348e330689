"""Finds again, after a change, the tests and assertions that were there before."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from supervisor_ai.gates.integrity.comparison.replacements import (
    asks_as_much,
    covers,
    is_answered,
    is_looser,
    is_row,
    is_spread,
    keeps_values,
    looks_at_part,
    replaces,
    says_the_same,
)
from supervisor_ai.gates.integrity.comparison.sides import Check, CheckedTest
from supervisor_ai.gates.integrity.comparison.words import literals, shape
from supervisor_ai.gates.integrity.model import Strength

_LOOKED_AT: Final = 300
"""How many checks of one test are compared with each other one by one."""
_LOOKS: Final = 400_000
"""How often two assertions are compared; after that only the nearest one is looked at."""

Pair = tuple[CheckedTest, CheckedTest]
_Key = Callable[[Check], str]


class Pairing(Struct, frozen=True, kw_only=True):
    """Which tests are the same before and after."""

    pairs: list[Pair]
    gone: list[CheckedTest]
    added: list[CheckedTest]


def pair(before: Iterable[CheckedTest], after: Iterable[CheckedTest]) -> Pairing:
    """Find tests again: at their place, elsewhere by name, by body, and by a last name."""
    pairs: list[Pair] = []
    gone, added = list(before), list(after)
    for key in (_by_place, _by_name_and_body, _by_body, _by_name, _by_last_name):
        found, gone, added = _paired(gone, added, key)
        pairs += found
    return Pairing(pairs=pairs, gone=gone, added=added)


def _by_place(test: CheckedTest) -> str:
    return f"{test.file}\0{test.test.name}"


def _by_name_and_body(test: CheckedTest) -> str:
    return f"{test.test.name}\0{test.test.body}"


def _by_body(test: CheckedTest) -> str:
    return test.test.body if test.checks or test.test.calls else ""


def _by_name(test: CheckedTest) -> str:
    return test.test.name


def _by_last_name(test: CheckedTest) -> str:
    return test.last_name


def _paired(
    gone: list[CheckedTest], added: list[CheckedTest], key: Callable[[CheckedTest], str]
) -> tuple[list[Pair], list[CheckedTest], list[CheckedTest]]:
    """Pair what has the same key, first come, first served; only one to one by a name alone."""
    keyed: dict[str, list[CheckedTest]] = defaultdict(list)
    for test in reversed(added):
        keyed[key(test)].append(test)
    counts: dict[str, int] = defaultdict(int)
    for test in gone:
        counts[key(test)] += 1
    alone = key in (_by_name, _by_last_name)
    pairs: list[Pair] = []
    rest: list[CheckedTest] = []
    for test in gone:
        there = keyed.get(key(test), [])
        if not there or not key(test) or (alone and (len(there) > 1 or counts[key(test)] > 1)):
            rest.append(test)
        else:
            pairs.append((test, there.pop()))
    used = {id(after) for _, after in pairs}
    return pairs, rest, [test for test in added if id(test) not in used]


class ChangedExpectation(Struct, frozen=True):
    """An assertion that expects something else than before."""

    check: Check
    test: CheckedTest


class Matcher:
    """Gives every assertion of before its counterpart of after, each counterpart only once."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairs = pairing.pairs
        self._before = [*(old for old, _ in pairing.pairs), *pairing.gone]
        after = [*(new for _, new in pairing.pairs), *pairing.added]
        self._after = [test for test in after if not test.is_skipped]
        self._owner = {id(check): test for test in self._after for check in test.checks}
        self.changed: list[ChangedExpectation] = []
        self._looks = _LOOKS

    def match(self) -> None:
        """Match from what is surely the same to what is probably the same."""
        for key in (_text, _subject, _shape):
            self._within_pairs(key)
            self._anywhere(key)
        self._rows()
        for old, new in self._pairs:
            if not new.is_skipped:
                _asked_of_another(old, new)
                self._covered(old, new)
                self._replaced(old, new)

    def _room(self) -> int:
        """Return how many assertions may still be looked at for one: few, after very many."""
        return _LOOKED_AT if self._looks > 0 else 1

    def _within_pairs(self, key: _Key) -> None:
        for old, new in self._pairs:
            if not new.is_skipped:
                self._match(old.checks, _keyed(new.checks, key), key, is_pair=True)

    def _anywhere(self, key: _Key) -> None:
        everything = _keyed((check for test in self._after for check in test.checks), key)
        for old in self._before:
            self._match(old.checks, everything, key, is_pair=False)

    def _match(
        self, checks: Iterable[Check], there: dict[str, list[Check]], key: _Key, *, is_pair: bool
    ) -> None:
        for check in checks:
            candidates = there.get(key(check), []) if check.left else []
            for candidate in reversed(candidates[-self._room() :] if check.left else []):
                if not check.left:
                    break
                self._looks -= 1
                if check.left and candidate.left and self._fits(check, candidate, key, is_pair):
                    self._take(check, candidate, is_pair=is_pair)
            while candidates and not candidates[-1].left:
                candidates.pop()

    def _fits(self, check: Check, candidate: Check, key: _Key, is_pair: bool) -> bool:  # noqa: FBT001 - passed on
        if key is _text:
            return True
        if candidate.assertion.strength < check.assertion.strength:
            return False
        if is_looser(candidate.assertion, check.assertion):
            return False
        if key is _subject and is_pair:
            return True
        if looks_at_part(candidate.assertion, check.assertion):
            return False
        written = self._owner[id(candidate)].words
        if not is_pair and not says_the_same(check.assertion, written):
            return False
        if key is _subject or not is_pair:
            return literals(check.assertion.text) <= written
        return keeps_values(check.assertion, written)

    def _take(self, check: Check, candidate: Check, *, is_pair: bool) -> None:
        count = min(check.left, candidate.left)
        check.left -= count
        candidate.left -= count
        owner = self._owner[id(candidate)]
        if is_pair and not literals(check.assertion.text) <= owner.words:
            self.changed.append(ChangedExpectation(candidate, owner))

    def _rows(self) -> None:
        """Find what became a row of a table: one assertion that is asked with many values."""
        tables = [
            check
            for test in self._after
            for check in test.checks
            if check.wanted > 1 and check.left and check.assertion.strength > Strength.NONE
        ]
        if not tables:
            return
        for old in self._before:
            for check in _left(old.checks):
                for other in tables[: self._room()] if check.left else ():
                    self._looks -= 1
                    if check.left and other.left and is_row(check, other, self._owner[id(other)]):
                        self._take(check, other, is_pair=False)

    def _covered(self, old: CheckedTest, new: CheckedTest) -> None:
        """Let go of what a better assertion of the same test says, too."""
        strong = [check for check in new.checks if check.assertion.strength > Strength.WEAK]
        fresh = [check.assertion for check in _left(new.checks)]
        for check in _left(old.checks):
            is_said = any(covers(other, check) for other in strong[:_LOOKED_AT])
            if is_said or is_spread(check.assertion, fresh):
                check.left = 0

    def _replaced(self, old: CheckedTest, new: CheckedTest) -> None:
        """Accept another way to ask in the same test, where what is expected is the same."""
        for check in _left(old.checks):
            for other in _left(new.checks):
                if check.left and (
                    replaces(other.assertion, check.assertion)
                    or is_answered(old, check, new, other)
                ):
                    self._take(check, other, is_pair=True)


def _asked_of_another(old: CheckedTest, new: CheckedTest) -> None:
    """Let go of what a shared function checked where another one is asked the same."""
    for via in {name for name, _ in old.calls}:
        asked = [found for name, found in old.calls if name == via]
        if all(
            any(asks_as_much(check.assertion, found) for check in new.checks) for found in asked
        ):
            for check in old.checks:
                check.left = 0 if check.via == via else check.left


def _text(check: Check) -> str:
    return check.assertion.text


def _subject(check: Check) -> str:
    return check.assertion.subject


def _shape(check: Check) -> str:
    return shape(check.assertion.subject)


def _keyed(checks: Iterable[Check], key: _Key) -> dict[str, list[Check]]:
    keyed: dict[str, list[Check]] = defaultdict(list)
    for check in checks:
        if check.left and check.assertion.strength > Strength.NONE:
            keyed[key(check)].append(check)
    for there in keyed.values():
        there.reverse()
    return keyed


def _left(checks: Iterable[Check]) -> list[Check]:
    said = (check for check in checks if check.assertion.strength > Strength.NONE)
    return [check for check in said if check.left][:_LOOKED_AT]
