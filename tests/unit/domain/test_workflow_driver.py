"""The workflow driver: given events, then a decision."""

from datetime import UTC, datetime, timedelta

import pytest

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.flow import find
from supervisor_ai.domain.flow import step as move
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run import run as machine
from supervisor_ai.domain.run.answers import MEANINGS, AnswerKind, AnswerWord, Meaning
from supervisor_ai.domain.run.definition import (
    Cli,
    Definition,
    Gate,
    Limits,
    Role,
    Step,
    StepKind,
    Workflow,
)
from supervisor_ai.domain.run.effects import (
    CancelTimer,
    Integrate,
    RequestApproval,
    RunGate,
    RunWorker,
    SetTimer,
    approval_intent,
)
from supervisor_ai.domain.run.failures.breaker import BREAKER_POLICY
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import (
    AttemptStatus,
    FailureCategory,
    OutcomeKind,
    RunStatus,
    StepStatus,
    Verdict,
)
from supervisor_ai.domain.run.values import (
    ApprovalReason,
    Base,
    Feedback,
    FeedbackKind,
    ForkPoint,
    Snapshot,
)
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.slots import ATTEMPT_FLOW
from supervisor_ai.drivers.moves.state import (
    STEP_FLOW,
    WorkflowState,
    current_visit,
)
from supervisor_ai.drivers.moves.steps import DEADLINE
from supervisor_ai.drivers.workflow.driver import WorkflowDriver

RUN = RunId("r1")
BASE = Base(ref="main", sha=CommitSha("c0"), tree=TreeSha("t0"))
WORK = Snapshot(commit=CommitSha("c1"), tree=TreeSha("t1"))
PLAN, BUILD, TEST, REVIEW, SIGN, COMMIT = map(
    StepName, ("plan", "implement", "test", "review", "sign_off", "commit")
)
NOTES = ArtifactHash("notes")


def a_role(name: str, answer: AnswerWord, *, writes: bool = False) -> Role:
    return Role(
        name=name, description="", answer=answer, writes=writes, cli="agent", template="{{ task }}"
    )


DEFINITION = Definition(
    workflow=Workflow(
        name="standard",
        description="",
        initial_step=PLAN,
        steps={
            PLAN: Step(name=PLAN, kind=StepKind.ROLE, role="planner", next=BUILD),
            BUILD: Step(name=BUILD, kind=StepKind.ROLE, role="implementer", next=TEST),
            TEST: Step(
                name=TEST,
                kind=StepKind.GATE,
                gate="test",
                next=REVIEW,
                on_fail=BUILD,
                max_retries=1,
            ),
            REVIEW: Step(
                name=REVIEW, kind=StepKind.ROLE, role="reviewer", next=SIGN, on_reject=BUILD
            ),
            SIGN: Step(name=SIGN, kind=StepKind.HUMAN, next=COMMIT, on_reject=BUILD),
            COMMIT: Step(name=COMMIT, kind=StepKind.COMMIT, terminal=True),
        },
    ),
    roles={
        "planner": a_role("planner", AnswerKind.PLAN),
        "implementer": a_role("implementer", AnswerKind.IMPLEMENTATION, writes=True),
        "reviewer": a_role("reviewer", AnswerKind.REVIEW),
    },
    clis={"agent": Cli(name="agent", adapter="command", command=("agent",))},
    gates={"test": Gate(name="test", command=("make", "test"), timeout=timedelta(minutes=1))},
)


