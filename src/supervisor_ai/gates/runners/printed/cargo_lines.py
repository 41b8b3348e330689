"""What `cargo test` prints: one part for each binary, whose name stands on the other channel."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from supervisor_ai.gates.runners.printed.printed import FAILED, PASSED, SKIPPED, Case, Printed

_BINARY: Final = re.compile(
    r"\s+Running .*\((?:\S*/)?(?P<name>[\w-]+?)(?:-[0-9a-f]{16})?(?:\.exe)?\)$"
)
_DOCUMENTS: Final = re.compile(r"\s+Doc-tests \S")
_PART: Final = re.compile(r"running \d{1,9} tests?$")
_CASE: Final = re.compile(
    r"test (?P<name>\S.*?)(?: - should panic)? \.\.\. (?P<how>ok|FAILED|ignored)(?:, .*| <.*>)?$"
)
# Where a documented example stands says nothing about which one it is.
_LINE: Final = re.compile(r" \(line \d+\)")
_SAID: Final = re.compile(r"---- (?P<name>\S.*) stdout ----$")
_OUTCOMES: Final = {"ok": PASSED, "FAILED": FAILED, "ignored": SKIPPED}
_TOLD: Final = 40


def _own(lines: Sequence[str]) -> Iterator[str]:
    """Yield what one test said, up to the next one."""
    return takewhile(lambda line: line != "failures:" and not _SAID.match(line), lines)


def read(lines: Sequence[str]) -> Printed:
    """Name each test by its crate, if the crates can be told, and its path."""
    binaries: list[str] = []
    parts: list[list[Case]] = []
    told: dict[tuple[int, str], str] = {}
    for place, line in enumerate(lines):
        if binary := _BINARY.match(line):
            binaries.append(f"{binary['name']}::")
        elif _DOCUMENTS.match(line):
            binaries.append("")
        elif _PART.match(line):
            parts.append([])
        elif parts and (case := _CASE.match(line)):
            parts[-1].append((_LINE.sub("", case["name"]), _OUTCOMES[case["how"]], ""))
        elif parts and (said := _SAID.match(line)):
            name = _LINE.sub("", said["name"])
            told[len(parts) - 1, name] = "\n".join(_own(lines[place + 1 : place + _TOLD]))
    crates = binaries if len(binaries) == len(parts) else [""] * len(parts)
    return Printed(
        tuple(
            (f"{crate}{name}", outcome, told.get((number, name), ""))
            for number, (crate, part) in enumerate(zip(crates, parts, strict=True))
            for name, outcome, _ in part
        )
    )
