"""A run whose agents meet setbacks."""

from collections.abc import Iterator
from datetime import datetime

from tests.support.kernel import CLI, Kernel, flow, work

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Cli, Definition, Limits
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import OutputSink, SandboxEnd, SandboxResult
from supervisor_ai.engine.ports.workers import WorkerReport, WorkerRequest
from supervisor_ai.engine.world import World
from supervisor_ai.testing.fake_worker import NONCE
from supervisor_ai.testing.world import says

BUILDER = AnswerKind.IMPLEMENTATION
DONE = SandboxResult(end=SandboxEnd.EXITED, exit_code=0, reason="It ended.")
WELL = Diagnosis(message="All is well.")
BUSY = Diagnosis(message="Busy.", category=FailureCategory.NETWORK, action=Action.RETRY_SAME)
GARBLED = Diagnosis(
    message="Garbled.", category=FailureCategory.PARSING, action=Action.RETRY_WITH_FEEDBACK
)


class Patient:
    """A worker of which is known beforehand what each attempt leads to."""

    def __init__(self, *diagnoses: Diagnosis) -> None:
        self._diagnoses: Iterator[Diagnosis] = iter(diagnoses)
        self.requests: list[WorkerRequest] = []

    @property
    def agents(self) -> list[str]:
        return [request.cli.name for request in self.requests]

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        del on_output
        self.requests.append(request)
        output = says(AnswerKind.IMPLEMENTATION).replace(NONCE, request.nonce)
        return WorkerReport(result=DONE, output=output, diagnosis=next(self._diagnoses))


class Ward:
    """A kernel whose worker has a known future."""

    def __init__(self, definition: Definition, *diagnoses: Diagnosis) -> None:
        self.kernel = Kernel(None)
        self.patient = Patient(*diagnoses)
        self.run: RunId = self.kernel.submit(definition)

    @property
    def world(self) -> World:
        return replace(self.kernel.world, workers=lambda _adapter: self.patient)

    def drive(self) -> RunStatus:
        return self.kernel.drive(self.run, world=self.world).status

    def wait(self) -> RunStatus:
        """Let time pass until the next timer is due."""
        self.kernel.fakes.clock.advance(self.due - self.kernel.fakes.clock.now())
        return self.drive()

    @property
    def due(self) -> datetime:
        return self.kernel.events(self.run, e.TimerSet)[-1].due

    def outcome(self) -> OutcomeKind:
        (failed,) = self.kernel.events(self.run, e.RunFailed)
        return failed.outcome.kind


def definition(*fallback: str, retries: int = 2, **changes: object) -> Definition:
    plain = flow(work("build"), limits=Limits(step_max_retries=retries))
    role = replace(plain.roles[BUILDER], fallback=fallback)
    clis = {name: Cli(name=name, adapter="fake") for name in (CLI.name, *fallback)}
    whole = replace(plain, roles={**plain.roles, BUILDER: role}, clis=clis)
    return replace(whole, **changes)  # type: ignore[arg-type]