class Play:
    """A run and its workflow state, folded together."""

    def __init__(self, definition: Definition = DEFINITION) -> None:
        birth = e.RunSubmitted(
            task=ArtifactHash("task"),
            driver="workflow",
            workflow="standard",
            definition=ArtifactHash("definition"),
            base=BASE,
            branch="ai/r1-task",
            identity=None,
            parent=None,
            root=RUN,
        )
        self.driver = WorkflowDriver()
        self.run: Run = machine.submit(RUN, birth)
        self.state: WorkflowState = self.driver.begin(birth, definition)
        self.add(e.RunStarted(driver="workflow", parent=None, root=RUN))

    def add(self, *events: e.RunEvent) -> "Play":
        for event in events:
            self.run = machine.evolve(self.run, event)
            self.state = self.driver.evolve(self.state, event)
        return self

    def decide(self) -> Decision:
        return self.driver.decide(self.run, self.state)

    def enter(self, name: StepName, visit: int = 1) -> "Play":
        return self.add(e.StepEntered(step=name, visit=visit, start=self.state.head.commit))

    def attempt(self, attempt: int = 1) -> "Play":
        visit = current_visit(self.state)
        return self.add(
            e.AttemptStarted(
                step=visit.step,
                visit=visit.number,
                attempt=attempt,
                role="r",
                cli="agent",
                start=visit.start,
            )
        )

    def say(self, meaning: Meaning, said: str = "SAID") -> "Play":
        visit = current_visit(self.state)
        return self.add(
            e.AttemptSucceeded(
                step=visit.step,
                visit=visit.number,
                attempt=visit.slot(1).attempts,
                meaning=meaning,
                said=said,
                answer=ArtifactHash(f"answer-{visit.step}"),
                feedback=NOTES,
                transcript=ArtifactHash("transcript"),
                snapshot=WORK,
            )
        )

    def fail(self) -> "Play":
        visit = current_visit(self.state)
        return self.add(
            e.AttemptFailed(
                step=visit.step,
                visit=visit.number,
                attempt=visit.slot(1).attempts,
                category=FailureCategory.PARSING,
                reason="There is no JSON block.",
                feedback=NOTES,
                transcript=ArtifactHash("transcript"),
            )
        )

    def gate(self, verdict: Verdict) -> "Play":
        visit = current_visit(self.state)
        started = e.GateStarted(
            step=visit.step, visit=visit.number, gate="test", snapshot=WORK.commit
        )
        ended = e.GateEnded(
            step=visit.step,
            visit=visit.number,
            gate="test",
            verdict=verdict,
            reason="Because.",
            output=ArtifactHash("output"),
        )
        return self.add(started, ended)

    def ask(self) -> "Play":
        [effect] = [x for x in self.decide().effects if isinstance(x, RequestApproval)]
        return self.add(approval_intent(effect))

    def begin(self) -> e.RunEvent:
        [effect] = self.decide().effects
        assert isinstance(effect, RunWorker | RunGate | Integrate)
        return effect.intent()

    def built(self) -> "Play":
        return self.enter(BUILD).attempt().say(Meaning.PASS, "SUCCESS").passed()

    def passed(self) -> "Play":
        visit = current_visit(self.state)
        return self.add(e.StepPassed(step=visit.step, visit=visit.number))


def worker(decision: Decision) -> RunWorker:
    [effect] = decision.effects
    assert isinstance(effect, RunWorker)
    return effect


def entered(decision: Decision) -> e.StepEntered:
    event = decision.events[-1]
    assert isinstance(event, e.StepEntered)
    return event


def outcome(decision: Decision) -> tuple[RunStatus, OutcomeKind]:
    assert decision.ending is not None
    return decision.ending.status, decision.ending.outcome.kind


def test_a_run_begins_with_the_initial_step() -> None:
    decision = Play().decide()
    assert decision.events == (e.StepEntered(step=PLAN, visit=1, start=BASE.sha),)


def test_a_role_step_starts_a_worker_from_the_head() -> None:
    effect = worker(Play().enter(PLAN).decide())
    assert (effect.attempt, effect.start, effect.role.name) == (1, BASE.sha, "planner")
    assert effect.timeout == Limits().step_timeout


def test_nothing_is_decided_while_a_worker_is_under_way() -> None:
    assert Play().enter(PLAN).attempt().decide().is_empty


def test_a_passing_answer_leads_to_the_next_step_with_its_words() -> None:
    play = Play().enter(PLAN).attempt().say(Meaning.PASS, "COMPLETE")
    assert play.decide().events[0] == e.StepPassed(step=PLAN, visit=1)
    play.add(*play.decide().events)
    assert [item.title for item in worker(play.decide()).context] == [PLAN]


def test_only_a_writing_role_moves_the_head() -> None:
    assert Play().enter(PLAN).attempt().say(Meaning.PASS).state.head.commit == BASE.sha
    assert Play().built().state.head == WORK


