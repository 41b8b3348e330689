"""The approval policy in front of a landing: what each level demands, over restarts and weeks."""

import asyncio
from collections.abc import Callable
from datetime import time, timedelta

import pytest
from tests.integration.engine.conftest import OpenKernel
from tests.support.kernel import PERSON, Kernel, flow, stop, work

from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.quiet_hours import WEEK, QuietHours, QuietWindow
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.approvals.conditions import RiskCondition, read_condition
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    ConditionMatch,
    OwnFact,
    RiskLevel,
)
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.inbox_commands import Approve, Comment, EditChange, Migrate, Reject
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ForkPoint, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ChangeFacts, FactsCase
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.store.shapes import from_json, to_json
from supervisor_ai.testing.fake_examiner import FakeExaminer
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says

DONE = says(AnswerKind.IMPLEMENTATION)
SAFE = {"changes_supervisor_settings": False}


def condition(text: str, *own: str) -> RiskCondition:
    read = read_condition(text, frozenset(own))
    assert isinstance(read, RiskCondition)
    return read


def level(name: RiskLevel, action: ApprovalAction, *conditions: RiskCondition) -> ApprovalLevel:
    return ApprovalLevel(
        level=name,
        conditions=conditions,
        action=action,
        match=ConditionMatch.ALL,
        timeout=timedelta(minutes=30),
        channels=("slack",),
    )


LOW = level(RiskLevel.LOW, ApprovalAction.AUTO_APPROVE, condition("file_count < 3"))
MEDIUM = level(RiskLevel.MEDIUM, ApprovalAction.NOTIFY_AND_TIMEOUT, condition("file_count < 10"))
HIGH = level(RiskLevel.HIGH, ApprovalAction.REQUIRE_APPROVAL, condition("changes_auth_code"))
POLICY = ApprovalPolicy(levels=(HIGH, MEDIUM, LOW))


def under(policy: ApprovalPolicy | None, *, human: bool = False) -> Definition:
    commit = replace(stop("commit", StepKind.COMMIT), human_approval=human)
    return replace(flow(work("build"), stop("test", StepKind.GATE), commit), approvals=policy)


def build(request: WorkerRequest) -> FakeReply:
    return FakeReply(output=DONE, files={"built.txt": f"visit {request.visit}"})


def known(kernel: Kernel, **facts: float | bool | None) -> None:
    """Let these facts be known of every change."""
    told = (Fact(name=name, value=value) for name, value in {**SAFE, **facts}.items())
    kernel.fakes.examiner.known = ChangeFacts(facts=tuple(told))


def landed(kernel: Kernel, run: RunId) -> bool:
    return bool(kernel.events(run, e.IntegrationLanded))


def question(kernel: Kernel, run: RunId) -> e.ApprovalRequested:
    asked = kernel.play(run).run.approval
    assert asked is not None
    return asked


def yes(asked: e.ApprovalRequested) -> Approve:
    return Approve(step=asked.step, visit=asked.visit, tree=asked.tree)


def no(kernel: Kernel, asked: e.ApprovalRequested) -> Reject:
    note = kernel.world.artifacts.put("Not like that.")
    return Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)


