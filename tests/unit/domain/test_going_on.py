"""What a workflow does when an attempt may not start, gets nowhere, or can only do less."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal

import pytest
from tests.support.kernel import CLI, Kernel, flow, stop, work

from supervisor_ai.domain.ids import PROJECT_STREAM, RunId, StepName
from supervisor_ai.domain.project import events as p
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord
from supervisor_ai.domain.run.definition import Cli, Definition, Limits, Role, Step, StepKind
from supervisor_ai.domain.run.failures.breaker import BreakerPolicy
from supervisor_ai.domain.run.failures.degradation import INSTRUCTIONS, Level
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.failures.loops import LoopPolicy
from supervisor_ai.domain.run.failures.retries import ParkingPolicy
from supervisor_ai.domain.run.inbox_commands import Approve, Cancel, Migrate
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.domain.run.spending.prices import Price, PriceTable
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.folds import fold_name
from supervisor_ai.engine.ports.sandbox import Channel, SandboxEnd, SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.streams.project_view import ProjectView
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.ids import FakeProcesses
from supervisor_ai.testing.world import says

BUILD = AnswerKind.IMPLEMENTATION
DOWN = Diagnosis(
    message="Down.", category=FailureCategory.CLI_ERROR, action=Action.RETRY_WITH_FEEDBACK
)
KEYLESS = Diagnosis(message="No key.", category=FailureCategory.AUTH, action=Action.FAIL_OVER)
CHEAP = Usage(tokens_in=10, tokens_out=5, cost=Decimal("0.4"))
FINE = FakeReply(output=says(BUILD), usage=CHEAP)
BAD = FakeReply(diagnosis=DOWN, usage=CHEAP)
PRICE = Price(input=Decimal(1), output=Decimal(2), cache_read=Decimal(1), cache_write=Decimal(1))


class Player:
    """Gives the replies of a list one after the other; the last one for ever."""

    def __init__(self, *replies: FakeReply) -> None:
        self._replies = list(replies)

    def __call__(self, request: WorkerRequest) -> FakeReply:
        del request
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


def definition(*steps: Step, retries: int = 0, **changes: object) -> Definition:
    plain = flow(*(steps or (work("build"),)), limits=Limits(step_max_retries=retries))
    return replace(plain, **changes)  # type: ignore[arg-type]


def with_role(given: Definition, kind: AnswerWord, change: Callable[[Role], Role]) -> Definition:
    return replace(given, roles={**given.roles, kind: change(given.roles[kind])})


def following(given: Definition, *clis: str) -> Definition:
    known = {name: Cli(name=name, adapter="fake") for name in clis}
    changed = with_role(given, BUILD, lambda role: replace(role, fallback=clis))
    return replace(changed, clis={**given.clis, **known})


def shared(kernel: Kernel) -> list[p.ProjectEvent]:
    return [at.event for at in kernel.world.log.read(PROJECT_STREAM)]  # type: ignore[misc]


def outcome(kernel: Kernel, run: RunId) -> OutcomeKind:
    (failed,) = kernel.events(run, e.RunFailed)
    return failed.outcome.kind


def agents(kernel: Kernel) -> list[str]:
    return [request.cli.name for request in kernel.fakes.worker.requests]


# Budgets


def test_without_a_budget_nobody_asks() -> None:
    kernel = Kernel(None, Player(FINE))
    run = kernel.submit(definition())
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert shared(kernel) == []
    assert kernel.events(run, e.LaunchRequested) == []


def test_what_an_attempt_may_spend_is_set_aside_and_settled() -> None:
    budgets = {Scope.RUN: Amount(money=Decimal(1), tokens=100, time=timedelta(minutes=2))}
    prices = PriceTable(families={}, defaults={"fake": "any"})
    prices = replace(prices, families={"any": PRICE})
    kernel = Kernel(None, Player(replace(FINE, takes=timedelta(seconds=30))))
    run = kernel.submit(definition(budgets=budgets, prices=prices))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    (request,) = kernel.fakes.worker.requests
    assert (request.tokens, request.timeout) == (100, timedelta(minutes=2))
    assert request.cost_cap is not None
    assert (request.cost_cap.limit, request.cost_cap.price) == (Decimal(1), PRICE)
    reserved, settled, closed = shared(kernel)
    assert closed == p.AccountsClosed(run=run)
    assert isinstance(reserved, p.BudgetReserved)
    assert reserved.accounts == (f"run:{run}",)
    used = Amount(money=Decimal("0.4"), tokens=15, time=timedelta(seconds=30), attempts=1)
    assert settled == p.BudgetSettled(key=reserved.key, run=run, used=used)
    assert kernel.events(run, e.RunWaiting) == []


def test_a_spent_budget_ends_the_run_and_keeps_its_work() -> None:
    budgets = {Scope.STEP: Amount(money=Decimal("0.8"))}
    kernel = Kernel(None, Player(replace(BAD, files={"half": "done"})))
    run = kernel.submit(definition(retries=9, budgets=budgets))
    assert kernel.drive(run).status is RunStatus.FAILED
    assert outcome(kernel, run) is OutcomeKind.BUDGET_EXHAUSTED
    (refused,) = kernel.events(run, e.LaunchRefused)
    assert "0.8 USD of 0.8 USD" in refused.reason
    assert len(kernel.events(run, e.AttemptFailed)) == 2
    assert len([ref for ref in kernel.fakes.workspaces.refs if f"/{run}/" in ref]) == 2


def test_attempts_can_be_counted_too() -> None:
    kernel = Kernel(None, Player(BAD))
    run = kernel.submit(definition(retries=9, budgets={Scope.DAY: Amount(attempts=3)}))
    assert kernel.drive(run).status is RunStatus.FAILED
    assert len(kernel.fakes.worker.requests) == 3
    again = kernel.submit(definition(budgets={Scope.DAY: Amount(attempts=3)}))
    assert kernel.drive(again).status is RunStatus.FAILED
    kernel.fakes.clock.advance(timedelta(days=1))
    tomorrow = kernel.submit(definition(budgets={Scope.DAY: Amount(attempts=3)}))
    kernel.drive(tomorrow)
    assert outcome(kernel, tomorrow) is OutcomeKind.WORKER_FAILED


def test_an_attempt_that_was_lost_counts_and_holds_nothing_any_more() -> None:
    class Killed(BaseException):
        pass

    def dies(request: WorkerRequest) -> FakeReply:
        if request.attempt == 1:
            raise Killed
        return FINE

    kernel = Kernel(None, dies)
    budgets = {Scope.RUN: Amount(money=Decimal(1), attempts=2)}
    run = kernel.submit(definition(budgets=budgets))
    with pytest.raises(Killed):
        kernel.drive(run)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    used = [fact.used for fact in shared(kernel) if isinstance(fact, p.BudgetSettled)]
    assert [amount.attempts for amount in used] == [1, 1]


def test_what_others_have_set_aside_is_waited_for() -> None:
    kernel = Kernel(None, Player(FINE))
    budgets = {Scope.DAY: Amount(attempts=1)}
    other = kernel.submit(definition(budgets=budgets))
    reserved = p.BudgetReserved(
        key="other/build/1/1/worker/1",  # type: ignore[arg-type]
        run=RunId("other"),
        accounts=(f"day:{kernel.fakes.clock.now().date().isoformat()}",),
        amount=Amount(attempts=1),
    )
    kernel.tell_project(reserved)
    world = kernel.world
    process = FakeProcesses(7).current()
    world.leases.acquire(RunId("other"), owner="o", process=process, ttl=timedelta(days=1))
    assert kernel.drive(other).status is RunStatus.WAITING
    (waiting,) = kernel.events(other, e.RunWaiting)
    assert waiting.reason.startswith("a budget: The budget of the day is exhausted")
    assert kernel.drive(other).due is not None
    kernel.tell_project(p.BudgetSettled(key=reserved.key, run=reserved.run, used=Amount()))
    assert kernel.drive(other).status is RunStatus.COMPLETED


def test_a_run_that_ends_before_it_starts_gives_back_what_it_has() -> None:
    kernel = Kernel(None, Player(FINE))
    deadline = Limits(workflow_timeout=timedelta(minutes=1))
    run = kernel.submit(definition(budgets={Scope.RUN: Amount(attempts=9)}, limits=deadline))
    reserved = p.BudgetReserved(
        key=f"{run}/build/1/1/worker/1",  # type: ignore[arg-type]
        run=run,
        accounts=(f"run:{run}",),
        amount=Amount(attempts=1),
    )
    kernel.tell_project(reserved)
    kernel.send(run, "stop", Cancel())
    assert kernel.drive(run).status is RunStatus.CANCELLED
    assert shared(kernel)[-1] == p.BudgetSettled(key=reserved.key, run=run, used=Amount())


def test_what_a_dead_run_has_set_aside_is_no_reason_to_wait() -> None:
    kernel = Kernel(None, Player(FINE))
    run = kernel.submit(definition(budgets={Scope.DAY: Amount(attempts=2)}))
    reserved = p.BudgetReserved(
        key="dead/build/1/1/worker/1",  # type: ignore[arg-type]
        run=RunId("dead"),
        accounts=(f"day:{kernel.fakes.clock.now().date().isoformat()}",),
        amount=Amount(attempts=2),
    )
    kernel.tell_project(reserved)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    freed = p.BudgetSettled(key=reserved.key, run=reserved.run, used=Amount(attempts=1))
    assert freed in shared(kernel)


def test_leave_whose_money_was_given_back_meanwhile_is_asked_for_again() -> None:
    kernel = Kernel(None, Player(FINE))
    run = kernel.submit(definition(budgets={Scope.RUN: Amount(attempts=5)}))
    key = f"{run}/build/1/1/worker/1"
    drive = kernel.drive

    class Stopped(BaseException):
        pass

    def stopped(request: WorkerRequest) -> FakeReply:
        raise Stopped

    kernel.fakes.worker._script = stopped
    with pytest.raises(Stopped):
        drive(run)
    kernel.fakes.worker._script = Player(FINE)
    kernel.tell_project(p.BudgetSettled(key=key, run=run, used=Amount(attempts=1)))  # type: ignore[arg-type]
    assert drive(run).status is RunStatus.COMPLETED


def test_what_was_cut_off_is_a_matter_of_the_budget() -> None:
    cut = replace(BAD, end=SandboxEnd.CUT_OFF)
    kernel = Kernel(None, Player(cut))
    run = kernel.submit(definition(retries=5, budgets={Scope.ATTEMPT: Amount(money=Decimal(1))}))
    assert kernel.drive(run).status is RunStatus.FAILED
    assert outcome(kernel, run) is OutcomeKind.BUDGET_EXHAUSTED
    assert len(kernel.fakes.worker.requests) == 1
    assert shared(kernel) == []


def test_accounts_of_long_ago_are_forgotten() -> None:
    kernel = Kernel(None, Player(FINE))
    for _ in range(4):
        kernel.drive(kernel.submit(definition(budgets={Scope.DAY: Amount(attempts=9)})))
        kernel.fakes.clock.advance(timedelta(days=1))
    assert len(ProjectView(kernel.world.log).refresh().spending.spent) == 2


def test_a_long_past_of_the_project_is_kept_folded() -> None:
    kernel = Kernel(None, Player(FINE))
    world = replace(kernel.world, timing=replace(kernel.world.timing, cache_every=1))
    run = kernel.submit(definition(budgets={Scope.DAY: Amount(attempts=9)}))
    kernel.drive(run, world=world)
    kept = world.cache.load(PROJECT_STREAM, fold=fold_name("project"))
    assert kept is not None
    view = ProjectView(world.log, world.cache, world.documents)
    assert view.version == kept.version
    assert view.refresh() == ProjectView(world.log).refresh()


# The breaker


def test_a_breaker_of_other_runs_is_waited_for_and_tried_once() -> None:
    policy = BreakerPolicy(failures=2)
    kernel = Kernel(None, Player(BAD, BAD, FINE))
    for _ in range(2):
        kernel.drive(kernel.submit(definition(breaker=policy)))
    run = kernel.submit(definition(breaker=policy))
    assert kernel.drive(run).status is RunStatus.WAITING
    (refused,) = kernel.events(run, e.LaunchRefused)
    assert refused.kind is OutcomeKind.CIRCUIT_OPEN
    assert kernel.drive(run).status is RunStatus.WAITING
    kernel.fakes.clock.advance(policy.rest)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert [type(fact) for fact in shared(kernel)] == [
        p.FailureCounted,
        p.FailureCounted,
        p.TrialStarted,
        p.BreakerClosed,
    ]


def test_a_breaker_sends_to_the_next_agent() -> None:
    policy = BreakerPolicy(failures=1)
    kernel = Kernel(None, Player(BAD, FINE))
    kernel.drive(kernel.submit(definition(breaker=policy)))
    run = kernel.submit(following(definition(breaker=policy), "second"))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert agents(kernel) == [CLI.name, "second"]


def test_a_breaker_and_a_budget_together_name_the_next_agent_once() -> None:
    policy, budgets = BreakerPolicy(failures=1), {Scope.RUN: Amount(attempts=5)}
    kernel = Kernel(None, Player(BAD, FakeReply(diagnosis=KEYLESS), FINE))
    kernel.drive(kernel.submit(definition(breaker=policy)))
    run = kernel.submit(following(definition(breaker=policy, budgets=budgets), "second", "third"))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert agents(kernel) == [CLI.name, "second", "third"]


def test_an_optional_role_behind_an_open_breaker_is_skipped() -> None:
    policy = BreakerPolicy(failures=1)
    kernel = Kernel(None, Player(BAD))
    kernel.drive(kernel.submit(definition(breaker=policy)))
    given = definition(breaker=policy)
    run = kernel.submit(with_role(given, BUILD, lambda role: replace(role, is_optional=True)))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.StepSkipped)) == 1


def test_who_does_not_park_stops_at_an_open_breaker() -> None:
    policy = BreakerPolicy(failures=1)
    kernel = Kernel(None, Player(BAD))
    kernel.drive(kernel.submit(definition(breaker=policy)))
    run = kernel.submit(definition(breaker=policy, parking=ParkingPolicy(is_allowed=False)))
    assert kernel.drive(run).status is RunStatus.FAILED
    assert outcome(kernel, run) is OutcomeKind.CIRCUIT_OPEN


# Loops


def looping(trees: Sequence[str], policy: LoopPolicy) -> tuple[Kernel, RunId]:
    replies = [replace(FINE, files={"a": tree}) for tree in trees]

    def gate(spec: SandboxSpec) -> ScriptedReply:
        del spec
        return ScriptedReply(output=((Channel.STDOUT, b"red"),), exit_code=1)

    kernel = Kernel(None, Player(*replies), gate)
    test = replace(stop("test", StepKind.GATE), on_fail=StepName("build"))
    run = kernel.submit(definition(work("build"), test, retries=20, loops=policy))
    kernel.drive(run)
    return kernel, run


def test_the_same_files_after_the_same_words_are_a_loop() -> None:
    kernel, run = looping(["same"], LoopPolicy())
    assert outcome(kernel, run) is OutcomeKind.LOOP_DETECTED
    assert len(kernel.fakes.worker.requests) == 4


def test_going_to_and_fro_is_a_loop() -> None:
    kernel, run = looping(["one", "two"] * 3, LoopPolicy(repeats=60, patience=60))
    assert outcome(kernel, run) is OutcomeKind.LOOP_DETECTED
    assert len(kernel.fakes.worker.requests) == 4


def test_other_files_each_time_are_no_loop() -> None:
    kernel, run = looping([str(number) for number in range(40)], LoopPolicy())
    assert outcome(kernel, run) is OutcomeKind.GATE_FAILED


# Less than the whole


def test_what_fails_is_done_in_a_simpler_way_and_marked() -> None:
    kernel = Kernel(None, Player(BAD, BAD, FINE))
    step = replace(work("build"), degrade=(Level.SIMPLIFIED, Level.MINIMAL))
    run = kernel.submit(definition(step))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    prompts = [request.prompt for request in kernel.fakes.worker.requests]
    assert INSTRUCTIONS[Level.SIMPLIFIED] in prompts[1]
    assert INSTRUCTIONS[Level.MINIMAL] in prompts[2]
    (completed,) = kernel.events(run, e.RunCompleted)
    assert completed.degraded
    assert "'build' was done in the minimal way" in completed.outcome.reason


HARD = FakeReply(output=says(BUILD, "FAILED", summary="too hard"), usage=CHEAP)


@pytest.mark.parametrize("bad", [HARD, BAD], ids=["says that it failed", "breaks down"])
def test_neither_loops_nor_a_breaker_come_before_the_simplest_way(bad: FakeReply) -> None:
    kernel = Kernel(None, Player(*[bad] * 6, FINE))
    step = replace(work("build"), degrade=(Level.SIMPLIFIED, Level.MINIMAL))
    run = kernel.submit(definition(step, retries=2, breaker=BreakerPolicy()))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    levels = [started.level for started in kernel.events(run, e.AttemptStarted)]
    assert levels == [Level.PRIMARY] * 3 + [Level.SIMPLIFIED] * 3 + [Level.MINIMAL]


def test_the_simplest_way_can_fail_too() -> None:
    kernel = Kernel(None, Player(BAD))
    run = kernel.submit(definition(replace(work("build"), degrade=(Level.MINIMAL,)), retries=1))
    assert kernel.drive(run).status is RunStatus.FAILED
    assert len(kernel.fakes.worker.requests) == 4


def advised(*replies: FakeReply, retries: int = 0) -> tuple[Kernel, RunId]:
    kernel = Kernel(None, Player(*replies))
    given = definition(work("advise", AnswerKind.PLAN), work("build"), retries=retries)
    optional = with_role(given, AnswerKind.PLAN, lambda role: replace(role, is_optional=True))
    run = kernel.submit(optional)
    kernel.drive(run)
    return kernel, run


@pytest.mark.parametrize("diagnosis", [KEYLESS, DOWN])
def test_an_optional_role_that_is_not_there_is_skipped_with_a_word(diagnosis: Diagnosis) -> None:
    kernel, run = advised(FakeReply(diagnosis=diagnosis), FINE)
    (skipped,) = kernel.events(run, e.StepSkipped)
    assert skipped.reason == diagnosis.message
    (completed,) = kernel.events(run, e.RunCompleted)
    assert not completed.degraded
    assert completed.outcome.reason == "The steps passed, but 'advise' was skipped."


def test_a_skipped_step_can_be_the_last() -> None:
    kernel = Kernel(None, Player(FakeReply(diagnosis=KEYLESS)))
    given = definition(work("advise", AnswerKind.PLAN))
    run = kernel.submit(
        with_role(given, AnswerKind.PLAN, lambda role: replace(role, is_optional=True))
    )
    assert kernel.drive(run).status is RunStatus.COMPLETED


def test_a_person_can_be_asked_at_last() -> None:
    kernel = Kernel(None, Player(BAD, BAD, FINE))
    run = kernel.submit(definition(replace(work("build"), asks_at_last=True), retries=1))
    assert kernel.drive(run).status is RunStatus.WAITING
    (asked,) = kernel.events(run, e.ApprovalRequested)
    kernel.send(run, "yes", Approve(step=asked.step, visit=asked.visit, tree=asked.tree))
    assert kernel.drive(run).status is RunStatus.COMPLETED


# Other definitions


def migrate(kernel: Kernel, run: RunId, target: Definition) -> None:
    kernel.send(run, "other", Migrate(definition=kernel.world.documents.save(target)))


def elsewhere(given: Definition) -> Definition:
    roles = {name: replace(role, cli="new") for name, role in given.roles.items()}
    return replace(given, roles=roles, clis={"new": Cli(name="new", adapter="fake")})


def test_a_request_under_another_definition_counts_no_more() -> None:
    kernel = Kernel(None, Player(FINE))
    given = definition(budgets={Scope.DAY: Amount(attempts=1)})
    run = kernel.submit(given)
    reserved = p.BudgetReserved(
        key="other/build/1/1/worker/1",  # type: ignore[arg-type]
        run=RunId("other"),
        accounts=(f"day:{kernel.fakes.clock.now().date().isoformat()}",),
        amount=Amount(attempts=1),
    )
    kernel.tell_project(reserved)
    owner = FakeProcesses(7).current()
    kernel.world.leases.acquire(RunId("other"), owner="o", process=owner, ttl=timedelta(days=1))
    assert kernel.drive(run).status is RunStatus.WAITING
    migrate(kernel, run, elsewhere(replace(given, budgets={})))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert len(kernel.events(run, e.LaunchWithdrawn)) == 1
    assert agents(kernel) == ["new"]


def test_an_agent_that_the_other_definition_does_not_know_does_not_go_on() -> None:
    class Killed(BaseException):
        pass

    def dies(request: WorkerRequest) -> FakeReply:
        if request.cli.name != "new":
            raise Killed
        return FINE

    kernel = Kernel(None, dies)
    run = kernel.submit(definition())
    with pytest.raises(Killed):
        kernel.drive(run)
    migrate(kernel, run, elsewhere(definition()))
    assert kernel.drive(run).status is RunStatus.COMPLETED


def test_the_agent_at_work_stays_where_it_is_known() -> None:
    kernel = Kernel(None, Player(FakeReply(diagnosis=KEYLESS), FakeReply(diagnosis=KEYLESS), FINE))
    given = following(definition(), "second")
    run = kernel.submit(given)
    assert kernel.drive(run).status is RunStatus.WAITING
    migrate(kernel, run, replace(given, limits=Limits(step_max_retries=1)))
    (asked,) = kernel.events(run, e.ApprovalRequested)
    yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree)
    kernel.send(run, "yes", yes)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert agents(kernel) == [CLI.name, "second", "second"]


def test_a_run_that_has_not_begun_can_be_given_another_definition() -> None:
    kernel = Kernel(None, Player(FINE))
    run = kernel.submit(definition())
    migrate(kernel, run, elsewhere(definition()))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert agents(kernel) == ["new"]


def test_a_run_does_not_change_its_crew_on_the_way() -> None:
    kernel = Kernel(None, Player(FakeReply(diagnosis=KEYLESS)))
    given = definition()
    run = kernel.submit(given)
    assert kernel.drive(run).status is RunStatus.WAITING
    (name,) = given.workflow.steps
    pair = replace(given.workflow.steps[name], role=None, roles=(BUILD, BUILD))
    migrate(kernel, run, replace(given, workflow=replace(given.workflow, steps={name: pair})))
    kernel.drive(run)
    (refused,) = kernel.events(run, e.CommandRefused)
    assert "other roles would do" in refused.reason


def test_the_time_of_a_wait_for_others_is_not_the_runs() -> None:
    kernel = Kernel(None, Player(FINE))
    limits = Limits(workflow_timeout=timedelta(minutes=5))
    budgets = {Scope.DAY: Amount(attempts=2)}
    given = definition(work("plan", AnswerKind.PLAN), work("build"), budgets=budgets, limits=limits)
    kernel.fakes.worker._script = Player(FakeReply(output=says(AnswerKind.PLAN)), FINE)
    run = kernel.submit(given)
    reserved = p.BudgetReserved(
        key="other/build/1/1/worker/1",  # type: ignore[arg-type]
        run=RunId("other"),
        accounts=(f"day:{kernel.fakes.clock.now().date().isoformat()}",),
        amount=Amount(attempts=1),
    )
    kernel.tell_project(reserved)
    owner = FakeProcesses(7).current()
    kernel.world.leases.acquire(RunId("other"), owner="o", process=owner, ttl=timedelta(days=1))
    assert kernel.drive(run).status is RunStatus.WAITING
    kernel.drive(run)
    assert kernel.events(run, e.TimerCancelled)
    kernel.fakes.clock.advance(timedelta(minutes=20))
    kernel.tell_project(p.BudgetSettled(key=reserved.key, run=reserved.run, used=Amount()))
    assert kernel.drive(run).status is RunStatus.COMPLETED


# Continuation


def refined(times: int, continuations: int, retries: int = 9) -> list[str]:
    unsure = FakeReply(output=says(AnswerKind.PLAN, "NEEDS_REFINEMENT", summary="unsure"))
    kernel = Kernel(None, Player(*[unsure] * times, FakeReply(output=says(AnswerKind.PLAN))))
    given = definition(work("plan", AnswerKind.PLAN), retries=retries)
    named = with_role(
        given, AnswerKind.PLAN, lambda role: replace(role, continuations=continuations)
    )
    run = kernel.submit(named)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    turns = [started.turn for started in kernel.events(run, e.AttemptStarted)]
    prompts = [request.prompt for request in kernel.fakes.worker.requests]
    assert [prompt.count("turn: ") > 0 for prompt in prompts] == [turn > 0 for turn in turns]
    return [str(turn) for turn in turns]


def test_a_named_role_goes_on_from_its_own_answers_three_times() -> None:
    assert refined(5, continuations=3) == ["0", "1", "2", "3", "0", "0"]
    assert refined(3, continuations=3, retries=0) == ["0", "1", "2", "3"], "turns are no retries"


def test_other_roles_always_begin_afresh() -> None:
    assert refined(3, continuations=0) == ["0", "0", "0", "0"]
