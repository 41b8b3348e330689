"""The words of code in any language: names, numbers and strings, found without a parser."""

import re
from functools import lru_cache
from typing import Final

_LITERAL: Final = re.compile(
    r"\\.|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|'[^'\\]*(?:\\.[^'\\]*)*'|`[^`]*`|(?<![\w.])\d[\w.]*"
)
_NAME: Final = re.compile(r"[^\W\d]\w*")
_BARE: Final = 2
_QUOTES: Final = "\"'`"
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
_DULL: Final = frozenset(
    {"assert", "self", "this", "truthy", "falsy", "await", "new", "not", "is", "in", "and", "or"}
    | {"True", "False", "None", "true", "false", "null", "undefined", "nil", "contains", "matches"}
    | {"expect", "raises", "lambda", "tautology", "of", "message", "calls", "str", "value", "exp"}
)
LOSSY: Final = frozenset(
    {"len", "length", "size", "count", "type", "typeof", "bool", "Boolean", "keys", "set", "Set"}
    | {"sorted", "sort", "abs", "round", "floor", "int", "lower", "upper", "strip", "trim", "any"}
    | {"is_some", "is_ok", "is_err", "is_none", "isEmpty", "is_empty", "first", "last", "cap"}
)
"""Questions whose answer says less than the thing that is asked."""
DERIVING: Final = LOSSY | frozenset(
    {"str", "repr", "list", "tuple", "dict", "max", "min", "sum", "isinstance", "startswith"}
    | {"endswith", "splitlines", "split", "values", "items", "entries", "Object", "Array", "String"}
    | {"includes", "has", "strings", "reflect", "iter", "as_str", "to_string", "contains", "join"}
)
"""Questions whose answer is known where the thing itself is known."""
_TRANSPARENT: Final = frozenset(
    {"unwrap", "unwrap_err", "expect_err", "as_ref", "as_deref", "as_str", "clone", "to_string"}
    | {"to_owned", "into", "cloned", "copied", "to_vec", "Err", "Ok", "Some"}
)
"""What only opens a wrapping: the same is asked with it and without it."""
_WAITING: Final = frozenset({"wait", "wait_for", "waitFor", "join", "poll", "recv_timeout"})
_CLOCK: Final = re.compile(
    r"\bDate\.now\b|\bperformance\.now\b|\bnew Date\b|\bmonotonic\b|\bperf_counter\b"
    r"|\btime\.time\b|\btime\.(?:Since|Now)\b|\belapsed\b|\bInstant\b|\bhrtime\b"
)
_MOVED_CLOCK: Final = re.compile(
    r"fake_?timers?|fake_?clock|advance|freeze_?time|\btick\(|set_?system_?time|time_machine",
    re.IGNORECASE,
)


@lru_cache(maxsize=65536)
def tokens(text: str) -> frozenset[str]:
    """Return the names in code, without those that stand in all code."""
    return frozenset(_NAME.findall(_LITERAL.sub(" ", text))) - _DULL


@lru_cache(maxsize=65536)
def literals(text: str) -> frozenset[str]:
    """Return the numbers and strings in code, whatever the quotes."""
    found = (match.strip(_QUOTES) for match in _LITERAL.findall(text) if match[0] != "\\")
    return frozenset(_number(literal) for literal in found)


def _number(literal: str) -> str:
    """Write 30, 30.0 and 3_0 in one way."""
    if not literal[:1].isdigit():
        return literal
    plain = literal.replace("_", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


@lru_cache(maxsize=65536)
def shape(subject: str) -> str:
    """Return what is asked, without what it is asked with: `total` of `Cart([1, 2]).total()`.

    A question that loses something keeps its name: `len total` of `len(cart.total())`. What a
    bare name stands for is not asked: `len` of `len(cart)`.
    """
    outer, inner = _at_the_top(subject)
    names: list[str] = [name for name in _NAME.findall(outer) if name not in _DULL]
    while len(names) > 1 and names[-1] in _TRANSPARENT:
        names.pop()
    if not names:
        return " ".join(sorted(tokens(subject)))
    if names[-1] in LOSSY:
        rest = shape(inner) if inner.strip() else " ".join(names[-2:-1])
        is_bare = inner.strip() == rest or (not inner.strip() and len(names) <= _BARE)
        return names[-1] if is_bare else f"{names[-1]} {rest}"
    return names[-1]


def _at_the_top(subject: str) -> tuple[str, str]:
    """Split code into what stands outside of all brackets and what stands in the last ones."""
    outer: list[str] = []
    inner: list[str] = []
    depth = 0
    for letter in _LITERAL.sub("0", subject):
        if letter in _OPENING:
            depth += 1
            if depth == 1:
                inner = []
                continue
        if letter in _CLOSING:
            depth = max(depth - 1, 0)
            if depth == 0:
                continue
        (inner if depth else outer).append(letter)
    return "".join(outer), "".join(inner)


def is_waiting(subject: str) -> bool:
    """Tell whether code waits for something: how long it does so at most is no value."""
    return shape(subject) in _WAITING


def asks_the_clock(code: str) -> bool:
    """Tell whether code looks at the real time."""
    return bool(_CLOCK.search(code))


def moves_the_clock(code: str) -> bool:
    """Tell whether code has a clock of its own, which it moves."""
    return bool(_MOVED_CLOCK.search(code))


def is_part(part: str, whole: str) -> bool:
    """Tell whether code stands inside other code, not as a piece of a longer name."""
    at = whole.find(part) if part else -1
    while at >= 0:
        before, after = whole[at - 1 : at], whole[at + len(part) : at + len(part) + 1]
        if not (_is_word(before) or _is_word(after)):
            return True
        at = whole.find(part, at + 1)
    return False


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
