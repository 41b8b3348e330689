"""Examples in documentation that runners run as tests: doctests of Python and of Rust."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.gates.integrity.change_sides import FileSides

_PYTHON_OWNER: Final = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_RUST_OWNER: Final = re.compile(
    r"[^\"]{0,80}?\b(?:fn|struct|enum|union|trait|mod|const|static|type|macro_rules!)[ \t]+(\w+)"
)
_PROMPT: Final = re.compile(r"[ \t]*>>>[ \t]")
_SWITCHED_OFF: Final = re.compile(r"doctest:[^\n]{0,80}\+SKIP")
_FENCE: Final = re.compile(r"```[ \t]*([\w, =-]*)")
_NOT_RUN: Final = re.compile(
    r"\b(?:ignore\w*|no_run|compile_fail|text|txt|sh|bash|console|toml|json)\b"
)
_DOCUMENTATION: Final = ("///", "//!")


class _Examples(Struct, frozen=True, kw_only=True):
    run: Counter[str]
    """How many examples are run, by what they document."""
    off: Counter[str]
    """How many are marked as not to be run."""


def lost_examples(
    files: Iterable[FileSides], gone: frozenset[str], is_run: Callable[[], bool]
) -> Iterator[Finding]:
    """Find what is documented with fewer examples than before; what is gone needs none."""
    known = [file for file in files if file.path.endswith((".py", ".rs"))]
    before, after = (_all((file.path, side) for file, side in sides) for sides in _sides(known))
    for owner, count in before.run.items():
        left = after.run[owner]
        if left < count and owner not in gone:
            is_off = after.off[owner] > before.off[owner] or not left
            path = next(it.path for it in known if owner in _read(it.path, it.before).run)
            is_heard = path.endswith(".rs") or is_run()
            yield _finding(path, owner, (count, left), is_error=is_off and is_heard)


def _sides(
    files: list[FileSides],
) -> Iterator[list[tuple[FileSides, bytes | None]]]:
    yield [(file, file.before) for file in files]
    yield [(file, file.after) for file in files]


def _finding(path: str, owner: str, counts: tuple[int, int], *, is_error: bool) -> Finding:
    what = f"of {owner!r}" if owner else f"at the top of {path!r}"
    return Finding(
        rule="example_removed",
        message=f"Fewer examples in the documentation {what} are run as tests, "
        f"{counts[1]} instead of {counts[0]}.",
        file=path,
        subject=owner or None,
        severity=Severity.ERROR if is_error else Severity.NOTE,
    )


def _all(sides: Iterable[tuple[str, bytes | None]]) -> _Examples:
    found = _Examples(run=Counter(), off=Counter())
    for path, side in sides:
        read = _read(path, side)
        found.run.update(read.run)
        found.off.update(read.off)
    return found


def _read(path: str, side: bytes | None) -> _Examples:
    lines = (side or b"").decode(errors="replace").splitlines()
    found = _Examples(run=Counter(), off=Counter())
    for owner, is_on in _of_rust(lines) if path.endswith(".rs") else _of_python(lines):
        (found.run if is_on else found.off)[owner] += 1
    return found


def _of_python(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    owner = ""
    for line in lines:
        definition = _PYTHON_OWNER.match(line)
        owner = definition[1] if definition else owner
        if _PROMPT.match(line):
            yield owner, not _SWITCHED_OFF.search(line)


def _of_rust(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Count the blocks above an item, which are run unless they say otherwise."""
    blocks: list[bool] = []
    is_inside = False
    for line in map(str.strip, lines):
        if line.startswith(_DOCUMENTATION):
            fence = _FENCE.match(line[3:].strip())
            if fence and not is_inside:
                blocks.append(not _NOT_RUN.search(fence[1]))
            is_inside = is_inside is not bool(fence)
        elif line and not line.startswith(("#", "//")):
            item = _RUST_OWNER.match(line)
            yield from ((item[1] if item else "", is_on) for is_on in blocks)
            blocks, is_inside = [], False
