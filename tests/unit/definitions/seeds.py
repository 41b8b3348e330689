"""The YAML blocks and commands of the seeds, and the one table of what they are to us."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
import yaml
from _pytest.mark.structures import ParameterSet

FIXTURES: Final = Path(__file__).parents[2] / "fixtures" / "seeds"
_BESIDE: Final = [it / "shared" / "seeds" for it in Path(__file__).parents[4:]]
SEEDS: Final = next(filter(Path.is_dir, _BESIDE), None)
"""Beside the checkout on the machines of those who work on it; a clean clone has no such place."""
COMMANDS: Final = "commands.txt"
CONSOLE: Final = ".console"
"""How files end that hold what a seed shows of a terminal."""


@dataclass(frozen=True)
class Block:
    """One block: its text, and what the table says about it."""

    name: str
    loads: str
    file: str
    capability: str | None = None
    cut: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    """What it names that a project with this file alone does not have."""

    @property
    def text(self) -> str:
        """Return the block as it stands in the seed."""
        return (FIXTURES / self.name).read_text(encoding="utf-8")

    @property
    def whole(self) -> str:
        """Return the block with what the seed says that it leaves out."""
        text = self.text
        for mark, lines in self.cut.items():
            assert mark in text
            text = text.replace(mark, lines)
        return text


@dataclass(frozen=True)
class Command:
    """One command, and what the table says about it."""

    name: str
    says: str
    capability: str | None = None


_TABLE: Final = yaml.safe_load((FIXTURES / "table.yaml").read_text(encoding="utf-8"))
BLOCKS: Final = {
    name: Block(name=name, **{**it, "needs": tuple(it.get("needs", ()))})
    for name, it in _TABLE["blocks"].items()
}
ORDERS: Final = {name: Command(name=name, **it) for name, it in _TABLE["commands"].items()}


def marked(entry: Block | Command) -> ParameterSet:
    """Expect what is not built yet to fail, and to say so the day when it works."""
    reason = entry.capability
    marks = [] if reason is None else [pytest.mark.xfail(strict=True, reason=reason)]
    return pytest.param(entry, id=entry.name, marks=marks)


def sessions() -> dict[str, list[str]]:
    """Return what the seeds show of terminals: each command's lines, by its seed and line."""
    found: dict[str, list[str]] = {}
    for file in sorted(FIXTURES.glob(f"*{CONSOLE}")):
        seed, _, first = file.stem.partition("-")
        name = ""
        for number, line in enumerate(file.read_text().splitlines(), start=int(first)):
            if line.startswith("$ "):
                name = f"{seed}-{number:04}"
                found[name] = []
            elif line.strip() and not line.startswith("#"):
                found[name].append(" ".join(line.split()))
    return found
