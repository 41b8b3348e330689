"""TAP, as node, tape, tap, ava and bats print it: numbered results, a plan, indented groups."""

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

_VERSION: Final = re.compile(r"TAP version 1\d$")
_RESULT: Final = re.compile(r"(?P<indent> *)(?P<not>not )?ok \d{1,9}(?: -)?(?: (?P<rest>.*))?$")
_PLAN: Final = re.compile(r"1\.\.(\d{1,9})(?: |$)")
_GROUP: Final = re.compile(r"(?P<indent> *)# Subtest: (?P<name>.*)$")
_COMMENT: Final = re.compile(r"# (?!(?:tests|pass|fail|ok|time|skip|todo)\b)(?P<name>\S.*)$")
_DIRECTIVE: Final = re.compile(r"\s*(?<!\\)# *(?P<word>SKIP\S*|TODO)\b.*$", re.IGNORECASE)
_TIME: Final = re.compile(r"\s*(?<!\\)# time=\S+|\s*\{$")
_BAIL: Final = "Bail out!"
_STEP: Final = 4
_TOLD: Final = 40


class _Stream:
    """The results so far, and the groups that they stand in."""

    def __init__(self, lines: Sequence[str], *, has_groups: bool) -> None:
        self._lines = lines
        self.cases: list[Case] = []
        self.planned: int | None = None
        self.seen = 0
        self.has_bailed = False
        self._has_groups = has_groups
        self._groups: dict[int, str] = {}

    def take_in(self, place: int) -> None:
        line = self._lines[place]
        if group := _GROUP.match(line):
            self._groups[len(group["indent"]) // _STEP] = _plain(group["name"])
        elif plan := _PLAN.match(line):
            self.planned = (self.planned or 0) + int(plan[1])
        elif result := _RESULT.match(line):
            self._result(result, place)
        # tape says so what its results are about; elsewhere it is said about the last one.
        elif not self._has_groups and (comment := _COMMENT.match(line)):
            self._groups[-1] = _plain(comment["name"])
        self.has_bailed = self.has_bailed or line.startswith(_BAIL)

    def _result(self, result: re.Match[str], place: int) -> None:
        depth, rest = len(result["indent"]) // _STEP, result["rest"] or ""
        directive = _DIRECTIVE.search(rest)
        name = _plain(_TIME.sub("", _DIRECTIVE.sub("", rest)))
        outcome = SKIPPED if directive else FAILED if result["not"] else PASSED
        above = [name for level, name in sorted(self._groups.items()) if level < depth]
        details = _details(self._lines[place + 1 : place + _TOLD]) if outcome is FAILED else ()
        self.cases.append((" > ".join((*above, name or "unnamed")), outcome, "\n".join(details)))
        self.seen += depth == 0


def _plain(name: str) -> str:
    return name.replace("\\#", "#").replace("\\\\", "\\").strip()


def _details(following: Sequence[str]) -> Sequence[str]:
    """Return the block of details below a result."""
    ends = (
        at for at, line in enumerate(following) if line.strip() == "..." or not line[:1].isspace()
    )
    return following[: next(ends, len(following))]


def read(lines: Sequence[str]) -> Printed:
    """Say what became of each test; fewer results than planned are a run without an end."""
    has_version = any(_VERSION.match(line) for line in lines)
    if not has_version and not any(_PLAN.match(line) for line in lines):
        return NOTHING
    has_groups = not has_version or any(_GROUP.match(line) for line in lines)
    stream = _Stream(lines, has_groups=has_groups)
    for place in range(len(lines)):
        stream.take_in(place)
    if not has_version and not stream.cases:
        return NOTHING
    is_short = stream.planned is None or stream.seen < stream.planned
    return Printed(tuple(stream.cases), stream.has_bailed or is_short)