def test_without_a_policy_nothing_is_assessed(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    run = kernel.submit(under(None))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert kernel.events(run, e.AssessmentStarted) == []


def test_a_small_change_lands_by_itself_and_says_why(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    known(kernel, file_count=1, changes_auth_code=False)
    run = kernel.submit(under(POLICY))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    (assessed,) = kernel.events(run, e.ChangeAssessed)
    assert assessed.assessment.because == ("file_count < 3",)
    assert landed(kernel, run)


def test_what_a_person_must_see_waits_for_them(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    known(kernel, file_count=1, changes_auth_code=True)
    run = kernel.submit(under(POLICY))
    assert kernel.drive(run).status is RunStatus.WAITING
    asked = question(kernel, run)
    assert asked.assessment is not None
    assert (asked.assessment.level, asked.assessment.because) == (
        RiskLevel.HIGH,
        ("changes_auth_code",),
    )
    assert not landed(kernel, run)
    kernel.fakes.clock.advance(timedelta(weeks=5))
    assert kernel.drive(run, world=kernel.process()).status is RunStatus.WAITING
    kernel.send(run, "yes", yes(asked))
    assert kernel.drive(run, world=kernel.process()).status is RunStatus.COMPLETED
    assert landed(kernel, run)


def test_what_nobody_knows_is_taken_for_a_risk(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    known(kernel, file_count=1, changes_auth_code=None)
    run = kernel.submit(under(POLICY))
    assert kernel.drive(run).status is RunStatus.WAITING
    found = question(kernel, run).assessment
    assert found is not None
    assert found.because == ("changes_auth_code (not known)",)


def test_a_rejected_change_is_assessed_anew(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    known(kernel, file_count=1, changes_auth_code=True)
    run = kernel.submit(under(POLICY))
    kernel.drive(run)
    first = question(kernel, run)
    kernel.send(run, "no", no(kernel, first))
    assert kernel.drive(run).status is RunStatus.WAITING
    second = question(kernel, run)
    assert second.tree != first.tree
    assert len(kernel.events(run, e.ChangeAssessed)) == 2
    kernel.send(run, "old", yes(first))
    kernel.drive(run)
    assert not landed(kernel, run)
    assert kernel.events(run, e.CommandRefused)


def test_a_comment_is_not_lost_because_a_person_edits_the_files(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    known(kernel, file_count=1, changes_auth_code=True)
    run = kernel.submit(under(POLICY))
    kernel.drive(run)
    asked, workspaces = question(kernel, run), kernel.fakes.workspaces
    step, visit, tree = asked.step, asked.visit, asked.tree
    text = kernel.world.artifacts.put("Why is it built at all?")
    comment = Comment(step=step, visit=visit, tree=tree, file="built.txt", line=1, text=text)
    kernel.send(run, "comment", comment)
    made = workspaces.commit({"built.txt": "mine"}, parent=asked.commit)
    edited = Snapshot(commit=made, tree=workspaces.tree(made))
    kernel.send(run, "edit", EditChange(step=step, visit=visit, tree=tree, edited=edited))
    kernel.drive(run)
    again = question(kernel, run)
    assert again.tree == edited.tree
    kernel.send(run, "no", no(kernel, again))
    kernel.drive(run)
    assert "Why is it built at all?" in kernel.fakes.worker.requests[-1].prompt
    kernel.send(run, "no again", no(kernel, question(kernel, run)))
    kernel.drive(run)
    assert "Why is it built at all?" not in kernel.fakes.worker.requests[-1].prompt


def test_a_step_that_asks_anyway_does_not_ask_twice(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    known(kernel, file_count=1, changes_auth_code=True)
    run = kernel.submit(under(POLICY, human=True))
    kernel.drive(run)
    kernel.send(run, "yes", yes(question(kernel, run)))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.ApprovalRequested)) == 1


def test_a_step_that_asks_is_not_silenced_by_a_policy_that_does_not(
    open_kernel: OpenKernel,
) -> None:
    kernel = open_kernel(build)
    known(kernel, file_count=1, changes_auth_code=False)
    run = kernel.submit(under(ApprovalPolicy(levels=(LOW,)), human=True))
    assert kernel.drive(run).status is RunStatus.WAITING
    assert not landed(kernel, run)


class TestObjections:
    """`notify_and_timeout`: it lands if nobody objects in time."""

    def told(self, kernel: Kernel, definition: Definition | None = None) -> RunId:
        known(kernel, file_count=5, changes_auth_code=False)
        run = kernel.submit(definition or under(ApprovalPolicy(levels=(MEDIUM,))))
        assert kernel.drive(run).status is RunStatus.WAITING
        return run

    def test_nobody_objects(self, open_kernel: OpenKernel) -> None:
        kernel = open_kernel(build)
        run = self.told(kernel)
        kernel.fakes.clock.advance(timedelta(minutes=29))
        assert kernel.drive(run).status is RunStatus.WAITING
        kernel.fakes.clock.advance(timedelta(minutes=1))
        assert kernel.drive(run, world=kernel.process()).status is RunStatus.COMPLETED
        assert len(kernel.events(run, e.ApprovalLapsed)) == 1
        assert landed(kernel, run)

    def test_an_objection_in_time_wins_also_when_it_is_read_late(
        self, open_kernel: OpenKernel
    ) -> None:
        kernel = open_kernel(build)
        run = self.told(kernel)
        kernel.send(run, "no", no(kernel, question(kernel, run)))
        kernel.fakes.clock.advance(timedelta(hours=9))
        assert kernel.drive(run).status is RunStatus.WAITING
        assert kernel.events(run, e.ApprovalLapsed) == []
        assert not landed(kernel, run)

    def test_a_yes_need_not_wait_for_the_time(self, open_kernel: OpenKernel) -> None:
        kernel = open_kernel(build)
        run = self.told(kernel)
        kernel.send(run, "yes", yes(question(kernel, run)))
        assert kernel.drive(run).status is RunStatus.COMPLETED
        assert kernel.play(run).run.timers == {}

    def test_without_a_notice_somebody_has_to_agree(self, open_kernel: OpenKernel) -> None:
        kernel = open_kernel(build)
        kernel.fakes.notifier.broken.add("slack")
        run = self.told(kernel)
        assert len(kernel.events(run, e.NotificationFailed)) == 1
        kernel.fakes.clock.advance(timedelta(days=30))
        assert kernel.drive(run).status is RunStatus.WAITING
        found = question(kernel, run).assessment
        assert found is not None
        assert found.action is ApprovalAction.REQUIRE_APPROVAL

    def test_time_stands_still_in_quiet_hours(self, open_kernel: OpenKernel) -> None:
        kernel = open_kernel(build)
        now = kernel.fakes.clock.now()
        begin = (now + timedelta(minutes=10)).time()
        end = (now + timedelta(minutes=10, hours=2)).time()
        window = QuietWindow(days=WEEK, start=time(begin.hour, begin.minute), end=end)
        quiet = QuietHours(windows=(window,))
        definition = replace(under(ApprovalPolicy(levels=(MEDIUM,))), quiet_hours=quiet)
        run = self.told(kernel, definition)
        kernel.fakes.clock.advance(timedelta(hours=2))
        assert kernel.drive(run).status is RunStatus.WAITING
        kernel.fakes.clock.advance(timedelta(minutes=30))
        assert kernel.drive(run).status is RunStatus.COMPLETED

    def test_nobody_is_told_in_quiet_hours(self, open_kernel: OpenKernel) -> None:
        kernel = open_kernel(build)
        now = kernel.fakes.clock.now()
        begin, end = (now - timedelta(hours=1)).time(), (now + timedelta(hours=2)).time()
        window = QuietWindow(days=WEEK, start=time(begin.hour, begin.minute), end=end)
        definition = replace(
            under(ApprovalPolicy(levels=(MEDIUM,))), quiet_hours=QuietHours(windows=(window,))
        )
        run = self.told(kernel, definition)
        assert kernel.events(run, e.NotificationStarted) == []
        kernel.fakes.clock.advance(timedelta(hours=2))
        assert kernel.drive(run, world=kernel.process()).status is RunStatus.WAITING
        assert len(kernel.events(run, e.NotificationDelivered)) == 1
        kernel.fakes.clock.advance(timedelta(minutes=30))
        assert kernel.drive(run).status is RunStatus.COMPLETED


def test_a_fact_of_ones_own_comes_from_a_gate(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    known(kernel, file_count=1)
    fussy = level(
        RiskLevel.HIGH, ApprovalAction.REQUIRE_APPROVAL, condition("test_is_green", "test_is_green")
    )
    own = {"test_is_green": OwnFact(gate="test", verdicts=("passed",))}
    run = kernel.submit(under(ApprovalPolicy(levels=(fussy, LOW), facts=own)))
    assert kernel.drive(run).status is RunStatus.WAITING
    facts = {it.name: it.value for it in kernel.events(run, e.ChangeAssessed)[0].facts}
    assert facts["test_is_green"] is True
    assert facts["test_coverage"] is None


def test_another_policy_assesses_anew(open_kernel: OpenKernel) -> None:
    kernel = open_kernel(build)
    known(kernel, file_count=1, changes_auth_code=True)
    run = kernel.submit(under(POLICY))
    kernel.drive(run)
    stricter = replace(HIGH, match=ConditionMatch.ANY, approvers=("tech_lead",))
    other = kernel.world.documents.save(under(ApprovalPolicy(levels=(stricter,))))
    asked = question(kernel, run)
    kernel.send(run, "migrate", Migrate(definition=other))
    kernel.send(run, "yes", yes(asked))
    assert kernel.drive(run).status is RunStatus.WAITING
    assert kernel.events(run, e.DefinitionMigrated)
    assert len(kernel.events(run, e.ChangeAssessed)) == 2
    assert not landed(kernel, run)


@pytest.mark.parametrize("policy", [POLICY, ApprovalPolicy(levels=(LOW,), facts={})])
def test_a_policy_is_pinned_as_it_is(policy: ApprovalPolicy) -> None:
    definition = under(policy)
    assert from_json(to_json(definition), Definition) == definition


class TestVoided:
    """What was said about a change counts no more."""

    def insists(self, request: WorkerRequest) -> FakeReply:
        del request
        return FakeReply(output=DONE, files={"built.txt": "the same again"})

    def test_nobodys_silence_lets_files_land_that_somebody_objected_to(
        self, open_kernel: OpenKernel
    ) -> None:
        kernel = open_kernel(self.insists)
        known(kernel, file_count=5, changes_auth_code=False)
        run = kernel.submit(under(ApprovalPolicy(levels=(MEDIUM,))))
        kernel.drive(run)
        objected = question(kernel, run)
        kernel.fakes.clock.advance(timedelta(minutes=29))
        kernel.send(run, "no", no(kernel, objected))
        assert kernel.drive(run).status is RunStatus.WAITING
        kernel.fakes.clock.advance(timedelta(days=30))
        assert kernel.drive(run).status is RunStatus.WAITING
        again = question(kernel, run)
        assert again.tree == objected.tree
        assert again.assessment is not None
        assert again.assessment.action is ApprovalAction.REQUIRE_APPROVAL
        kernel.send(run, "yes", yes(again))
        assert kernel.drive(run).status is RunStatus.COMPLETED

    def test_an_assessment_under_the_policy_of_before_counts_no_more(
        self, open_kernel: OpenKernel
    ) -> None:
        kernel = open_kernel(build)
        looser, stricter = ApprovalPolicy(levels=(LOW,)), replace(HIGH, match=ConditionMatch.ANY)
        other = kernel.world.documents.save(under(ApprovalPolicy(levels=(stricter,))))
        run = kernel.submit(under(looser))
        slow = SlowExaminer(lambda: kernel.send(run, "migrate", Migrate(definition=other)))
        kernel.fakes.examiner = slow
        known(kernel, file_count=1, changes_auth_code=True)
        assert kernel.drive(run, world=kernel.process()).status is RunStatus.WAITING
        types = kernel.types(run)
        assert types.index("AssessmentStarted") < types.index("DefinitionMigrated")
        assert types.index("DefinitionMigrated") < types.index("ChangeAssessed")
        assert not landed(kernel, run)

    def test_a_fork_is_another_run_that_nobody_has_agreed_to(self, open_kernel: OpenKernel) -> None:
        kernel = open_kernel(self.insists)
        known(kernel, file_count=1, changes_auth_code=True)
        definition = replace(
            flow(work("build"), stop("commit", StepKind.COMMIT), stop("land", StepKind.COMMIT)),
            approvals=POLICY,
        )
        run = kernel.submit(definition)
        kernel.drive(run)
        kernel.send(run, "yes", yes(question(kernel, run)))
        assert kernel.drive(run).status is RunStatus.COMPLETED
        entered = [at.version for at in kernel.envelopes(run) if at.type == "StepEntered"]
        forked = fork(kernel, run, entered[-1])
        assert kernel.drive(forked).status is RunStatus.WAITING
        assert not landed(kernel, forked)


class SlowExaminer(FakeExaminer):
    """An examiner that is so slow that something happens meanwhile."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self._meanwhile = [meanwhile]

    async def facts(self, case: FactsCase) -> ChangeFacts:  # type: ignore[explicit-override]
        """Take a while the first time."""
        while self._meanwhile:
            self._meanwhile.pop()()
            await asyncio.sleep(2)
        return await super().facts(case)


def fork(kernel: Kernel, run: RunId, version: int) -> RunId:
    """Begin another run with what happened so far."""
    made = kernel.world.ids.run_id()
    birth = replace(
        kernel.play(run).run.birth,
        root=made,
        branch=f"ai/{made}",
        fork=ForkPoint(run=run, version=version),
    )
    new = NewEvent(event=birth, actor=PERSON)
    append = StreamAppend(stream=run_stream(made), expected=0, events=(new,))
    kernel.world.log.append(Batch(appends=(append,)))
    return made
