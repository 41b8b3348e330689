"""The register of live commands: whoever comes after a dead supervisor finds them here."""

import errno
import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.values import Process
from supervisor_ai.sandboxes.processes.live_process import Hold, end_every, find_marked, holds_on
from supervisor_ai.sandboxes.resource_limits.cgroups import dissolve
from supervisor_ai.sandboxes.resource_limits.process_usage import cpu_time

_ABANDONED: Final = 60
"""So many seconds nobody takes to enter a command."""


class RegisterEntry:
    """A command's file in the register, from before its start until after its end.

    Each line of it holds instead of those before it.
    """

    def __init__(self, path: str, label: str, fence: int, parents: tuple[Path, ...]) -> None:
        self._path = path
        self.mark = os.path.basename(path).removesuffix(".json")  # noqa: PTH119 - at every start
        self._line = {
            "label": label,
            "fence": fence,
            "groups": [f"{parent}/{self.mark}" for parent in parents],
        }
        self._file = -1

    def open(self) -> None:
        """Enter the command before anything of it is there."""
        draft = f"{self._path}.draft"
        try:
            self._file = _created(draft)
            self.write()
            # Nobody reads what is not whole.
            os.rename(draft, self._path)  # noqa: PTH104 - at every start
        except OSError as error:
            raise _unwritten(error) from error

    def write(self, *processes: Process) -> None:
        """Name the processes that have to die so that the command is gone."""
        # Nothing is synced: what a power cut loses here, it has killed as well.
        line = {**self._line, "processes": [asdict(process) for process in processes]}
        try:
            os.write(self._file, json.dumps(line).encode() + b"\n")
            if os.fstat(self._file).st_nlink == 0:
                raise FileNotFoundError(errno.ENOENT, "somebody has ended the command", self._path)
        except OSError as error:
            raise _unwritten(error) from error

    def close(self) -> None:
        """Take the command out; harmless where it never was in."""
        if self._file >= 0:
            os.close(self._file)
            for path in (self._path, f"{self._path}.draft"):
                with suppress(FileNotFoundError):
                    os.unlink(path)  # noqa: PTH108 - at every end


def _created(path: str) -> int:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.open(path, flags, 0o600)


def _unwritten(error: OSError) -> Unavailable:
    return Unavailable(
        f"The register of live commands cannot be written: {error}.",
        hint="A command that nobody could find again is not started.",
    )


class _Line(Struct, frozen=True, kw_only=True):
    path: Path
    label: str
    fence: int
    processes: tuple[Process, ...]
    groups: tuple[Path, ...]


class ProcessRegister:
    """A directory with one small file per live command."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @contextmanager
    def entry(
        self, label: str, *, fence: int, parents: tuple[Path, ...] = ()
    ) -> Iterator[RegisterEntry]:
        """Keep a command in the register while the context lasts.

        Everything that is started for it carries the entry's mark, and so do the control groups
        that are made for it in the parents.
        """
        path = f"{self._directory}/supervisor-{secrets.token_hex(12)}.json"
        entry = RegisterEntry(path, label, fence, parents)
        try:
            entry.open()
            yield entry
        finally:
            entry.close()

    def cpu_time(self, label: str) -> timedelta | None:
        """Add up what all processes of a live command have used; None: there is none."""
        roots = {it.pid for line in self._lines() if line.label == label for it in line.processes}
        return cpu_time(roots) if roots else None

    async def reap(self, prefix: str, *, before: int) -> int:
        """End every command whose label begins so and whose fence is lower; count who lived."""
        lines = {
            line.path.stem: line
            for line in self._lines()
            if line.label.startswith(prefix) and line.fence < before
        }
        alive: set[str] = set()

        def find() -> list[Hold]:
            found = _holds(lines)
            alive.update(found)
            return [hold for holds in found.values() for hold in holds]

        await end_every(find)
        for line in lines.values():
            for group in line.groups:
                dissolve(group)
            line.path.unlink(missing_ok=True)
        self._sweep()
        return len(alive)

    def _sweep(self) -> None:
        """Remove what was killed in the moment in which it entered a command."""
        for draft in self._directory.glob("*.draft"):
            with suppress(FileNotFoundError):
                if time.time() - draft.stat().st_mtime > _ABANDONED:
                    draft.unlink()

    def _lines(self) -> Iterator[_Line]:
        for path in sorted(self._directory.glob("*.json")):
            try:
                yield _parse(path, path.read_bytes())
            except FileNotFoundError:
                # Its command ended just now.
                continue
            except (ValueError, KeyError, TypeError):
                # Half a line from before a power cut.
                path.unlink(missing_ok=True)


def _parse(path: Path, text: bytes) -> _Line:
    """Take the last line that is whole."""
    first, *later = text.split(b"\n")
    whole = later[-2] if len(later) > 1 else first
    line = json.loads(whole)
    processes = tuple(Process(**process) for process in line["processes"])
    return _Line(
        path=path,
        label=str(line["label"]),
        fence=int(line["fence"]),
        processes=processes,
        groups=tuple(Path(group) for group in line.get("groups", ())),
    )


def _holds(lines: dict[str, _Line]) -> dict[str, list[Hold]]:
    marked = find_marked(lines) if lines else {}
    # In this order: a bubblewrap that outlives the inside would report the kill as an exit code.
    found = {
        mark: holds_on(dict.fromkeys((*line.processes, *marked[mark])))
        for mark, line in lines.items()
    }
    return {mark: holds for mark, holds in found.items() if holds}
