"""The projects of others that are tried, each pinned by its hash."""

import tomllib
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

HERE: Final = Path(__file__).parent


class ForeignProject(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A release of somebody else's project, and how its own instructions say to work on it."""

    name: str
    version: str
    registry: str
    language: str
    layout: str
    url: str
    sha256: str
    prepare: list[str] = []
    """What makes its environment, one command each."""
    test: str
    """What runs its tests, outside of any sandbox."""
    file: str
    line: str
    """A line of the product, as it stands in the file but for its indent."""
    broken: str
    """What stands there instead when the product is broken."""
    lock: str = ""


def load() -> list[ForeignProject]:
    """Read the table."""
    rows = tomllib.loads((HERE / "projects.toml").read_text(encoding="utf-8"))["project"]
    return msgspec.convert(rows, list[ForeignProject])


def break_line(text: str, project: ForeignProject) -> str:
    """Put the broken line where the right one is; the table is wrong if there is not just one."""
    lines = text.splitlines(keepends=True)
    found = [number for number, line in enumerate(lines) if line.strip() == project.line]
    assert len(found) == 1, (project.name, project.line, found)
    lines[found[0]] = lines[found[0]].replace(project.line, project.broken)
    return "".join(lines)
