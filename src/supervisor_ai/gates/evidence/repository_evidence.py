"""Evidence for the engine: a process of its own reads what is hostile, trees are made here."""

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final, TypeVar

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.evidence import Halves, Hollow, ProbeKind, TestProbe
from supervisor_ai.engine.ports.gates import ChangeCase, Unexaminable
from supervisor_ai.gates.commit_reader import CommitReader
from supervisor_ai.gates.evidence.messages import HalvesFound, HollowFound, ProbesFound
from supervisor_ai.gates.reader_messages import ReaderWork, Task
from supervisor_ai.tools.confined_child import ChildFailedError

_WORD: Final = re.compile(rb"[\w-]+")
_LARGEST: Final = 4 * 1024 * 1024
_SCRIPT: Final = (".sh", ".bash", ".zsh", ".ksh")
_FAILING: Final = b"exit 70\n"
"""What is left of a script: one that is merely empty would end well."""

T = TypeVar("T")


class RepositoryEvidence:
    """Takes changes of the trusted repository apart."""

    def __init__(self, reader: CommitReader) -> None:
        self._reader = reader

    async def halves(self, case: ChangeCase, rules: HarnessRules) -> Halves:
        """Tell the harness of a change from its product."""
        task = Task(work=ReaderWork.HALVES, case=case, rules=rules)
        found = await self._done(task, HalvesFound)
        back = await asyncio.to_thread(self._contents, case.base, frozenset(found.restored))
        return Halves(
            files=found.files,
            touches_harness=found.touches_harness,
            touches_product=found.touches_product,
            replay={**back, **dict.fromkeys(found.removed), **found.grafted},
            not_replayed=found.not_replayed,
        )

    async def hollowed(self, case: ChangeCase, rules: HarnessRules, *, whole: bool) -> Hollow:
        """Empty the modules of the product that a change touches, or all of them."""
        task = Task(work=ReaderWork.HOLLOW, case=case, rules=rules, whole=whole)
        found = await self._done(task, HollowFound)
        contents = {path: _blank(path) for path in found.blank} | dict(found.emptied)
        return Hollow(
            contents=contents,
            emptied=tuple(sorted(contents)),
            left=found.left,
            far_tests=found.far_tests,
        )

    async def probes(
        self,
        case: ChangeCase,
        rules: HarnessRules,
        kind: ProbeKind,
        speaking: tuple[str, ...] = (),
    ) -> tuple[TestProbe, ...]:
        """Write tests that ask more than the change's own; none where there is no reason to."""
        task = Task(work=ReaderWork.PROBES, case=case, rules=rules, probe=kind, speaking=speaking)
        found = await self._done(task, ProbesFound)
        far = dict.fromkeys(found.far_tests)
        return tuple(
            replace(
                probe,
                variants=tuple({**far, **each} for each in probe.variants),
                control={**far, **probe.control},
            )
            for probe in found.probes
        )

    async def head_version(
        self, case: ChangeCase, halves: Halves, paths: Collection[str]
    ) -> Mapping[str, bytes | None]:
        """Return what to replay where some files of the harness must be the head's."""
        return await asyncio.to_thread(self._head_version, case, halves, frozenset(paths))

    def _head_version(
        self, case: ChangeCase, halves: Halves, paths: frozenset[str]
    ) -> Mapping[str, bytes | None]:
        added = {path for path, contents in halves.replay.items() if contents is None}
        taken, wanted = set(paths), paths
        while wanted:
            words = set(self._words(case.head, wanted))
            wanted = frozenset(
                path for path in added - taken if PurePosixPath(path).stem.encode() in words
            )
            taken |= wanted
        return {path: it for path, it in halves.replay.items() if path not in taken}

    def _words(self, commit: CommitSha, paths: frozenset[str]) -> Iterator[bytes]:
        for contents in self._contents(commit, paths, largest=_LARGEST).values():
            yield from _WORD.findall(contents)

    async def _done(self, task: Task, kind: type[T]) -> T:
        try:
            return await self._reader.done(task, kind)
        except ChildFailedError as error:
            raise Unexaminable(f"The change could not be taken apart: it {error}.") from None

    def _contents(
        self, commit: CommitSha, paths: frozenset[str], largest: int | None = None
    ) -> dict[str, bytes]:
        if not paths:
            return {}
        files = [file for file in self._reader.commits.list(commit) if file.path in paths]
        small = [file for file in files if largest is None or file.size <= largest]
        return {file.path: contents for file, contents in self._reader.commits.read(small)}


def _blank(path: str) -> bytes:
    return _FAILING if path.endswith(_SCRIPT) else b""
