"""Two commits in memory."""

import difflib
import hashlib
from collections.abc import Iterator, Mapping, Sequence

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.commits import Change, CommitFile

BASE = CommitSha("base")
HEAD = CommitSha("head")
NOTHING = "0" * 40


class MemoryCommits:
    """Answers about a base and a head; a path in `links` is a link at the head."""

    def __init__(
        self,
        before: Mapping[str, str | bytes],
        after: Mapping[str, str | bytes],
        *,
        links: Sequence[str] = (),
    ) -> None:
        self.links = frozenset(links)
        self.sides = {BASE: _encoded(before), HEAD: _encoded(after)}
        both = [source for side in self.sides.values() for source in side.values()]
        self.blobs = {_blob(source): source for source in both}

    def list(self, commit: CommitSha) -> tuple[CommitFile, ...]:
        side = self.sides[commit]
        return tuple(
            CommitFile(path, _blob(side[path]), len(side[path]))
            for path in sorted(side)
            if commit == BASE or path not in self.links
        )

    def read(self, files: Sequence[CommitFile]) -> Iterator[tuple[CommitFile, bytes]]:
        for file in files:
            yield file, self.blobs[file.blob]

    def changes(self, base: CommitSha, commit: CommitSha) -> tuple[Change, ...]:
        old, new = self.sides[base], self.sides[commit]
        sides = [
            (path, *(_blob(side[path]) if path in side else NOTHING for side in (old, new)))
            for path in sorted({*old, *new})
        ]
        return tuple(
            Change(path, before, after, path in self.links)
            for path, before, after in sides
            if before != after
        )

    def patches(
        self, base: CommitSha, commit: CommitSha, paths: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        for path in paths:
            old, new = (
                self.sides[side].get(path, b"").decode(errors="replace") for side in (base, commit)
            )
            lines = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="")
            yield path, "\n".join(lines)


def _encoded(side: Mapping[str, str | bytes]) -> dict[str, bytes]:
    return {
        path: source.encode() if isinstance(source, str) else source
        for path, source in side.items()
    }


def _blob(source: bytes) -> str:
    return hashlib.sha1(source).hexdigest()  # noqa: S324 - as git names it
