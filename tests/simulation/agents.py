"""Workers, gates and their words in the simulated world."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

from tests.simulation.jobs import Jobs, Tag
from tests.simulation.kanbans import AGENTS, Assigned, agent_deed, forbidden, mark_of, told
from tests.simulation.processes import SimProcess
from tests.simulation.scripts import Deed, Script

from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader
from supervisor_ai.domain.ids import run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import MEANINGS, AnswerWord
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.drivers.kanban.kinds import OF_AGENT, OF_MANAGER
from supervisor_ai.engine.ports.ledger import EventLog
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    OutputSink,
    Probe,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workers import (
    Answer,
    AnswerProblem,
    WorkerReport,
    WorkerRequest,
)
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.testing.fake_worker import NONCE

WriteFile = Callable[[Workspace, str, str], None]
ReadFiles = Callable[[Workspace], Mapping[str, str]]
_OF_KANBANS: Final = frozenset({OF_AGENT, OF_MANAGER})


class SimWorker:
    """An agent that follows the script, as one process starts it."""

    def __init__(
        self,
        jobs: Jobs,
        process: SimProcess,
        script: Script,
        log: EventLog,
        files: tuple[ReadFiles, WriteFile],
    ) -> None:
        self._jobs = jobs
        self._process = process
        self._script = script
        self._log = log
        self._read, self._write = files

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        """Do what the script says for this turn."""
        deed = self._deed(request, self._turn(request))

        def write(name: str, text: str) -> None:
            self._write(request.workspace, name, text)

        result = await self._jobs.perform(
            self._process, Tag(request.label, request.fence), deed, write
        )
        for path in forbidden(request.role, deed):
            complaint = f"cannot create {path}: Read-only file system\n"
            on_output(Channel.STDERR, complaint.encode())
        output = deed.output.replace(NONCE, request.nonce)
        on_output(Channel.STDOUT, output.encode())
        return WorkerReport(result=result, output=output)

    def _deed(self, request: WorkerRequest, turn: int) -> Deed:
        step, visit = request.step, request.visit
        if request.role not in AGENTS:
            kind = AnswerWord(request.role)
            return self._script.worker(kind, step=step, visit=visit, turn=turn)
        assigned = Assigned(
            role=request.role,
            told=told(request.prompt),
            files=self._read(request.workspace),
            mark=mark_of(step, visit, turn),
        )
        return agent_deed(self._script.agent(step=step, visit=visit, turn=turn), assigned)

    def _turn(self, request: WorkerRequest) -> int:
        """Count the turns that came to an end: a lost one is played again."""
        place = (request.step, request.visit, request.slot)
        return sum(
            (event.step, event.visit, event.slot) == place
            for envelope in self._log.read(run_stream(request.run))
            if isinstance(event := envelope.event, e.AttemptSucceeded | e.AttemptFailed)
        )


class SimSandbox:
    """The sandbox as one process sees it; only gates run in it directly."""

    name = "simulated"

    def __init__(
        self, jobs: Jobs, process: SimProcess, script: Script, files: Callable[[Path], str]
    ) -> None:
        self._jobs = jobs
        self._process = process
        self._script = script
        self._files = files

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        """Do what the script says of the command on these files."""
        deed = self._script.gate(command=spec.argv, files=self._files(spec.cwd))
        result = await self._jobs.perform(
            self._process, Tag(spec.label, spec.fence), deed, _write_nothing
        )
        on_output(Channel.STDOUT, deed.output.encode())
        return result

    async def cpu_time(self, label: str) -> timedelta | None:
        """Tell nothing."""
        del label
        return None

    async def reap(self, prefix: str, *, before: int) -> int:
        """Kill what still lives of earlier owners' commands whose label begins so."""
        return self._jobs.reap(self._process, prefix, before)

    async def probe(self) -> Probe:
        """Prove nothing."""
        return Probe(backend=self.name, version="1", findings=())


def _write_nothing(name: str, text: str) -> None:
    raise AssertionError(f"A gate writes nothing, neither {name!r} nor {text!r}.")


class SimAnswers:
    """Reads answers of one word, and those about a kanban as they are."""

    def read(self, kind: AnswerWord, output: str, *, nonce: str) -> Answer | AnswerProblem:
        """Return what the word means."""
        if kind in _OF_KANBANS:
            return StrictAnswerReader().read(kind, output, nonce=nonce)
        meaning = MEANINGS[kind].get(output)
        if meaning is None:
            return AnswerProblem(category=FailureCategory.PARSING, message="That is no answer.")
        return Answer(said=output, meaning=meaning, document=output, notes=f"Notes on {output}.")
