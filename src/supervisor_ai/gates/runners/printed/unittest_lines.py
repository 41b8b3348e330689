"""What `python -m unittest -v` prints: each test before it runs, at the end those that failed."""

import re
from collections.abc import Sequence
from typing import Final

from supervisor_ai.gates.runners.printed.printed import (
    FAILED,
    NOTHING,
    PASSED,
    SKIPPED,
    Case,
    Printed,
)

_STARTED: Final = re.compile(r"(?:^|\.\.\. )(\w+) \(([\w<>]+(?:\.[\w<>]+)+)\)(?=$| \.\.\. | \()")
_FAILED: Final = re.compile(r"(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\w+) \(([\w.<>]+)\)")
_SKIPPED: Final = re.compile(r"\.\.\. skipped ['\"]")
_SURPRISING: Final = re.compile(r"\.\.\. unexpected success$")
_END: Final = re.compile(r"Ran \d{1,9} tests? in ")
_RULE: Final = "=" * 70
_TOLD: Final = 60


def read(lines: Sequence[str]) -> Printed:
    """Say what became of each test; all that were started and not spoken of again passed."""
    found: dict[str, Case] = {}
    last, told = "", ""
    has_end = False
    for place, line in enumerate(lines):
        if failed := _FAILED.match(line):
            told = "\n".join(_told(lines, place))
            found[_name(failed)] = (_name(failed), FAILED, told)
        for started in _STARTED.finditer(line):
            last = _name(started)
            found.setdefault(last, (last, PASSED, ""))
        if last and _SKIPPED.search(line):
            found[last] = (last, SKIPPED, "")
        elif last and _SURPRISING.search(line):
            found[last] = (last, FAILED, line)
        has_end = has_end or _END.match(line) is not None
    is_verbose = bool(last)
    return Printed(tuple(found.values()), is_unfinished=not has_end) if is_verbose else NOTHING


def _name(found: re.Match[str]) -> str:
    """Name a test by its place; older Pythons leave the method out of it."""
    method, place = found[1], found[2]
    return place if place.endswith(f".{method}") else f"{place}.{method}"


def _told(lines: Sequence[str], place: int) -> Sequence[str]:
    part = lines[place : place + _TOLD]
    ends = (at for at, line in enumerate(part) if line.startswith(_RULE) or _END.match(line))
    return part[: next(ends, len(part))]
