"""The first failure in what a gate's command printed, in one line: which test, and why."""

import re
from itertools import takewhile
from typing import Final

from supervisor_ai.control.queries.complaints import telling_line
from supervisor_ai.domain.terminal import plain

_READ: Final = 256 << 10
_LINE: Final = 2_000
_LONGEST: Final = 300
_BEHIND: Final = 40
"""So many lines behind the name of a test may say why it failed."""
_WHOLE: Final = re.compile(
    r"(?:FAILED|ERROR) \S+(?:::| - ).*"  # pytest's summary
    r"|(?:[^\s:]+:\d+(?::\d+)?|[^\s(]+\(\d+,\d+\)): (?:(?:fatal )?error\b|[A-Z]+\d+\b).*"
    r"|\S.*\.go:\d+:\d+: \S.*"
)
"""Lines that say all: where, and what."""
_NAMED: Final = re.compile(
    r"(?:FAIL|ERROR): (?P<unittest>\S.*)"
    r"|_+ ERROR collecting (?P<collected>\S.*?) _+$"
    r"|--- FAIL: (?P<go>\S+)"
    r"|---- (?P<rust>\S+) stdout ----"
    r"|● (?P<jest>\S.*)"
    r"|[✕✗\u00d7✖] (?P<mark>\S.*)"
    r"|not ok \d+ -? ?(?P<tap>\S.*)"
    r"|FAIL +(?P<vitest>\S+ > .*)"
    r"|\d+\) (?P<mocha>[^\d\W].*?):?$"
)
"""Lines that name a test; why it failed stands below."""
_WHY: Final = re.compile(
    r"(?:E +)?(?P<why>[\w$.]*(?:Error|Exception|Failure)\b.*|panicked at .*|assertion .*failed.*)"
    r"|thread '.*' (?:\(\d+\) )?(?P<panic>panicked at .*)"
    r"|\S+_test\.go:\d+: (?P<go>\S.*)"
    r"|(?P<expected>(?:Expected|expected)\b.*)"
    r"|(?:message|error): (?P<said>\S.*)"
)


_PANIC: Final = re.compile(r"(panicked at [^\n]{1,500}:)\n")
"""What a panic of Rust says stands on the line below."""


def first_failure(text: str) -> str:
    """Return the line that a person wants to see first; nothing where nothing was printed."""
    read = text if len(text) <= 2 * _READ else f"{text[:_READ]}\n{text[-_READ:]}"
    lines = _PANIC.sub(r"\1 ", plain(read)).splitlines()
    lines = [line[:_LINE].strip() for line in lines]
    for place, line in enumerate(lines):
        if _WHOLE.match(line):
            return _cut(line)
        named = _NAMED.match(line)
        if named is not None:
            return _cut(_with_why(_group(named), lines[place + 1 : place + 1 + _BEHIND]))
    return _cut(telling_line("\n".join(lines)) or next(filter(None, reversed(lines)), ""))


def _with_why(name: str, behind: list[str]) -> str:
    """Put the reason behind the name of a test; of a chain of errors the last one says most."""
    own = list(takewhile(lambda line: not _NAMED.match(line), behind))
    found = [why for why in map(_WHY.match, own) if why is not None]
    errors = [why for why in found if why["why"]]
    if not found:
        return name
    return f"{name}: {_group(errors[-1] if found[0] in errors else found[0])}"


def _group(found: re.Match[str]) -> str:
    return next(filter(None, found.groups()), found.group())


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
