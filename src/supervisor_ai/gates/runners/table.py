"""The runners that are known, read once from the table beside the code."""

import re
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import astuple

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.gates.own_tables import load_table, own_text


class LinePattern:
    """Is compiled when a line is first held against it: most runners never say anything."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def match(self) -> Callable[[str], re.Match[str] | None]:
        """Match the beginning of a line."""
        return re.compile(self.text).match


Patterns = tuple[LinePattern, ...]


class Runner(Struct, frozen=True, kw_only=True):
    """The lines by which a runner is known; the table says what each kind means."""

    counts: Patterns = ()
    each: Patterns = ()
    each_failed: Patterns = ()
    zero: Patterns = ()
    some: Patterns = ()
    hollow: Patterns = ()
    nested: Patterns = ()
    names: Patterns = ()
    knows: Patterns = ()
    opens: Patterns = ()
    closes: Patterns = ()
    lists: Patterns = ()
    idle: Patterns = ()
    cases: Patterns = ()
    begins: Patterns = ()
    ends: Patterns = ()
    marks: Patterns = ()
    lines: Patterns = ()
    words_ran: tuple[str, ...] = ()
    words_failed: tuple[str, ...] = ()

    @property
    def runs_tests(self) -> bool:
        """Tell whether it says that tests ran."""
        return bool(self.counts or self.each)


@cache
def runners() -> Mapping[str, Runner]:
    """Return the known runners by their names."""
    return _read(own_table())


def edition() -> str:
    """Name the table as it is: what was read by another one is to be read again."""
    return sha256(own_table().encode()).hexdigest()


def own_table() -> str:
    """Return the table that comes with the package."""
    return own_text("runners.yaml")


def parse(text: str) -> Mapping[str, Runner]:
    """Understand a table of runners; raise InvalidInput where it cannot be understood."""
    read = _read(text)
    for name, runner in read.items():
        for value in astuple(runner):
            for pattern in value:
                _check(name, pattern)
    return read


def _read(text: str) -> Mapping[str, Runner]:
    table = load_table(text)
    if not isinstance(table, dict):
        raise InvalidInput("The table of runners is no mapping.")
    return {str(name): _runner(str(name), entry) for name, entry in table.items()}


def _runner(name: str, entry: object) -> Runner:
    known = frozenset(Runner.__struct_fields__)
    if not isinstance(entry, dict) or not known.issuperset(entry):
        raise InvalidInput(f"The runner {name!r} has keys that are not known.")
    words = {key: _strings(name, entry.get(key)) for key in ("words_ran", "words_failed")}
    patterns = {
        key: tuple(map(LinePattern, _strings(name, value)))
        for key, value in entry.items()
        if key not in words
    }
    return Runner(**patterns, words_ran=words["words_ran"], words_failed=words["words_failed"])


def _strings(name: str, value: object) -> tuple[str, ...]:
    items = [] if value is None else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise InvalidInput(f"The runner {name!r} has something that is no list of texts.")
    return tuple(items)


def _check(name: str, pattern: LinePattern | str) -> None:
    try:
        re.compile(pattern.text if isinstance(pattern, LinePattern) else "")
    except re.error as error:
        raise InvalidInput(f"The runner {name!r} has a bad pattern: {error}.") from error
