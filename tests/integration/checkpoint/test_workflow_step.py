"""A checkpoint as a step of a workflow: it looks at the run's own record."""

import pytest
from tests.support.checkpoint_scene import judges
from tests.support.kernel import CLI, Kernel, flow, work
from tests.support.mortal_log import MortalLog

from supervisor_ai.domain.ids import RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord
from supervisor_ai.domain.run.definition import Definition, Role, Step
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.checks.catalogue import spec_of
from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, CheckSpec
from supervisor_ai.drivers.checkpoint.decisions.workflow_step import CheckpointStep, encode
from supervisor_ai.drivers.checkpoint.kinds import CHECKPOINT, JUDGE, OF_JUDGE
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, read_report
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says


def heading(path: str, words: str) -> CheckSpec:
    return CheckSpec(
        id=words.lower(),
        rule="contains_heading",
        title=words,
        group=CheckGroup.PROCESS,
        params={"path": path, "heading": words},
    )


GOOD = (heading("record/plan.md", "Tasks"), spec_of("role_errors"), spec_of("artifacts_exist"))
BAD = (heading("record/plan.md", "Poems"), heading("record/plan.md", "Songs"))
ASKED = (spec_of("decisions_agree"),)


def checked(*checks: CheckSpec, off: str = "", role: str | None = None) -> Definition:
    own = CheckpointStep(checkpoint="CHECKPOINT-003", checks=checks, off=off)
    step = Step(
        name=StepName("supervise"),
        kind=CHECKPOINT,
        particulars=encode(own),
        role=role,
        on_reject=StepName("plan"),
        max_retries=0 if role else None,
    )
    made = flow(work("plan", AnswerKind.PLAN), step, work("build"))
    judge = Role(
        name=JUDGE,
        description="",
        answer=OF_JUDGE,
        writes=False,
        cli=CLI.name,
        template="",
        is_optional=True,
    )
    return replace(made, roles={**made.roles, JUDGE: judge})


def team(request: WorkerRequest) -> FakeReply:
    if request.role == JUDGE:
        return judges()(request)
    if request.role == AnswerKind.PLAN:
        parts = [{"id": "T1", "title": "One", "files": ["a.py"]}]
        phases = [{"id": "P1", "title": "First", "components": parts}]
        return FakeReply(output=says(AnswerKind.PLAN, phases=phases))
    return FakeReply(output=says(AnswerWord(request.role)))


def driven(definition: Definition) -> tuple[Kernel, RunId]:
    kernel = Kernel(None, agent=team)
    run = kernel.submit(definition)
    kernel.drive(run)
    return kernel, run


def report_of(kernel: Kernel, run: RunId) -> CheckpointReport:
    [written] = kernel.events(run, k.ReportWritten)
    found = read_report(kernel.world.artifacts.get(written.report))
    assert isinstance(found, CheckpointReport)
    return found


def test_a_checkpoint_that_passes_lets_the_run_go_on() -> None:
    kernel, run = driven(checked(*GOOD))
    assert kernel.status(run) is RunStatus.COMPLETED
    found = report_of(kernel, run)
    assert found.verdict == "pass"
    assert found.scope == ("plan",)
    assert [it.path for it in found.artifacts] == [
        "record/task.md",
        "record/steps.md",
        "record/changes.md",
        "record/plan.md",
    ]


def test_a_worker_is_asked_where_the_record_does_not_decide() -> None:
    kernel, run = driven(checked(*ASKED, role=JUDGE))
    assert kernel.status(run) is RunStatus.COMPLETED
    assert report_of(kernel, run).score.text == "1.00"
    asked = [it for it in kernel.fakes.worker.requests if it.role == JUDGE]
    assert len(asked) == 1
    assert "record/plan.md:1: # plan" in asked[0].prompt


def test_without_a_worker_it_warns_and_goes_on() -> None:
    kernel, run = driven(checked(*ASKED))
    assert kernel.status(run) is RunStatus.COMPLETED
    assert report_of(kernel, run).verdict == "warn"


def test_supervision_that_is_off_skips_the_step_and_says_why() -> None:
    kernel, run = driven(checked(*BAD, off="Supervision is switched off in the config."))
    assert kernel.status(run) is RunStatus.COMPLETED
    [skipped] = kernel.events(run, e.StepSkipped)
    assert skipped.reason == "Supervision is switched off in the config."


def blocked() -> tuple[Kernel, RunId, e.ApprovalRequested]:
    kernel, run = driven(checked(*BAD))
    assert kernel.status(run) is RunStatus.WAITING
    [asked] = kernel.events(run, e.ApprovalRequested)
    assert (asked.reason, asked.step, asked.needs_reason) == ("checkpoint", "supervise", True)
    return kernel, run, asked


def test_a_block_that_a_person_overrides_lets_the_run_go_on() -> None:
    kernel, run, asked = blocked()
    note = kernel.world.artifacts.put("Fine.")
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree, note=note))
    kernel.drive(run)
    assert kernel.status(run) is RunStatus.COMPLETED
    [given] = kernel.events(run, e.ApprovalGiven)
    assert given.note == note


def test_a_block_that_a_person_rejects_goes_back_with_the_words() -> None:
    kernel, run, asked = blocked()
    note = kernel.world.artifacts.put("Plan it again.")
    kernel.send(run, "no", Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=note))
    kernel.drive(run)
    plans = [it for it in kernel.fakes.worker.requests if it.role == AnswerKind.PLAN]
    assert len(plans) == 2
    assert "Plan it again." in plans[1].prompt
    assert len(kernel.events(run, e.ApprovalRequested)) == 2
    texts = [kernel.world.artifacts.get(it.report) for it in kernel.events(run, k.ReportWritten)]
    assert [it.split("\n")[4] for it in texts] == ["- Number: 1", "- Number: 2"]


def with_death(dies_at: int, *, is_late: bool) -> tuple[Kernel, RunId, MortalLog]:
    kernel = Kernel(None, agent=team)
    run = kernel.submit(checked(*ASKED, role=JUDGE))
    log = MortalLog(kernel.world.log, dies_at, is_late=is_late)
    try:
        kernel.drive(run, world=replace(kernel.world, log=log))
    except KeyboardInterrupt:
        kernel.kill(1)
        kernel.world = kernel.process()
        kernel.drive(run)
    return kernel, run, log


@pytest.mark.parametrize("is_late", [False, True], ids=["before", "after"])
def test_death_at_every_write_leads_to_the_same_report(*, is_late: bool) -> None:
    whole, run, log = with_death(10**6, is_late=False)
    expected = report_of(whole, run)
    for dies_at in range(1, log.writes + 1):
        kernel, again, _ = with_death(dies_at, is_late=is_late)
        assert kernel.status(again) is RunStatus.COMPLETED, dies_at
        assert report_of(kernel, again) == expected, dies_at
