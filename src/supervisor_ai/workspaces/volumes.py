"""A small file system for all that a worker can write, so that the kernel keeps its quota."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.engine.ports.workspaces import Quota
from supervisor_ai.tools.file_lock import held, open_lock_file
from supervisor_ai.tools.programs import find_program
from supervisor_ai.workspaces.files.mounts import bind, unmount
from supervisor_ai.workspaces.files.removal import remove

_SYSTEM: Final = "/usr/sbin:/sbin:/usr/bin:/bin"
_INODE: Final = 256
_OWN_INODES: Final = 16
_LEAST: Final = 1 << 20
_OVERHEAD: Final = 64
"""One part in so many is for ext4's own tables, besides the inodes."""
# Tables of a sparse file are empty already; what is deleted inside is given back outside.
_OPTIONS: Final = "loop,nosuid,nodev,noatime,noinit_itable,discard"
_CORRECTED: Final = 1
_NOT_INSTALLED: Final = 127
_PATIENCE_SECONDS: Final = 600
_TRIAL: Final = Quota(disk=1 << 20, files=100)
_PREFIX: Final = "trial-"


class Volume(Struct, frozen=True, kw_only=True):
    """An image, and the directories of one workspace whose content lies in it."""

    image: Path
    places: tuple[Path, ...]

    def make(self, quota: Quota) -> bool:
        """Put a file system of that size under empty directories; False where that cannot be."""
        if os.geteuid() != 0:
            return False
        files = quota.files + _OWN_INODES
        size = max(quota.disk + quota.disk // _OVERHEAD + files * _INODE, _LEAST)
        with self.image.open("xb") as file:
            file.truncate(size)
        self.image.chmod(0o600)
        how = ("-q", "-F", "-O", "^has_journal", "-m", "0", "-N", str(files))
        is_made = _code("mkfs.ext4", *how, self.image) == 0 and self._mount()
        if not is_made:
            self.remove()
            self.image.unlink()
        return is_made

    def restore(self) -> None:
        """Mount it again if the machine was restarted meanwhile."""
        if not self.is_away:
            return
        if not _is_sound(self.image) or not self._mount():
            raise Unavailable(
                f"The files of the workspace {str(self.image.parent)!r} cannot be mounted again.",
                hint=f"Look at `mount -o loop {self.image} /mnt`; nothing was removed.",
            )

    @property
    def is_away(self) -> bool:
        """Tell whether there are files that are not mounted, as after a restart."""
        return self.image.exists() and not all(place.is_mount() for place in self.places)

    def remove(self) -> None:
        """Take the file system away, also from processes that still look at it."""
        for place in (*self.places, self._root):
            unmount(place)

    @property
    def _root(self) -> Path:
        return self.image.with_suffix(".root")

    def _mount(self) -> bool:
        """Show each directory its part; the whole is shown to nobody."""
        self._root.mkdir(mode=0o700, exist_ok=True)
        if _code("mount", "-t", "ext4", "-o", _OPTIONS, self.image, self._root) != 0:
            return False
        with suppress(FileNotFoundError):
            (self._root / "lost+found").rmdir()
        is_shown = all(self._show(place) for place in self.places)
        unmount(self._root)
        self._root.rmdir()
        return is_shown

    def _show(self, place: Path) -> bool:
        part = self._root / place.name
        part.mkdir(exist_ok=True)
        part.chmod(place.stat().st_mode & 0o777)
        return place.is_mount() or bind(part, place)


def can_make(directory: Path) -> bool:
    """Tell by trying whether such file systems can be had in a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    # Alone here: whatever trial is there has no living owner.
    with held(open_lock_file(directory / "trial.lock")):
        for left in directory.glob(f"{_PREFIX}*"):
            _clear(left)
        trial = Path(mkdtemp(dir=directory, prefix=_PREFIX))
        try:
            return _try(trial)
        finally:
            _clear(trial)


def _try(trial: Path) -> bool:
    volume = _trial_volume(trial)
    for place in volume.places:
        place.mkdir()
    return volume.make(_TRIAL)


def _clear(trial: Path) -> None:
    """End a trial, also one whose process was killed in the middle of it."""
    _trial_volume(trial).remove()
    remove(trial)


def _trial_volume(trial: Path) -> Volume:
    return Volume(image=trial / "tree.img", places=(trial / "tree",))


def _is_sound(image: Path) -> bool:
    """Repair it: it has no journal, and whoever pulled the plug left it unclean."""
    backing = (path.read_text().strip() for path in Path("/sys/block").glob("loop*/loop/backing_*"))
    if str(image) in backing:
        return True  # It is mounted where we cannot see it; a repair would destroy it.
    return _code("e2fsck", "-y", image) <= _CORRECTED


def _code(program: str, *arguments: str | Path) -> int:
    found = find_program(program, _SYSTEM)
    if found is None:
        return _NOT_INSTALLED
    try:
        ended = subprocess.run(
            (found, *arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={"PATH": _SYSTEM, "LC_ALL": "C"},
            start_new_session=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"{program!r} did not end within {_PATIENCE_SECONDS} seconds."
        raise Unavailable(message) from error
    return ended.returncode
