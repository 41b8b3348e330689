"""Whether one assertion says at least what another one said, as far as their code shows it."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.gates.integrity.comparison.sides import Check, CheckedTest
from supervisor_ai.gates.integrity.comparison.words import (
    DERIVING,
    LOSSY,
    asks_the_clock,
    is_part,
    is_waiting,
    literals,
    moves_the_clock,
    shape,
    tokens,
)
from supervisor_ai.gates.integrity.model import Assertion, Strength

_LOOKED_AT: Final = 300
_WHOLE: Final = (".", "[", "?.")
_BOUND: Final = re.compile(
    r"(<=?|>=?|toBe(?:Less|Greater)Than(?:OrEqual)?\() ?(-?\d[\d_]{0,15}(?:\.\d{1,15})?)\)?$"
)
_FAR: Final = 5
_CALLS: Final = "calls of "
"""How readers name what a stand-in was called with."""
_ANY_NAMES: Final = frozenset(
    {
        "expected",
        "want",
        "wanted",
        "result",
        "results",
        "actual",
        "got",
        "output",
        "answer",
        "value",
    }
    | {
        "assert_eq",
        "assert_ne",
        "assertEqual",
        "Equal",
        "True",
        "False",
        "NoError",
        "Nil",
        "NotNil",
    }
)
"""Names that say nothing about what is expected."""
_FAILING: Final = ("raises ", "warns ")
_GATHERED: Final = ("(", "[", "{")


def about(assertion: Assertion) -> str:
    """Return what an assertion is about, with what its names stand for."""
    return assertion.resolved or assertion.subject


def expected(assertion: Assertion) -> str:
    """Return an assertion without its subject."""
    return assertion.text.replace(assertion.subject, " ", 1)


def is_lossy(new: str, old: str) -> bool:
    """Tell whether a subject is only something about the subject of before: its length."""
    return shape(new).split(" ")[0] in LOSSY and shape(new) != shape(old)


def keeps_values(old: Assertion, written: frozenset[str]) -> bool:
    """Tell whether the question, or at least the answer, has the same values as before."""
    if is_waiting(old.subject):
        return True
    asked, answers = literals(old.subject), literals(expected(old))
    return asked <= written or (bool(answers) and answers <= written)


def asks_as_much(new: Assertion, old: Assertion) -> bool:
    """Tell whether another function is asked to check the same of the same."""
    if not new.strength == old.strength == Strength.EXACT or is_lossy(new.subject, old.subject):
        return False
    is_about = new.subject == old.subject or is_part(old.subject, new.text)
    return is_about and literals(expected(old)) <= literals(new.text)


def says_the_same(old: Assertion, written: frozenset[str]) -> bool:
    """Tell whether a test may expect what another one expected by names alone: `Err(Empty)`."""
    if literals(old.text):
        return True
    return tokens(expected(old)) - _ANY_NAMES <= written


def looks_at_part(new: Assertion, old: Assertion) -> bool:
    """Tell whether an assertion looks at one entry of what was compared as a whole."""
    if old.strength is not Strength.EXACT:
        return False
    return any(_is_below(about(new), whole) for whole in {old.subject, about(old)})


def _is_below(part: str, whole: str) -> bool:
    return part.startswith(whole) and part[len(whole) :].startswith(_WHOLE)


def is_looser(new: Assertion, old: Assertion) -> bool:
    """Tell whether a bound was moved so far that it hardly is one any more."""
    now, then = _BOUND.search(new.text), _BOUND.search(old.text)
    if (
        not now
        or not then
        or now[1] != then[1]
        or new.text[: now.start()] != old.text[: then.start()]
    ):
        return False
    bound, before = (float(found[2].replace("_", "")) for found in (now, then))
    is_upper = "<" in now[1] or "Less" in now[1]
    return bound >= before * _FAR > 0 if is_upper else bound * _FAR <= before


def is_spread(old: Assertion, new: Sequence[Assertion]) -> bool:
    """Tell whether a comparison of a whole became comparisons of all its parts."""
    values = literals(expected(old))
    parts = [found for found in new if found.strength is Strength.EXACT]
    parts = [found for found in parts if looks_at_part(found, old)]
    there = frozenset[str]().union(*(literals(it.text) | tokens(it.text) for it in parts))
    return bool(values) and values <= there


def covers(other: Check, check: Check) -> bool:
    """Tell whether an assertion says all that another one says, and more."""
    better, worse = other.assertion, check.assertion
    if better.strength < worse.strength:
        return False
    if better.subject == worse.subject or about(better) == about(worse):
        return better.strength > worse.strength
    if worse.strength is Strength.WEAK and shape(better.subject) == shape(worse.subject):
        return better.strength > worse.strength
    if better.strength is not Strength.EXACT:
        return False
    if other.left and _gathers(better, worse):
        return True
    if _is_below(worse.subject, better.subject) or _is_below(about(worse), about(better)):
        return True
    if _is_derived(worse, better):
        return True
    return better.subject.startswith(_GATHERED) and is_part(worse.subject, better.subject)


def _is_derived(worse: Assertion, better: Assertion) -> bool:
    """Tell whether one only works out something of what the other one pins down: its length."""
    if tokens(expected(worse)) & LOSSY or better.text.startswith(_FAILING):
        return False
    asked, known = about(worse), about(better)
    return is_part(known, asked) and tokens(asked) - tokens(known) <= DERIVING


def _gathers(better: Assertion, worse: Assertion) -> bool:
    """Tell whether a comparison with something larger has all the values of a smaller one."""
    values = literals(worse.text)
    return (
        bool(values)
        and values < literals(better.text)
        and not is_lossy(better.subject, worse.subject)
    )


def replaces(new: Assertion, old: Assertion) -> bool:
    """Tell whether an assertion asks in another way, and expects the same."""
    if new.strength < old.strength or is_lossy(new.subject, old.subject):
        return False
    there = literals(new.text) | tokens(new.text)
    wanted = literals(expected(old)) | tokens(expected(old))
    if _CALLS in old.subject:
        wanted = literals(old.text)
    if wanted:
        return wanted <= there
    return literals(old.subject) <= there and bool(tokens(old.subject) & there)


def is_answered(old: CheckedTest, check: Check, new: CheckedTest, other: Check) -> bool:
    """Tell whether a test asks for more than before: a value, not a panic; a call, not a clock."""
    worse, better = check.assertion, other.assertion
    if asks_the_clock(about(worse)) and not moves_the_clock(old.test.body):
        return moves_the_clock(new.test.body) and better.strength >= Strength.PARTIAL
    if better.strength is not Strength.EXACT or is_part(worse.subject, old.test.body):
        return False
    return worse.subject == "panic" and is_part(better.subject, old.test.body)


def is_row(check: Check, other: Check, owner: CheckedTest) -> bool:
    """Tell whether an assertion became one row of a table, with all its values."""
    old, new = check.assertion, other.assertion
    values = literals(old.text)
    if new.strength < old.strength or is_lossy(new.subject, old.subject) or not values:
        return False
    if not tokens(old.subject) & tokens(new.subject):
        return False
    return values <= owner.words and tokens(shape(old.subject)) <= owner.words


def weaker_than(check: Check, test: CheckedTest) -> Iterator[Check]:
    """Find what is left of an assertion in the same test."""
    old = check.assertion
    for other in test.checks[:_LOOKED_AT]:
        new = other.assertion
        if not other.left:
            continue
        is_same = new.subject == old.subject or shape(new.subject) == shape(old.subject)
        is_less = is_part(old.subject, new.subject) and is_lossy(new.subject, old.subject)
        is_less = is_less or looks_at_part(new, old) or is_looser(new, old)
        if is_less or (is_same and new.strength < old.strength):
            yield other