def test_a_failed_attempt_is_tried_again_from_the_same_start_with_feedback() -> None:
    effect = worker(Play().enter(BUILD).attempt().fail().decide())
    assert (effect.attempt, effect.start) == (2, BASE.sha)
    (told,) = effect.feedback
    assert (told.kind, told.source, told.artifact) == (FeedbackKind.FORMAT, BUILD, NOTES)
    assert told.category is FailureCategory.PARSING


def test_retries_are_counted_after_the_first_try() -> None:
    play = Play().enter(BUILD)
    for attempt in range(1, 3):
        play.attempt(attempt).fail()
        assert worker(play.decide()).attempt == attempt + 1
    play.attempt(3).fail()
    decision = play.decide()
    assert outcome(decision) == (RunStatus.FAILED, OutcomeKind.WORKER_FAILED)
    assert isinstance(decision.events[0], e.StepFailed)


def test_a_lost_attempt_has_a_number_and_costs_no_retry() -> None:
    play = Play().enter(BUILD)
    for attempt in range(1, 11):
        lost = e.AttemptLost(step=BUILD, visit=1, attempt=attempt, kept=None)
        play.attempt(attempt).add(lost)
    assert worker(play.decide()).attempt == 11
    assert current_visit(play.state).slot(1).failures == 0


@pytest.mark.parametrize("meaning", [Meaning.REFINE, Meaning.FAIL])
def test_refine_and_fail_are_retried_with_the_workers_own_notes(meaning: Meaning) -> None:
    effect = worker(Play().enter(BUILD).attempt().say(meaning).decide())
    assert effect.attempt == 2
    assert effect.feedback[0].kind is FeedbackKind.WORKER


def test_a_blocked_worker_makes_the_run_ask_a_person() -> None:
    play = Play().enter(BUILD).attempt().say(Meaning.BLOCK, "BLOCKED")
    [effect] = play.decide().effects
    assert isinstance(effect, RequestApproval)
    assert (effect.reason, effect.question) == (ApprovalReason.BLOCKED, NOTES)


def test_a_person_lets_a_blocked_worker_go_on_with_a_note() -> None:
    play = Play().enter(BUILD).attempt().say(Meaning.BLOCK).ask()
    note = ArtifactHash("note")
    play.add(e.ApprovalGiven(step=BUILD, visit=1, tree=BASE.tree, note=note))
    effect = worker(play.decide())
    assert effect.attempt == 2
    assert effect.feedback[-1].artifact == note


def test_a_person_stops_a_blocked_worker() -> None:
    play = Play().enter(BUILD).attempt().say(Meaning.BLOCK).ask()
    play.add(e.ApprovalRefused(step=BUILD, visit=1, tree=BASE.tree, note=NOTES))
    assert outcome(play.decide()) == (RunStatus.FAILED, OutcomeKind.BLOCKED)


def test_a_gate_runs_on_the_head() -> None:
    [effect] = Play().built().enter(TEST).decide().effects
    assert isinstance(effect, RunGate)
    assert (effect.gate.name, effect.snapshot) == ("test", WORK.commit)


def test_a_lost_gate_runs_again() -> None:
    play = Play().built().enter(TEST)
    started = e.GateStarted(step=TEST, visit=1, gate="test", snapshot=WORK.commit)
    play.add(started, e.GateLost(step=TEST, visit=1, gate="test"))
    assert isinstance(play.decide().effects[0], RunGate)


@pytest.mark.parametrize("verdict", [Verdict.PASSED, Verdict.WARNED])
def test_a_passed_gate_leads_on(verdict: Verdict) -> None:
    assert entered(Play().built().enter(TEST).gate(verdict).decide()).step == REVIEW


def test_a_failed_gate_sends_its_output_back_and_the_work_starts_from_the_failed_snapshot() -> None:
    play = Play().built().enter(TEST).gate(Verdict.FAILED)
    back = entered(play.decide())
    assert (back.step, back.visit, back.start) == (BUILD, 2, WORK.commit)
    assert back.feedback == (
        Feedback(kind=FeedbackKind.GATE, source="test", artifact=ArtifactHash("output")),
    )


