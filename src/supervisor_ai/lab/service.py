"""The lab as commands ask for it: a script file served on loopback, pointers, examples."""

from collections.abc import Callable, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from msgspec import Struct

from supervisor_ai.control.ports.lab import CliPointer, ScriptFile
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.lab.addresses import broker, pointers
from supervisor_ai.lab.journal import Seen
from supervisor_ai.lab.script import BadScript, read_script
from supervisor_ai.lab.server import LabServer
from supervisor_ai.lab.shapes import Script


class ScriptedLab(Struct, frozen=True, kw_only=True):
    """Implements the port; `read` opens a file with a script."""

    read: Callable[[Path], ScriptFile]

    def serve(
        self, script: Path, *, port: int, log: Path | None, tell: Callable[[str], None]
    ) -> LabServer:
        """Listen on this machine only; every request is told in one line, and added to the log."""
        played = self._script(script)
        return LabServer(played, port=port, log=log, on_seen=lambda seen: tell(_line(seen)))

    def pointers(self, url: str) -> Mapping[str, CliPointer]:
        """Tell how each CLI is pointed at the lab."""
        return pointers(url)

    def broker(self, url: str) -> str:
        """Write the part of the user's config that sends sandboxed workers to the lab."""
        return broker(url)

    def examples(self) -> Mapping[str, str]:
        """Name the scripts that are ready to be played, and what each is for."""
        return {name: purpose(name) for name in names()}

    def example(self, name: str) -> str:
        """Return the text of one; raises NotFound."""
        return example(name)

    def _script(self, path: Path) -> Script:
        file = self.read(path)
        try:
            return read_script(file.value)
        except BadScript as bad:
            raise file.refuse([(it.path, it.problem) for it in bad.flaws], bad.hint) from bad


def _line(seen: Seen) -> str:
    where = f"{seen.dialect} {seen.model} {seen.place}" if seen.dialect else seen.method
    return f"{seen.fault or seen.status}  {where}  {seen.path}"


def names() -> tuple[str, ...]:
    """Name the examples."""
    files = (entry.name for entry in _shelf().iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml")))


def example(name: str) -> str:
    """Return the text of an example."""
    known = names()
    if name not in known:
        raise NotFound(f"There is no example {name!r}.", hint=f"There are {', '.join(known)}.")
    return (_shelf() / f"{name}.yaml").read_text(encoding="utf-8")


def purpose(name: str) -> str:
    """Return the first line of an example, which says what it is for."""
    return example(name).partition("\n")[0].lstrip("# ")


def _shelf() -> Traversable:
    return resources.files("supervisor_ai.lab") / "builtin"
