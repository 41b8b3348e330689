"""What `supervisor gate check replay --explain` shows."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.cli.tables import columns, folded
from supervisor_ai.control.commands.gates.change_halves import FileHalf, Replayed
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.tools.text import counted

if TYPE_CHECKING:
    from supervisor_ai.control.commands.gates.change_halves import HalvesView

_IN_WORDS: Final = {
    Replayed.HEAD: "as changed",
    Replayed.BASE: "as at base",
    Replayed.LEFT_OUT: "left out",
    Replayed.GRAFTED: "grafted",
}


def shown_halves(found: "HalvesView") -> Iterator[str]:
    """Show a change, file by file, and what a replay makes of it."""
    yield from folded([_heading(found), _rules(found)])
    if found.files:
        rows = [("FILE", "HALF", "REPLAY", "WHY"), *map(_row, found.files)]
        yield from ("", *columns(rows), "")
    yield from folded(_conclusion(found))


def _heading(found: "HalvesView") -> str:
    halves = Counter(file.half.value for file in found.files)
    told = ", ".join(f"{count} {half}" for half, count in sorted(halves.items()))
    span = f"{short(found.base)}..{short(found.head)}"
    return f"{counted(len(found.files), 'file')} changed in {span}{told and f': {told}'}."


def _rules(found: "HalvesView") -> str:
    said = [
        f"{word} {', '.join(map(repr, patterns))}"
        for word, patterns in (("harness", found.rules.harness), ("product", found.rules.product))
        if patterns
    ]
    told = "; ".join(said) or "none"
    return one_line(f"Rules of the project: {told} (read from {found.note}).")


def _row(file: FileHalf) -> tuple[str, ...]:
    words = (file.path, file.half.value, _IN_WORDS[file.replay], file.why)
    return tuple(map(one_line, words))


def _conclusion(found: "HalvesView") -> Iterator[str]:
    put = Counter(file.replay for file in found.files)
    if not found.touches_harness:
        yield "The change leaves the harness as it is: the gate's own run is the replay."
    elif put.total() > put[Replayed.HEAD]:
        yield (
            f"A replay would take {put[Replayed.BASE]} as at the base, leave"
            f" {put[Replayed.LEFT_OUT]} out and graft the base's tests and settings into"
            f" {put[Replayed.GRAFTED]}."
        )
    if found.not_replayed:
        yield "Not replayed, so that a gate is not green by replay:"
        yield from (f"  {one_line(sentence)}" for sentence in found.not_replayed)