def test_a_gate_that_fails_too_often_ends_the_run() -> None:
    play = Play().built().enter(TEST).gate(Verdict.FAILED)
    play.add(*play.decide().events).attempt().say(Meaning.PASS).passed()
    play.enter(TEST, 2).gate(Verdict.FAILED)
    assert outcome(play.decide()) == (RunStatus.FAILED, OutcomeKind.GATE_FAILED)


def test_a_gate_that_passed_in_between_may_fail_again() -> None:
    play = Play().built().enter(TEST).gate(Verdict.FAILED)
    play.add(*play.decide().events).attempt().say(Meaning.PASS).passed()
    play.enter(TEST, 2).gate(Verdict.PASSED).passed().enter(TEST, 3).gate(Verdict.FAILED)
    assert entered(play.decide()).step == BUILD


def test_a_gate_that_could_not_run_is_nobodys_fault_and_ends_the_run() -> None:
    decision = Play().built().enter(TEST).gate(Verdict.NOT_RUN).decide()
    assert outcome(decision) == (RunStatus.FAILED, OutcomeKind.GATE_FAILED)
    assert decision.ending is not None
    assert "could not run" in decision.ending.outcome.reason


def test_a_gate_without_a_way_back_ends_the_run() -> None:
    steps = DEFINITION.workflow.steps
    alone = {**steps, TEST: replace(steps[TEST], on_fail=None)}
    definition = replace(DEFINITION, workflow=replace(DEFINITION.workflow, steps=alone))
    decision = Play(definition).built().enter(TEST).gate(Verdict.FAILED).decide()
    assert outcome(decision) == (RunStatus.FAILED, OutcomeKind.GATE_FAILED)


def test_a_rejecting_review_sends_its_issues_back() -> None:
    play = Play().built().enter(REVIEW).attempt().say(Meaning.REJECT, "CHANGES_REQUESTED")
    back = entered(play.decide())
    assert (back.step, back.feedback[0].kind) == (BUILD, FeedbackKind.REVIEW)


def test_a_human_gate_asks_about_the_head() -> None:
    [effect] = Play().built().enter(SIGN).decide().effects
    assert isinstance(effect, RequestApproval)
    assert (effect.tree, effect.reason) == (WORK.tree, ApprovalReason.HUMAN_GATE)


def test_an_approved_human_gate_leads_on() -> None:
    play = Play().built().enter(SIGN).ask()
    play.add(e.ApprovalGiven(step=SIGN, visit=1, tree=WORK.tree, note=None))
    assert entered(play.decide()).step == COMMIT


def test_a_rejected_human_gate_sends_the_reason_back() -> None:
    play = Play().built().enter(SIGN).ask()
    play.add(e.ApprovalRefused(step=SIGN, visit=1, tree=WORK.tree, note=NOTES))
    back = entered(play.decide())
    assert (back.step, back.feedback[0].kind) == (BUILD, FeedbackKind.PERSON)


def without_a_way_back(*steps: Step) -> Definition:
    changed = {step.name: step for step in steps}
    workflow = replace(DEFINITION.workflow, steps={**DEFINITION.workflow.steps, **changed})
    return replace(DEFINITION, workflow=workflow)


NO_WAY_BACK = without_a_way_back(
    Step(name=SIGN, kind=StepKind.HUMAN, next=COMMIT),
    Step(name=REVIEW, kind=StepKind.ROLE, role="reviewer", next=SIGN, on_reject=PLAN),
    Step(name=COMMIT, kind=StepKind.COMMIT, terminal=True, human_approval=True),
)


def refused(play: Play, step: StepName, visit: int = 1) -> Play:
    refusal = e.ApprovalRefused(step=step, visit=visit, tree=WORK.tree, note=NOTES)
    return play.ask().add(refusal)


def test_a_no_without_a_way_back_goes_to_whoever_made_the_work() -> None:
    back = entered(refused(Play(NO_WAY_BACK).built().enter(SIGN), SIGN).decide())
    assert (back.step, back.feedback[0].kind) == (BUILD, FeedbackKind.PERSON)


