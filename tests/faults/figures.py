"""How often what was tried, and what it broke: one file for each test, one table of all.

A test puts its counts down whether it passes or not; the table is printed at the end of the session
and written to `build/reports-long/faults.md`.
"""

import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

REPORTS: Final = Path(__file__).parents[2] / "build" / "reports-long"
PLACE: Final = REPORTS / "faults"
SEED: Final = "FAULTS_SEED"
BROKEN: Final = ("lost", "doubled", "verify faults", "leaked", "stuck")
"""What must be nought everywhere."""


def scaled(number: int) -> int:
    """Return how often something is tried, by what `FAULTS_SCALE` says."""
    return max(1, round(number * float(os.environ.get("FAULTS_SCALE", "1"))))


def dice(*name: object) -> random.Random:
    """Return the chances of a test; the same ones for the same seed."""
    return random.Random(":".join([os.environ[SEED], *map(str, name)]))  # noqa: S311 - to be repeated


class Figures(Counter[str]):
    """The counts of one test, and the first things that it found broken."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(BROKEN, 0))
        self.problems: list[str] = []

    def broke(self, kind: str, what: object) -> None:
        """Count something that must not be."""
        self[kind] += 1
        self.problems.append(f"{kind}: {what}")


@contextmanager
def figures(part: str, what: str) -> Iterator[Figures]:
    """Count for a row of the table, and fail at the end where something is broken."""
    counted, began = Figures(), time.monotonic()
    try:
        yield counted
    finally:
        row = {
            "part": part,
            "what": what,
            "seconds": round(time.monotonic() - began),
            "seed": os.environ[SEED],
            "counts": dict(counted),
            "problems": counted.problems,
        }
        PLACE.mkdir(parents=True, exist_ok=True)
        name = f"{part} {what}".replace("/", "_").replace(" ", "-")
        (PLACE / f"{name}.json").write_text(json.dumps(row, indent=1))
    assert counted.problems == [], f"{SEED}={os.environ[SEED]}: {counted.problems}"


def table() -> str:
    """Write all rows as a table of markdown."""
    rows = [json.loads(path.read_text()) for path in sorted(PLACE.glob("*.json"))]
    lines = [
        f"| what | tried | {' | '.join(BROKEN)} | seconds |",
        f"|---|---|{'---:|' * (len(BROKEN) + 1)}",
    ]
    for row in rows:
        counts = row["counts"]
        tried = ", ".join(f"{it} {name}" for name, it in counts.items() if name not in BROKEN)
        found = " | ".join(str(counts[name]) for name in BROKEN)
        lines.append(f"| {row['part']}: {row['what']} | {tried} | {found} | {row['seconds']} |")
    return "\n".join(lines) + "\n"
