"""What the files of a commit import, found out by a process of its own."""

import json
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.tools.confined_child import ChildFailedError, ConfinedReaders
from supervisor_ai.tools.confinement import ProcessLimits

READER: Final = "supervisor_ai.context.code.import_reader"
LIMITS: Final = ProcessLimits(memory=1 << 30, cpu=60, wall=300.0, speech=16 << 20)
_LARGEST: Final = 1 << 20
ImportsOfFiles = dict[str, tuple[tuple[str, tuple[str, ...], bool], ...]]
"""What each file imports: its name, the files behind it, and whether a package has it."""


class ConfinedImports:
    """Has imports read where hostile code does no harm."""

    def __init__(self, project: Callable[[], SliceProject]) -> None:
        self._project = project
        self._readers = ConfinedReaders(READER, LIMITS)

    def paths(self, commit: CommitSha) -> tuple[str, ...]:
        """List the files of a commit."""
        return self._project().repository.list(commit, "")

    def imports(
        self, commit: CommitSha, wanted: Sequence[str], planned: Sequence[str]
    ) -> ImportsOfFiles:
        """Say what files of a commit import; files that are only planned are empty."""
        present = self.paths(commit)
        task = {"paths": sorted({*present, *planned}), "wanted": sorted(wanted)}
        known = frozenset(present)

        def answer(question: bytes) -> bytes:
            path = json.loads(question)
            return self.text(commit, path).encode() if path in known else b""

        try:
            said = self._readers.converse(json.dumps(task).encode(), answer)
            return msgspec.convert(json.loads(said), ImportsOfFiles)
        except ChildFailedError as error:
            raise Unavailable(f"The imports could not be read: the code {error}.") from error
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise Unavailable("The imports could not be read: the code confuses.") from error

    def text(self, commit: CommitSha, path: str) -> str:
        """Return a file of a commit, as far as it is read; nothing where it is no text."""
        try:
            text = self._project().repository.read(commit, path)
        except InvalidInput:
            return ""
        return (text or "")[:_LARGEST]


def open_imports(project: Callable[[], SliceProject]) -> ConfinedImports:
    """Open the imports of a project's files."""
    return ConfinedImports(project)