def test_a_no_to_a_commit_goes_back_as_well() -> None:
    back = entered(refused(Play(NO_WAY_BACK).built().enter(COMMIT), COMMIT).decide())
    assert (back.step, back.feedback[0].artifact) == (BUILD, NOTES)


def test_a_no_to_a_plan_has_it_made_anew() -> None:
    play = Play(NO_WAY_BACK).enter(PLAN).attempt().say(Meaning.PASS)
    assert entered(refused(play.enter(SIGN), SIGN).decide()).step == PLAN


def test_a_no_goes_where_the_last_review_sends_its_own() -> None:
    play = Play(NO_WAY_BACK).built().enter(REVIEW).attempt().say(Meaning.PASS)
    assert entered(refused(play.enter(SIGN), SIGN).decide()).step == PLAN


def test_a_person_may_say_no_only_so_often() -> None:
    play = Play(NO_WAY_BACK).built()
    for visit in (1, 2, 3):
        back = refused(play.enter(SIGN, visit), SIGN, visit).decide()
        play.add(*back.events[:1])
    decision = refused(play.enter(SIGN, 4), SIGN, 4).decide()
    assert outcome(decision) == (RunStatus.FAILED, OutcomeKind.REJECTED)


def test_a_fork_that_goes_another_way_hears_why_and_counts_anew() -> None:
    play = Play().built().enter(TEST).gate(Verdict.FAILED)
    play.add(*play.decide().events)
    assert (play.state.record(TEST).setbacks, current_visit(play.state).step) == (1, BUILD)
    told = len(current_visit(play.state).feedback)
    point = ForkPoint(run=RUN, version=9, note=NOTES)
    forked = play.driver.evolve(play.state, replace(play.run.birth, fork=point))
    assert forked.record(TEST).setbacks == 0
    assert forked.record(BUILD).trail.traces == ()
    *_, last = current_visit(forked).feedback
    assert (last.kind, last.artifact) == (FeedbackKind.PERSON, NOTES)
    assert len(current_visit(forked).feedback) == told + 1


def test_a_fork_without_words_only_counts_anew() -> None:
    play = Play().built().enter(TEST).gate(Verdict.FAILED)
    play.add(*play.decide().events)
    point = ForkPoint(run=RUN, version=9)
    forked = play.driver.evolve(play.state, replace(play.run.birth, fork=point))
    assert forked.record(TEST).setbacks == 0
    assert current_visit(forked).feedback == current_visit(play.state).feedback


def landing(play: Play) -> Play:
    return play.add(
        e.IntegrationStarted(
            step=COMMIT, visit=1, snapshot=WORK.commit, branch="ai/r1-task", expected=None
        )
    )


def test_a_commit_integrates_the_head_on_the_runs_branch() -> None:
    [effect] = Play().built().enter(COMMIT).decide().effects
    assert isinstance(effect, Integrate)
    assert (effect.snapshot, effect.branch, effect.expected) == (WORK.commit, "ai/r1-task", None)


def test_a_landed_commit_ends_the_run() -> None:
    play = landing(Play().built().enter(COMMIT))
    play.add(e.IntegrationLanded(step=COMMIT, visit=1, commit=CommitSha("c9")))
    assert play.state.landed == "c9"
    assert outcome(play.decide()) == (RunStatus.COMPLETED, OutcomeKind.DONE)
    assert play.driver.fork(play.state).landed is None


def test_a_lost_integration_is_done_again() -> None:
    play = landing(Play().built().enter(COMMIT)).add(e.IntegrationLost(step=COMMIT, visit=1))
    assert isinstance(play.decide().effects[0], Integrate)


def test_a_refused_integration_ends_the_run_with_the_reason() -> None:
    refused = e.IntegrationRefused(step=COMMIT, visit=1, reason="It conflicts.")
    decision = landing(Play().built().enter(COMMIT)).add(refused).decide()
    assert outcome(decision) == (RunStatus.FAILED, OutcomeKind.REJECTED)


def test_without_a_change_there_is_nothing_to_commit() -> None:
    decision = Play().enter(COMMIT).decide()
    assert outcome(decision) == (RunStatus.COMPLETED, OutcomeKind.DONE)
    assert decision.effects == ()


