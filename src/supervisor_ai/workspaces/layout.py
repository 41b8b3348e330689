"""The layout of the state directory; everything a run needs lies in one directory."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, is_full_sha
from supervisor_ai.workspaces.files.kept_directory import KeptDirectory
from supervisor_ai.workspaces.files.mounts import unmount
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.port_blocks import PortBlocks
from supervisor_ai.workspaces.repositories.kept_export import KeptExport
from supervisor_ai.workspaces.repositories.tree_layers import Export, TreeLayers
from supervisor_ai.workspaces.volumes import Volume

_RUN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_]+")
WASTE: Final = ".waste"
BRANCH: Final = "task"
"""Where a workspace's git directories stand: at the commit that the worker sees."""
_SLUG_LENGTH: Final = 60
_FENCED: Final = re.compile(r"(?P<key>[A-Za-z0-9_-]+)\.(?P<fence>[0-9]+)")


class WorkspaceDirectory(Struct, frozen=True, kw_only=True):
    """The directory of one workspace: what the worker sees, and what only we see."""

    path: Path

    @property
    def tree(self) -> Path:
        """Return where the files are."""
        return self.path / "tree"

    @property
    def worker_git(self) -> Path:
        """Return the worker's own git directory, which no git of ours ever opens."""
        return self.path / "worker.git"

    @property
    def trusted_git(self) -> Path:
        """Return our git directory, which no worker ever sees."""
        return self.path / "trusted.git"

    @property
    def reports(self) -> Path:
        """Return where a command may leave reports; absent if it leaves none."""
        return self.path / "reports"

    @property
    def start(self) -> Path:
        """Return the ref of our git directory that stands where the work began."""
        return self.trusted_git / "refs" / "heads" / "start"

    @property
    def volume(self) -> Volume:
        """Return the file system of all that the worker can write, where it has one of its own."""
        places = (self.tree, self.worker_git, *((self.reports,) if self.reports.exists() else ()))
        return Volume(image=self.path / "tree.img", places=places)

    @property
    def layers(self) -> TreeLayers:
        """Return how the files lie over those that others share; nothing where they do not."""
        return TreeLayers(path=self.path / "layers", tree=self.tree)

    @property
    def is_away(self) -> bool:
        """Tell whether there are files that are not mounted, as after a restart."""
        return self.volume.is_away or self.layers.is_away

    @property
    def hidden(self) -> Path:
        """Return the patterns of what the worker does not see; absent if it sees everything."""
        return self.path / "hidden"

    @property
    def bound(self) -> Path:
        """Return how much of the files may be kept; absent if all of them may be."""
        return self.path / "bound"

    @property
    def included(self) -> Path:
        """Return the paths that were copied from the user's checkout; absent if none were."""
        return self.path / "included"

    @property
    def submodules(self) -> Path:
        """Return our git directories of the submodules that were filled; absent if none were."""
        return self.path / "submodules"

    @property
    def filled(self) -> Path:
        """Return the paths of these submodules, in the order of the git directories."""
        return self.submodules / "paths.json"

    @property
    def ports(self) -> PortBlocks:
        """Return the ports of the machine, which all projects share."""
        return PortBlocks(self.path.parents[3] / "ports")

    @property
    def fence(self) -> int:
        """Return the fence that the path carries."""
        return int(self.path.name.rpartition(".")[2])

    def is_complete(self) -> bool:
        """Tell whether the files were all there once; git writes the index after them."""
        return (self.trusted_git / "index").exists() and self.tree.is_dir()

    def restore(self) -> None:
        """Make the files reachable again after a restart of the machine."""
        self.volume.restore()
        self.layers.restore()

    def discard(self) -> None:
        """Remove it; renamed first, so that nobody takes a half for the whole."""
        self.ports.release(self.path)
        waste = self.path.with_name(f"{self.path.name}.{token_hex(8)}{WASTE}")
        with suppress(FileNotFoundError):
            self.path.rename(waste)
        dump(waste)


