"""Successive releases of other people's packages, with what a person says about them."""

import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from tests.projects.archive import fetched
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits

from supervisor_ai.engine.ports.gates import FactsCase
from supervisor_ai.gates.public_api.api_breaks import ApiReading, find_breaks

HERE: Final = Path(__file__).parent
_LARGEST: Final = 4 * 1024 * 1024


class ReleasePair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two releases, and whether the second breaks who uses the first."""

    name: str
    registry: str
    before: str
    after: str
    before_url: str
    before_sha256: str
    after_url: str
    after_sha256: str
    is_breaking: bool
    symbols: list[str]
    reason: str

    @property
    def title(self) -> str:
        """Name the pair."""
        return f"{self.name} {self.before} → {self.after}"


def load() -> list[ReleasePair]:
    """Read the table."""
    rows = tomllib.loads((HERE / "pairs.toml").read_text(encoding="utf-8"))["pair"]
    return msgspec.convert(rows, list[ReleasePair])


def read(pair: ReleasePair) -> ApiReading:
    """Let the reader look at a pair as at the change of a repository."""
    before = _files(fetched(pair.before_url, pair.before_sha256))
    after = _files(fetched(pair.after_url, pair.after_sha256))
    commits = MemoryCommits(base=before, head=after)
    return find_breaks(FactsCase(base=BASE, head=HEAD), commits, commits.changes(BASE, HEAD))


def missed_symbols(pair: ReleasePair, found: ApiReading) -> list[str]:
    """Return what a person names and the reader does not, neither itself nor what it belongs to."""
    told = {it.symbol for it in found.breaks}
    return [
        it
        for it in pair.symbols
        if not any(name == it or name.startswith(f"{it}.") for name in told)
    ]


def _files(archive: Path) -> Mapping[str, bytes]:
    """Read an archive without the folder that holds everything; nothing is written to disk."""
    found = {}
    with tarfile.open(archive) as opened:
        for member in opened:
            stream = opened.extractfile(member) if member.isfile() else None
            if stream is not None and member.size <= _LARGEST:
                found[member.name.removeprefix("./").partition("/")[2]] = stream.read()
    return found