def test_too_many_visits_end_the_run() -> None:
    definition = replace(DEFINITION, limits=Limits(workflow_max_steps=1))
    play = Play(definition).enter(PLAN).attempt().say(Meaning.PASS)
    assert outcome(play.decide()) == (RunStatus.FAILED, OutcomeKind.LIMITS_EXCEEDED)


HOUR = timedelta(hours=1)
HURRIED = replace(DEFINITION, limits=Limits(workflow_timeout=HOUR))
SET = e.TimerSet(timer=DEADLINE, due=datetime(2030, 1, 1, tzinfo=UTC), parks=False)


def test_a_time_limit_is_set_once_with_the_first_effect() -> None:
    effects = Play(HURRIED).enter(PLAN).decide().effects
    assert effects[0] == SetTimer(timer=DEADLINE, after=HOUR)
    assert worker(Play(HURRIED).enter(PLAN).add(SET).decide()).attempt == 1


def test_the_time_limit_ends_the_run_even_while_a_worker_is_under_way() -> None:
    play = Play(HURRIED).enter(PLAN).add(SET).attempt().add(e.TimerFired(timer=DEADLINE))
    assert outcome(play.decide()) == (RunStatus.FAILED, OutcomeKind.LIMITS_EXCEEDED)


def test_the_time_that_people_take_is_not_the_runs() -> None:
    effects = Play(HURRIED).add(SET).built().enter(SIGN).decide().effects
    assert effects[0] == CancelTimer(timer=DEADLINE)
    assert isinstance(effects[1], RequestApproval)


def test_a_migration_needs_every_visited_step() -> None:
    play = Play().enter(PLAN)
    less = {name: at for name, at in DEFINITION.workflow.steps.items() if name != PLAN}
    smaller = replace(DEFINITION, workflow=replace(DEFINITION.workflow, steps=less))
    assert play.driver.migration_problems(play.state, DEFINITION) == ()
    [problem] = play.driver.migration_problems(play.state, smaller)
    assert "'plan'" in problem
    assert play.driver.migrate(play.state, smaller).definition == smaller


def test_facts_about_no_step_do_not_concern_the_workflow() -> None:
    play = Play()
    before = play.state
    assert play.add(SET).state is before
    assert play.add(e.ChildStarted(step=PLAN, visit=1, child=RunId("r2"))).state is before


def test_a_run_may_come_to_every_step_of_its_workflow() -> None:
    assert DEFINITION.expected_steps == tuple(DEFINITION.workflow.steps)


def test_a_run_without_a_base_commit_cannot_begin() -> None:
    birth = replace(Play().run.birth, base=None, branch=None)
    with pytest.raises(InternalError, match="needs a base commit"):
        WorkflowDriver().begin(birth, DEFINITION)


def test_an_event_of_a_step_needs_a_visit() -> None:
    with pytest.raises(InternalError):
        current_visit(Play().state)


def blank(kind: type[e.RunEvent]) -> e.RunEvent:
    """Make a fact of which nothing but its kind is looked at."""
    return kind(**dict.fromkeys(kind.__struct_fields__))


@pytest.mark.parametrize("status", StepStatus)
@pytest.mark.parametrize("kind", e.RUN_EVENTS, ids=lambda kind: kind.__name__)
def test_the_steps_table_alone_says_what_may_happen(
    status: StepStatus, kind: type[e.RunEvent]
) -> None:
    fact = blank(kind)
    target = find(STEP_FLOW, status, kind)
    if target is None:
        with pytest.raises(InternalError, match=kind.__name__):
            move(STEP_FLOW, status, fact)
    else:
        assert move(STEP_FLOW, status, fact) is target


def test_every_answer_has_a_meaning() -> None:
    assert MEANINGS[AnswerKind.IMPLEMENTATION]["PARTIAL"] is Meaning.PASS
    assert MEANINGS[AnswerKind.REVIEW]["REJECTED"] is Meaning.REJECT


