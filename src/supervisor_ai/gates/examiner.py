"""Examiner of changes and of runners' outputs for the engine; all that it is shown is hostile.

Code, settings and answers are read in a process of their own, which can break or be broken without
harm; only the lines of a runner's output, which are few and short, are read here.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.control.registered_kinds import change_gates
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import Finding, GateKind, GateWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import (
    ChangeCase,
    ChangeFacts,
    Examination,
    FactsCase,
    Lack,
    Missing,
    Mutant,
    NewTests,
    Reading,
    ReportQuestion,
    ReportRequest,
    Unexaminable,
)
from supervisor_ai.gates.commit_reader import LIMITS, CommitReader
from supervisor_ai.gates.reader_messages import ReaderWork, ReadReport, Task
from supervisor_ai.tools.confined_child import ChildFailedError
from supervisor_ai.tools.confinement import ProcessLimits

if TYPE_CHECKING:
    from supervisor_ai.gates.evidence.repository_evidence import RepositoryEvidence


class RepositoryExaminer:
    """Looks at commits of the trusted repository, and at nothing else."""

    def __init__(
        self,
        commits: Commits,
        has_commit: Callable[[str], bool],
        limits: ProcessLimits = LIMITS,
        run_files: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self.commits = commits
        self._run_files = run_files
        self.reader = CommitReader(commits, has_commit, limits)

    @cached_property
    def evidence(self) -> "RepositoryEvidence":
        """Return what takes changes apart with the same readers."""
        from supervisor_ai.gates.evidence.repository_evidence import RepositoryEvidence

        return RepositoryEvidence(self.reader)

    def get_ready(self) -> None:
        """Start a reader, unless one waits: it loads while somebody does something else."""
        self.reader.get_ready()

    async def examine(self, kind: GateWord, case: ChangeCase) -> Examination:
        """Look at a change in one of the ways that need no command."""
        gate = change_gates().get(kind)
        if gate is None:
            raise InvalidInput(f"A gate of the kind {kind!r} needs a command to be run.")
        run_files: Mapping[str, str] = {}
        if kind == GateKind.AUTO_RUN_FILES:
            # Asked anew each time: the user's settings may have changed since the run began.
            run_files = await asyncio.to_thread(self._run_files)
        task = Task(work=ReaderWork.LOOK, case=case, look=gate.look, run_files=dict(run_files))
        try:
            return await self.reader.done(task, Examination)
        except ChildFailedError as error:
            return _unreadable(kind, f"it {error}")

    async def report_request(self, question: ReportQuestion) -> ReportRequest:
        """Find out which runners a command leads to; what cannot be read is taken for one."""
        task = Task(work=ReaderWork.REQUEST, question=question)
        try:
            # What is going to be read of the output needs tables, and nobody waits for them here.
            _, found = await asyncio.gather(
                asyncio.to_thread(_know_runners), self.reader.done(task, ReportRequest)
            )
        except ChildFailedError:
            unknown = ("a runner that nobody could look for",)
            return ReportRequest(argv=question.command, root=question.root, runners=unknown)
        return found

    async def read(
        self,
        output: str,
        request: ReportRequest | None = None,
        reports: Mapping[str, bytes] | None = None,
    ) -> Reading:
        """Find out what a runner said, in its output and in the reports that it was asked for."""
        from supervisor_ai.gates.runners.combination import whole_reading, writer
        from supervisor_ai.gates.runners.test_results import read

        if request is None:
            return await asyncio.to_thread(read, output)
        found: dict[str, list[Reading]] = {}
        for name, report in (reports or {}).items():
            runner, is_json = writer(name), name.endswith(".json")
            if runner is None:
                continue
            task = Task(work=ReaderWork.REPORT, report=report, root=request.root, is_json=is_json)
            with suppress(Unexaminable):
                reading = await self._report(task)
                found.setdefault(runner, []).append(reading)
        said = await asyncio.to_thread(read, output, root=request.root, reported=found)
        return whole_reading(said, list(chain.from_iterable(found.values())), request)

    async def read_report(self, report: bytes) -> Reading:
        """Find out what a JUnit XML report says."""
        return await self._report(Task(work=ReaderWork.REPORT, report=report))

    async def _report(self, task: Task) -> Reading:
        try:
            said = await self.reader.done(task, ReadReport)
        except ChildFailedError as error:
            raise Unexaminable(f"it {error}") from None
        if said.fault is not None:
            raise Unexaminable(said.fault)
        return said.reading

    async def lacks(self, commit: CommitSha, missing: tuple[Missing, ...]) -> tuple[Lack, ...]:
        """Find out what of the missing parts belongs to the surroundings of a project."""
        from supervisor_ai.gates.surroundings import find_lacks

        return await asyncio.to_thread(find_lacks, self.commits, commit, missing)

    async def new_tests(self, case: ChangeCase) -> NewTests:
        """Find the tests that a change adds or alters; none where they cannot be read."""
        try:
            found = await self.reader.done(Task(work=ReaderWork.NEW_TESTS, case=case), NewTests)
        except ChildFailedError:
            return NewTests()
        contents = await asyncio.to_thread(self._contents, case.head, frozenset(found.contents))
        return replace(found, contents=contents)

    async def mutants(self, case: ChangeCase, *, limit: int) -> tuple[Mutant, ...]:
        """Put small faults into the lines that a change touches, spread over all of them."""
        task = Task(work=ReaderWork.MUTANTS, case=case, limit=limit)
        try:
            return await self.reader.done(task, tuple[Mutant, ...])
        except ChildFailedError as error:
            raise Unexaminable(f"The change could not be looked at: it {error}.") from None

    async def facts(self, case: FactsCase) -> ChangeFacts:
        """Find out what is known of a change; where nobody could look, nothing is."""
        from supervisor_ai.gates.facts.known_facts import nothing_known

        try:
            return await self.reader.done(Task(work=ReaderWork.FACTS, facts=case), ChangeFacts)
        except ChildFailedError as error:
            return nothing_known(case, f"the change could not be looked at: it {error}")

    def _contents(self, commit: CommitSha, paths: frozenset[str]) -> dict[str, bytes | None]:
        files = [file for file in self.commits.list(commit) if file.path in paths]
        read = {file.path: contents for file, contents in self.commits.read(files)}
        return {path: read.get(path) for path in sorted(paths)}


@cache
def _know_runners() -> None:
    """Load and compile what outputs of runners are read with."""
    from supervisor_ai.gates.runners.test_results import read

    read("a line that no runner prints")


def _unreadable(kind: GateWord, reason: str) -> Examination:
    """Say that nobody could look: what cannot be read is never taken for good."""
    message = f"The change could not be looked at ({kind}): {reason}."
    return Examination(
        findings=(Finding(rule="unreadable", message=message),),
        summary="The change could not be looked at.",
    )
