"""What came of the projects, and what has to hold for all of them together."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from tests.projects.table import HERE

RESULTS: Final = HERE / "results.json"
FEWEST: Final = 30
LEAST_GREEN: Final = 0.9


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of one project."""

    name: str
    version: str
    works_plainly: bool = True
    """Whether its own instructions work on this machine."""
    gates: dict[str, int | None] = {}
    """The gates that `init` wrote, and how many tests each one ran."""
    is_green: bool = False
    """Whether a run with a harmless change completed."""
    is_red: bool = False
    """Whether the gate failed when one line of the product was broken."""
    reason: str = ""
    seconds: dict[str, float] = {}


def recorded() -> list[Outcome]:
    """Read what the last recorded run found."""
    return msgspec.json.decode(RESULTS.read_bytes(), type=list[Outcome])


def record(outcomes: Sequence[Outcome], order: Sequence[str], file: Path = RESULTS) -> None:
    """Write outcomes in the order of the table; what was not tried again stays as it was."""
    known = msgspec.json.decode(file.read_bytes(), type=list[Outcome]) if file.exists() else []
    by_name = {it.name: it for it in (*known, *outcomes)}
    kept = [by_name[name] for name in order if name in by_name]
    file.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")


def faults(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Say what does not hold."""
    workable = [it for it in outcomes if it.works_plainly]
    if len(workable) < FEWEST:
        yield f"only {len(workable)} projects work here by their own instructions"
    failed = [f"{it.name}: {it.reason}" for it in workable if not it.is_green]
    if len(failed) > (1 - LEAST_GREEN) * len(workable):
        yield f"{len(failed)} of {len(workable)} are not green untouched: {'; '.join(failed)}"
    blind = [it.name for it in workable if it.is_green and not it.is_red]
    if blind:
        yield f"green though a line is broken: {', '.join(blind)}"