def test_an_intent_says_what_is_about_to_be_done() -> None:
    assert Play().enter(PLAN).begin() == e.AttemptStarted(
        step=PLAN,
        visit=1,
        attempt=1,
        role="planner",
        cli="agent",
        start=BASE.sha,
        breaker=BREAKER_POLICY,
    )
    assert Play().built().enter(TEST).begin() == e.GateStarted(
        step=TEST, visit=1, gate="test", snapshot=WORK.commit
    )
    assert Play().built().enter(COMMIT).begin() == e.IntegrationStarted(
        step=COMMIT, visit=1, snapshot=WORK.commit, branch="ai/r1-task", expected=None
    )


def test_a_stopped_worker_changes_nothing_but_its_own_record() -> None:
    play = Play().enter(PLAN).attempt()
    before = play.state
    play.add(e.AttemptCancelled(step=PLAN, visit=1, attempt=1))
    assert play.state.news == before.news
    assert current_visit(play.state).slot(1).attempt is AttemptStatus.CANCELLED


def test_an_attempt_ends_once() -> None:
    play = Play().enter(PLAN).attempt().say(Meaning.PASS)
    with pytest.raises(InternalError, match="AttemptLost cannot happen"):
        play.add(e.AttemptLost(step=PLAN, visit=1, attempt=1, kept=None))


def test_an_attempt_cannot_end_before_it_starts() -> None:
    with pytest.raises(InternalError, match="came before it started"):
        Play().enter(PLAN).say(Meaning.PASS)


@pytest.mark.parametrize("status", AttemptStatus)
@pytest.mark.parametrize("event", sorted({kind.__name__ for _, kind in ATTEMPT_FLOW}))
def test_the_attempts_table_alone_says_what_may_happen(status: AttemptStatus, event: str) -> None:
    kind = getattr(e, event)
    target = ATTEMPT_FLOW.get((status, kind))
    if target is None:
        with pytest.raises(InternalError, match=event):
            move(ATTEMPT_FLOW, status, blank(kind))
    else:
        assert move(ATTEMPT_FLOW, status, blank(kind)) is target


def left_out(play: Play, *paths: str) -> e.FilesLeftOut:
    visit = current_visit(play.state)
    return e.FilesLeftOut(
        step=visit.step,
        visit=visit.number,
        attempt=visit.slot(1).attempts,
        paths=paths,
        count=len(paths),
        reason="They are pipes.",
    )


def test_who_tries_again_hears_which_files_were_left_out() -> None:
    play = Play().enter(BUILD).attempt()
    event = left_out(play, "a", "b")
    assert worker(play.add(event).fail().decide()).left_out == event


def test_who_is_sent_back_hears_which_files_were_left_out() -> None:
    play = Play().enter(BUILD).attempt()
    event = left_out(play, "a")
    play.add(event).say(Meaning.PASS, "SUCCESS").passed().enter(TEST).gate(Verdict.FAILED)
    play.add(*play.decide().events)
    assert worker(play.decide()).left_out == event


def test_who_lost_no_file_the_last_time_hears_of_none() -> None:
    play = Play().enter(BUILD).attempt()
    play.add(left_out(play, "a")).fail().attempt(2).fail()
    assert worker(play.decide()).left_out is None


def test_who_is_asked_exactly_the_same_hears_nothing_new_of_lost_files() -> None:
    play = Play().enter(BUILD).attempt()
    first = left_out(play, "a")
    play.add(first).fail().attempt(2)
    play.add(left_out(play, "b"))
    outage = e.AttemptFailed(
        step=BUILD,
        visit=1,
        attempt=2,
        category=FailureCategory.NETWORK,
        reason="No network.",
        feedback=NOTES,
        transcript=ArtifactHash("transcript"),
    )
    play.add(outage)
    [timer] = play.decide().effects
    assert isinstance(timer, SetTimer)
    play.add(replace(SET, timer=timer.timer), e.TimerFired(timer=timer.timer))
    again = worker(play.decide())
    assert (again.is_told, again.left_out) == (False, first)


def test_who_leaves_no_files_behind_hears_of_none() -> None:
    play = Play().enter(PLAN).attempt()
    play.add(left_out(play, "a")).fail()
    assert worker(play.decide()).left_out is None
