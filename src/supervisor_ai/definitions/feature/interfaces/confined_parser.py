"""Lets a process of its own parse interfaces, and reads them from commits."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm
from supervisor_ai.drivers.feature.plan.model import Interface, InterfaceKind
from supervisor_ai.tools.confined_child import ChildFailedError, ConfinedReaders
from supervisor_ai.tools.confinement import ProcessLimits
from supervisor_ai.tools.threads import finish_in_thread

READER: Final = "supervisor_ai.definitions.feature.interfaces.parsers"
LIMITS: Final = ProcessLimits(memory=1 << 30, cpu=20, wall=60.0, speech=8 << 20)


class ConfinedInterfaceParser:
    """Has interfaces parsed where a hostile one does no harm; each text once."""

    def __init__(
        self, project: Callable[[], SliceProject] | None = None, limits: ProcessLimits = LIMITS
    ) -> None:
        self._project = project
        self._readers = ConfinedReaders(READER, limits)
        self._known: dict[Interface, InterfaceForm] = {}

    def parse(self, interfaces: Sequence[Interface]) -> tuple[InterfaceForm, ...]:
        """Say of each interface who looked at it and what is wrong with it."""
        missing = [it for it in dict.fromkeys(interfaces) if it not in self._known]
        if missing:
            self._known |= dict(zip(missing, self._looked(missing), strict=True))
        return tuple(self._known[it] for it in interfaces)

    def _looked(self, interfaces: Sequence[Interface]) -> tuple[InterfaceForm, ...]:
        """Ask about all at once; where that breaks the reader, find out whose fault it is."""
        try:
            return self._asked(interfaces)
        except ChildFailedError as error:
            if len(interfaces) == 1:
                return (InterfaceForm(by="", problem=f"cannot be read: it {error}"),)
            return tuple(form for it in interfaces for form in self._looked([it]))

    def _asked(self, interfaces: Sequence[Interface]) -> tuple[InterfaceForm, ...]:
        task = json.dumps(msgspec.to_builtins(tuple(interfaces))).encode()
        has_api = any(it.kind is InterfaceKind.OPENAPI for it in interfaces)
        need = InterfaceKind.OPENAPI.encode() if has_api else b""
        try:
            said = json.loads(self._readers.converse(task, lambda _: b"", lambda _: need))
            found = msgspec.convert(said, tuple[InterfaceForm, ...])
        except (ValueError, RecursionError, msgspec.MsgspecError):
            raise ChildFailedError("confuses its reader") from None
        if len(found) != len(interfaces):
            raise ChildFailedError("confuses its reader")
        return found

    async def looked(self, interfaces: Sequence[Interface]) -> tuple[InterfaceForm, ...]:
        """Parse interfaces beside whatever else is going on."""
        return await finish_in_thread(self.parse, interfaces)

    async def read(self, commit: CommitSha, paths: Sequence[str]) -> Mapping[str, str | None]:
        """Read files of a commit; None where there is none."""
        return await finish_in_thread(self._read, commit, paths)

    def _read(self, commit: CommitSha, paths: Sequence[str]) -> dict[str, str | None]:
        return {path: self._text(commit, path) for path in paths}

    def _text(self, commit: CommitSha, path: str) -> str | None:
        """Read a file; one that is no text is there, and says nothing."""
        if self._project is None:
            return None
        try:
            return self._project().repository.read(commit, path)
        except InvalidInput:
            return ""


def open_interface_parser(project: Callable[[], SliceProject]) -> ConfinedInterfaceParser:
    """Open the parser of a project's interfaces."""
    return ConfinedInterfaceParser(project)
