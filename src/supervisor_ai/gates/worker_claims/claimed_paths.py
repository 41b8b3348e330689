"""What git knows about the paths that a worker names."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import ChangedPath, Commits
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.differences import is_absent

_QUOTES: Final = "`'\"*"
_ASIDE: Final = re.compile(r"(?<!\s)\s++(?:\([^()]*+\)|[-\u2013\u2014]\s.*)$")
_PLACE: Final = re.compile(r"(?<![:\d-])(?::\d++(?:-\d++)?+)++$|#L\d++(?:-L?\d++)?$")
_DRIVE: Final = re.compile(r"^[A-Za-z]:/")
_GLOB: Final = re.compile(r"[*?{\[]")
_PARTS: Final = 64


class Paths(Struct, frozen=True, kw_only=True):
    """The paths after a change, and those of every commit that it can be compared with."""

    after: frozenset[str]
    before: tuple[frozenset[str], ...]
    changed: frozenset[str]
    """What differs from any of the commits before."""
    recent: tuple[ChangedPath, ...]
    """What the attempt itself changed."""
    folders: frozenset[str]
    earlier: tuple[CommitSha, ...]
    by_name: Mapping[str, tuple[str, ...]]
    """What changed, by the last part of the path."""

    def was_absent(self, path: str) -> bool:
        """Tell whether the file was missing at some time before."""
        return any(path not in paths for paths in self.before)

    def was_there(self, path: str) -> bool:
        """Tell whether the file existed at some time before."""
        return any(path in paths for paths in self.before)

    def find(self, claimed: str) -> str:
        """Return the path that a worker means; one that git never saw comes back tidied."""
        path = claimed if self._is_known(claimed) else _tidied(claimed)
        if self._is_known(path):
            return path
        if not _is_absolute(path):
            return self._from_within(path)
        parts = path.split("/")[-_PARTS:]
        tails = ("/".join(parts[start:]) for start in range(1, len(parts)))
        return next((tail for tail in tails if self._is_known(tail)), path)

    def _from_within(self, path: str) -> str:
        """Understand a path that a worker wrote down while it stood in a directory."""
        named = self.by_name.get(posixpath.basename(path), ())
        inner = [other for other in named if other.endswith(f"/{path}")]
        return inner[0] if len(inner) == 1 else path

    def is_folder(self, path: str) -> bool:
        """Tell whether a path is a directory in one of the commits."""
        return path in self.folders

    def is_glob(self, path: str) -> bool:
        """Tell whether a path stands for several."""
        return _GLOB.search(path) is not None and not self._is_known(path)

    def _is_known(self, path: str) -> bool:
        return path in self.after or path in self.folders or self.was_there(path)


def paths_of(case: ChangeCase, commits: Commits) -> Paths:
    """Look up what there is before and after a change."""
    start = case.start or case.base
    earlier = tuple(dict.fromkeys(at for at in (start, case.base, case.origin) if at is not None))
    changes = {at: commits.changes(at, case.head) for at in earlier}
    gone = {at: _with(changes[at], is_before=True) for at in earlier}
    before = tuple(_listed(commits, at) | gone[at] for at in earlier)
    made = (_with(found, is_before=False) for found in changes.values())
    after = _listed(commits, case.head).union(*made)
    changed = frozenset(change.path for found in changes.values() for change in found)
    return Paths(
        after=after,
        before=before,
        changed=changed,
        recent=changes[start],
        folders=_folders(after.union(*before)),
        earlier=earlier,
        by_name=_by_name(changed),
    )


def _by_name(paths: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    named: dict[str, list[str]] = {}
    for path in paths:
        named.setdefault(posixpath.basename(path), []).append(path)
    return {name: tuple(found) for name, found in named.items()}


def _listed(commits: Commits, commit: CommitSha) -> frozenset[str]:
    return frozenset(file.path for file in commits.list(commit))


def _with(changes: Iterable[ChangedPath], *, is_before: bool) -> frozenset[str]:
    """Return the paths of one side, among them links, which are not listed."""
    sides = ((change.path, change.before if is_before else change.after) for change in changes)
    return frozenset(path for path, blob in sides if not is_absent(blob))


def _folders(paths: Iterable[str]) -> frozenset[str]:
    folders: set[str] = set()
    for path in paths:
        folder = posixpath.dirname(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    return frozenset(folders)


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "~")) or _DRIVE.match(path) is not None


def _tidied(claimed: str) -> str:
    text = _ASIDE.sub("", " ".join(claimed.split())).strip(_QUOTES).replace("\\", "/")
    path = posixpath.normpath(_PLACE.sub("", text) or ".")
    return "" if path == "." else path.replace("//", "/")
