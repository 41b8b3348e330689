"""What is seen of a worker while it runs."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.live_output import LiveOutput
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.monitor import SilentMonitor
from supervisor_ai.engine.ports.sandbox import Channel, OutputSink, SandboxEnd, SandboxResult
from supervisor_ai.engine.ports.workers import (
    Observation,
    ToolCalled,
    UsageSeen,
    WorkerFinished,
    WorkerReport,
    WorkerRequest,
    WorkerRetried,
    WorkerSaid,
    WorkerStarted,
    unobserved,
)
from supervisor_ai.engine.worker_observation import describe
from supervisor_ai.testing.fake_worker import NONCE
from supervisor_ai.testing.world import says

ONCE = flow(replace(work("build"), max_retries=0))
RESET = datetime(2030, 1, 1, tzinfo=UTC)
DONE = SandboxResult(end=SandboxEnd.EXITED, exit_code=0, reason="It ended.")


@pytest.mark.parametrize(
    ("observation", "words"),
    [
        (WorkerStarted(session="s", model="opus"), "[started with opus]\n"),
        (WorkerStarted(), "[started]\n"),
        (WorkerSaid(text='Done.\n```json\n{"nonce": "n", "status": "SUCCESS"}\n```'), "Done.\n\n"),
        (WorkerSaid(text='{"status": "SUCCESS", "nonce": "n"}'), ""),
        (WorkerSaid(text='```json\n{"a": 1}\n```'), '```json\n{"a": 1}\n```\n'),
        (WorkerSaid(text="I look."), "I look.\n"),
        (WorkerSaid(text=" "), ""),
        (ToolCalled(name="Edit", detail="a.py"), "[Edit: a.py]\n"),
        (ToolCalled(name="Bash"), "[Bash]\n"),
        (
            WorkerRetried(attempt=2, reason="overloaded", after=timedelta(seconds=1)),
            "[tries to reach its model again, 2: overloaded]\n",
        ),
        (UsageSeen(usage=Usage(tokens_in=1)), ""),
        (WorkerFinished(message="done"), "[done]\n"),
        (WorkerFinished(message=""), ""),
    ],
)
def test_an_observation_in_words(observation: Observation, words: str) -> None:
    assert describe(observation) == words
    unobserved(observation)


class Watcher(SilentMonitor):
    """Somebody who watches."""

    def __init__(self) -> None:
        self.seen = ""

    def output(self, output: LiveOutput) -> None:  # type: ignore[explicit-override]
        self.seen += output.text


class Talker:
    """A worker that speaks in records, and is understood."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        self._diagnosis = diagnosis

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        request.on_observation(WorkerStarted(model="opus"))
        on_output(Channel.STDOUT, b'{"type":"text","text":"Hi \x1b[31m"}\n')
        request.on_observation(WorkerSaid(text="Hi \x1b[31mthere"))
        request.on_observation(UsageSeen(usage=Usage()))
        output = says(AnswerKind.IMPLEMENTATION).replace(NONCE, request.nonce)
        return WorkerReport(result=DONE, output=output, diagnosis=self._diagnosis)


def drive(diagnosis: Diagnosis) -> tuple[Kernel, RunId, Watcher]:
    kernel, watcher = Kernel(None), Watcher()
    worker = Talker(diagnosis)
    world = replace(kernel.world, workers=lambda _adapter: worker, monitor=watcher)
    run = kernel.submit(ONCE)
    kernel.drive(run, world=world)
    return kernel, run, watcher


def test_whoever_watches_sees_words_and_the_records_are_kept() -> None:
    kernel, run, watcher = drive(Diagnosis(message="All is well."))
    assert watcher.seen == "[started with opus]\nHi there\n"
    (done,) = kernel.events(run, e.AttemptSucceeded)
    assert '"type":"text"' in kernel.world.artifacts.get(done.transcript)


def test_a_diagnosis_is_why_an_attempt_failed_whatever_the_exit_code() -> None:
    diagnosis = Diagnosis(
        message="The limit is reached.",
        category=FailureCategory.LIMIT,
        action=Action.PARK,
        reset_at=RESET,
    )
    kernel, run, _ = drive(diagnosis)
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert (failed.category, failed.action, failed.reset_at) == (
        FailureCategory.LIMIT,
        Action.PARK,
        RESET,
    )
    assert failed.ended_at is not None
    assert not diagnosis.has_succeeded
    (timer,) = kernel.events(run, e.TimerSet)
    assert timer.parks
    assert timedelta() <= timer.due - RESET <= timedelta(minutes=1)
    assert kernel.status(run) is RunStatus.WAITING
