"""Which boundaries a run is killed at: all that differ, or one of each class of them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_COMMIT: Final = re.compile(r"after commit of (\S+)")
_PARTS: Final = re.compile(
    r"(?P<kind>\w+ \w+(?: of a transcript)?)(?: of (?P<events>\S+)| (?P<key>\S+))?"
)


@dataclass(frozen=True, slots=True)
class KillClass:
    """What boundaries have in common at which a kill leaves the same to recover from."""

    kind: str
    """On which side of what: `after open worker`, `before commit`."""
    before: str
    """What is on record: for a commit all its events, else the last event before the boundary."""
    after: str = ""
    """What would have been recorded next."""


def points(marks: Sequence[int]) -> list[int]:
    """Number the boundaries at which a kill leaves something else than at the one before."""
    changed = [before != after for before, after in pairwise(marks)]
    return [number for number, is_new in enumerate([True, *changed], start=1) if is_new]


def classes(boundaries: Sequence[str], numbers: Iterable[int]) -> Mapping[KillClass, list[int]]:
    """Sort the numbered boundaries of a run by their classes."""
    found: dict[KillClass, list[int]] = defaultdict(list)
    for number in numbers:
        found[_class(boundaries, number)].append(number)
    return found


def representatives(boundaries: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """Choose the middle one of each class."""
    members = classes(boundaries, numbers).values()
    return sorted(numbers[len(numbers) // 2] for numbers in members)


def _class(boundaries: Sequence[str], number: int) -> KillClass:
    kind, events = _read(boundaries[number - 1])
    if events:
        return KillClass(kind, before=events)
    if " artifact" in kind:
        # They are alike but for their content.
        return KillClass(kind, before="")
    before = [it for name in boundaries[:number] for it in _COMMIT.findall(name)]
    after = [it for name in boundaries[number:] for it in _COMMIT.findall(name)]
    last = before[-1].rpartition("+")[2] if before else ""
    return KillClass(kind, before=last, after=after[0].partition("+")[0] if after else "")


def _read(boundary: str) -> tuple[str, str]:
    """Return the kind of a boundary, with the kind of operation in its key, and its events."""
    parts = _PARTS.fullmatch(boundary)
    assert parts, f"{boundary!r} is no boundary."
    words = [word for word in (parts["key"] or "").split("/")[1:] if word.isalpha()]
    return " ".join([parts["kind"], *words[-1:]]), parts["events"] or ""