class RunLayout(Struct, frozen=True, kw_only=True):
    """The directory of one run."""

    path: Path

    @property
    def base_git(self) -> Path:
        """Return the repository that holds what is reachable from the run's base."""
        return self.path / "base.git"

    @property
    def origin(self) -> Path:
        """Return the name of what that repository holds; it is written when all of it is there."""
        return self.base_git / "origin"

    @property
    def programs(self) -> Path:
        """Return where commits are exported."""
        return self.path / "program"

    def exports(self) -> list[Export]:
        """Return the exports in which nothing is hidden."""
        found = self.programs.iterdir() if self.programs.is_dir() else ()
        return [
            Export(path=path, commit=CommitSha(path.name))
            for path in found
            if is_full_sha(path.name)
        ]

    @property
    def shared(self) -> Path:
        """Return where the check-outs are that nobody writes, by the fence of their owner."""
        return self.path / "shared"

    @property
    def desks(self) -> Path:
        """Return where the workspaces are."""
        return self.path / "work"

    def desk(self, key: EffectKey, fence: int) -> WorkspaceDirectory:
        """Return the place of an operation under one owner."""
        return WorkspaceDirectory(path=self.desks / f"{_slug(key)}.{fence}")

    def desks_of(self, key: EffectKey) -> list[WorkspaceDirectory]:
        """Return what is left of an operation, the newest owner's first."""
        found = [
            WorkspaceDirectory(path=path) for path, name in self._fenced() if name == _slug(key)
        ]
        return sorted(found, key=lambda desk: desk.fence, reverse=True)

    def all_desks(self) -> list[WorkspaceDirectory]:
        """Return every workspace of the run."""
        return [WorkspaceDirectory(path=path) for path, _ in self._fenced()]

    def waste_of(self, key: EffectKey) -> Iterator[Path]:
        """Return what somebody began to remove of an operation."""
        return self.desks.glob(f"{_slug(key)}.*{WASTE}")

    def _fenced(self) -> Iterator[tuple[Path, str]]:
        for path in self.desks.iterdir() if self.desks.is_dir() else ():
            if matched := _FENCED.fullmatch(path.name):
                yield path, matched["key"]


def dump(waste: Path) -> None:
    """Remove what was a workspace, with the file system of its files if it has one."""
    WorkspaceDirectory(path=waste).volume.remove()
    remove(waste)


def dump_premises(waste: Path, kept: "KeptSources | None" = None) -> None:
    """Remove what was the directory of a run, but for what is kept."""
    layout = RunLayout(path=waste)
    for left in layout.desks.iterdir() if layout.desks.is_dir() else ():
        WorkspaceDirectory(path=left).volume.remove()
    for shared in layout.shared.glob("*/*/tree"):
        unmount(shared)
    if kept is not None:
        kept.give(layout)
    remove(waste)


class KeptSources(Struct, frozen=True, kw_only=True):
    """What the runs of a project leave to each other; no run can be called so."""

    state: Path

    @property
    def export(self) -> KeptExport:
        """Return the files of a base."""
        return KeptExport(kept=self._export)

    @property
    def history(self) -> KeptDirectory:
        """Return what is reachable from a base, as a run has it."""
        return KeptDirectory(place=self.state / ".history")

    def give(self, layout: RunLayout) -> None:
        """Keep what an ended run has, and nobody uses; what cannot be kept is waste."""
        for export in layout.exports():
            with suppress(OSError):
                self.export.give(export)
        with suppress(OSError):
            self.history.give(layout.base_git, layout.origin.read_text())

    def drop(self) -> None:
        """Keep nothing."""
        for kept in (self._export, self.history):
            kept.drop()

    @property
    def _export(self) -> KeptDirectory:
        return KeptDirectory(place=self.state / ".export")


def premises(state: Path, run: RunId) -> RunLayout:
    """Return the place of a run."""
    if not _RUN.fullmatch(run):
        raise InvalidInput(f"The run {run!r} has a name that cannot be a directory's.")
    return RunLayout(path=state / run)


def _slug(key: EffectKey) -> str:
    digest = hashlib.sha256(key.encode()).hexdigest()[:12]
    return f"{_UNSAFE.sub('-', key)[-_SLUG_LENGTH:].strip('-')}-{digest}"
