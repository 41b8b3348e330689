"""The register of live commands: whoever comes after a dead supervisor finds them here."""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.values import Process
from supervisor_ai.sandboxes.processes.live_process import Hold, end_every, find_marked, holds_on
from supervisor_ai.sandboxes.resource_limits.cgroups import dissolve


class RegisterEntry:
    """A command's line in the register, from before its start until after its end."""

    def __init__(self, path: Path, label: str, fence: int, parents: tuple[Path, ...]) -> None:
        self._path = path
        self._label = label
        self._fence = fence
        self.mark = path.stem
        self._groups = [str(parent / self.mark) for parent in parents]

    def write(self, *processes: Process) -> None:
        """Name the processes that have to die so that the command is gone."""
        # Nothing is synced: what a power cut loses here, it has killed as well.
        line = {
            "label": self._label,
            "fence": self._fence,
            "processes": [asdict(process) for process in processes],
            "groups": self._groups,
        }
        draft = self._path.with_suffix(".draft")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft.touch(mode=0o600)
            draft.write_text(json.dumps(line), encoding="utf-8")
            draft.replace(self._path)
        except OSError as error:
            raise Unavailable(
                f"The register of live commands cannot be written: {error}.",
                hint="A command that nobody could find again is not started.",
            ) from error


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
        path = self._directory / f"supervisor-{secrets.token_hex(12)}.json"
        entry = RegisterEntry(path, label, fence, parents)
        entry.write()
        try:
            yield entry
        finally:
            path.unlink(missing_ok=True)

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
        return len(alive)

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
    line = json.loads(text)
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
