"""The lines of an output that nobody vouches for: bounded, without colours and controls."""

import re
from collections.abc import Iterator
from typing import Final

from supervisor_ai.tools.json_value import parse_object, text

HEAD: Final = 1024 * 1024
TAIL: Final = 3 * 1024 * 1024
"""How much is looked at from the beginning and from the end; summaries stand at the end."""
FIRST: Final = 25_000
LAST: Final = 75_000
"""How many lines of that are looked at."""
_LONGEST: Final = 2000
"""How much of one line is shown."""
_ESCAPE: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]?"
)
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_GO_EVENT: Final = re.compile(r'\{"(?:Time|Action|ImportPath)":"')


def plain_lines(output: str) -> list[str]:
    """Return the lines of an output as a reader would see them."""
    text = _ESCAPE.sub("", _bounded(output)).replace("\r\n", "\n").replace("\r", "\n")
    lines = _CONTROLS.sub("", text).split("\n")
    if len(lines) > FIRST + LAST:
        lines = [*lines[:FIRST], *lines[-LAST:]]
    return list(_unfolded(line[:_LONGEST] for line in lines))


def _bounded(output: str) -> str:
    if len(output) <= HEAD + TAIL:
        return output
    return f"{output[:HEAD]}\n{output[-TAIL:]}"


def _unfolded(lines: Iterator[str]) -> Iterator[str]:
    """Put the output of `go test -json` together again, one package after the other."""
    packages: dict[str, list[str]] = {}
    for line in lines:
        event = _go_event(line)
        if event is None:
            yield line
        else:
            package, text = event
            packages.setdefault(package, []).append(text)
    for texts in packages.values():
        yield from "".join(texts).split("\n")


def _go_event(line: str) -> tuple[str, str] | None:
    if not line.startswith("{") or not _GO_EVENT.match(line):
        return None
    event = parse_object(line)
    return None if event is None else (str(event.get("Package", "")), text(event.get("Output")))
