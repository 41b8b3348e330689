"""Steps with gates: side by side, one after the other, and what follows from what they say."""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from tests.support.kernel import GATE, Kernel, flow, stop, work

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, Gate, StepKind
from supervisor_ai.domain.run.gates import (
    Complexity,
    Finding,
    GateKind,
    GatePolicy,
    GateWord,
    Severity,
)
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus, Verdict
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.gates import feedback_of
from supervisor_ai.engine.ports.gates import ChangeCase, Examination, NewTests
from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.testing.fake_sandbox import ScriptedReply

BUILD, CHECK = StepName("build"), StepName("check")


def command(name: str, **changes: object) -> Gate:
    return replace(GATE, name=name, command=(name,), **changes)  # type: ignore[arg-type]


def looking(name: str, kind: GateWord, **changes: object) -> Gate:
    gate = Gate(name=name, command=(), timeout=timedelta(minutes=1), kind=kind)
    return replace(gate, **changes)  # type: ignore[arg-type]


def checked(*gates: Gate, **changes: object) -> Definition:
    names = tuple(gate.name for gate in gates)
    step = replace(stop("check", StepKind.GATE), gate=None, gates=names, on_fail=BUILD)
    step = replace(step, max_retries=1, **changes)  # type: ignore[arg-type]
    given = flow(work("build"), step)
    return replace(given, gates={gate.name: gate for gate in gates})


class Runners:
    """Lets commands exit as a table says; remembers in which order they ran."""

    def __init__(self, codes: Mapping[str, int | None] | None = None) -> None:
        self.codes = dict(codes or {})
        self.ran: list[str] = []

    def __call__(self, spec: SandboxSpec) -> ScriptedReply | None:
        (name, *_) = spec.argv
        self.ran.append(name)
        code = self.codes.get(name, 0)
        if code is None:
            return None
        return ScriptedReply(output=((Channel.STDOUT, f"{name} says".encode()),), exit_code=code)


def driven(given: Definition, runners: Runners | None = None) -> tuple[Kernel, RunId]:
    kernel = Kernel(None, gates=runners or Runners())
    run = kernel.submit(given)
    kernel.drive(run)
    return kernel, run


def finds(*findings: Finding) -> Examination:
    return Examination(findings=findings, summary="It was looked at.")


BAD = Finding(rule="test_deleted", message="It is gone.", file="a.py", line=3, subject="test_a")
NOTE = replace(BAD, severity=Severity.NOTE)


def test_gates_of_a_step_have_slots_of_their_own() -> None:
    kernel, run = driven(checked(command("test"), command("lint")))
    assert kernel.status(run) is RunStatus.COMPLETED
    started = kernel.events(run, e.GateStarted)
    assert [(at.gate, at.slot) for at in started] == [("test", 1), ("lint", 2)]
    types = kernel.types(run)
    assert types.index("GateEnded") > [i for i, at in enumerate(types) if at == "GateStarted"][1]


def test_a_gate_waits_for_those_it_depends_on() -> None:
    runners = Runners()
    driven(checked(command("cover", depends_on=("test",)), command("test")), runners)
    assert runners.ran == ["test", "cover"]


def test_a_gate_does_not_run_where_one_before_it_failed() -> None:
    runners = Runners({"test": 1})
    kernel, run = driven(checked(command("cover", depends_on=("test",)), command("test")), runners)
    assert set(runners.ran) == {"test"}
    assert kernel.status(run) is RunStatus.FAILED


@pytest.mark.parametrize(("code", "status"), [(0, RunStatus.COMPLETED), (1, RunStatus.FAILED)])
def test_a_gate_runs_behind_one_that_only_warns_and_could_not_run(
    code: int, status: RunStatus
) -> None:
    runners = Runners({"lint": None, "test": code})
    after = command("test", depends_on=("lint",), policy=GatePolicy.BLOCK)
    kernel, run = driven(checked(command("lint", policy=GatePolicy.WARN), after), runners)
    assert runners.ran == ["lint", "test"]
    assert kernel.status(run) is status


def test_all_failing_gates_speak_to_the_worker() -> None:
    runners = Runners({"test": 1, "lint": 2})
    kernel, _ = driven(checked(command("test"), command("lint")), runners)
    told = kernel.fakes.worker.requests[1].prompt
    assert "test says" in told
    assert "lint says" in told


def test_a_blocking_gate_ends_the_run() -> None:
    runners = Runners({"test": 1})
    kernel, run = driven(checked(command("test", policy=GatePolicy.BLOCK)), runners)
    (failed,) = kernel.events(run, e.RunFailed)
    assert failed.outcome.kind is OutcomeKind.GATE_FAILED
    assert "'test'" in failed.outcome.reason
    assert len(kernel.fakes.worker.requests) == 1


def test_a_warning_gate_ends_nothing() -> None:
    runners = Runners({"lint": 1})
    kernel, run = driven(checked(command("lint", policy=GatePolicy.WARN)), runners)
    assert kernel.status(run) is RunStatus.COMPLETED
    (ended,) = kernel.events(run, e.GateEnded)
    assert ended.verdict is Verdict.WARNED


def test_one_gate_that_could_not_run_ends_the_run() -> None:
    kernel, run = driven(checked(command("test"), command("lint")), Runners({"lint": None}))
    (failed,) = kernel.events(run, e.RunFailed)
    assert "could not run" in failed.outcome.reason


def test_the_newest_change_is_compared_with_what_was_let_pass_last() -> None:
    seen: list[ChangeCase] = []

    def look(kind: GateWord, case: ChangeCase) -> Examination:
        del kind
        seen.append(case)
        return finds(BAD) if len(seen) == 2 else finds()

    guard = looking("guard", GateKind.TEST_INTEGRITY, policy=GatePolicy.FEEDBACK)
    first = replace(stop("check", StepKind.GATE), gate="guard", on_fail=BUILD)
    again = replace(stop("again", StepKind.GATE), gate="guard", on_fail=StepName("more"))
    given = replace(flow(work("build"), first, work("more"), again), gates={"guard": guard})
    kernel = Kernel(None)
    kernel.fakes.examiner.opinion = look
    run = kernel.submit(given)
    kernel.drive(run)
    assert kernel.status(run) is RunStatus.COMPLETED
    one, two, three = seen
    assert one.base == one.origin
    assert two.base == one.head
    assert three.base == one.head
    assert two.answer is not None


def test_what_only_a_person_may_accept_is_asked_at_once() -> None:
    gate = looking("files", GateKind.AUTO_RUN_FILES, policy=GatePolicy.ASK)
    kernel = Kernel(None)
    kernel.fakes.examiner.opinion = lambda _kind, _case: finds(BAD)
    run = kernel.submit(checked(gate))
    assert kernel.drive(run).status is RunStatus.WAITING
    (asked,) = kernel.events(run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.FINDINGS
    assert asked.question is not None
    assert "test_deleted" in kernel.world.artifacts.get(asked.question)


def answer(kernel: Kernel, run: RunId, *, note: str | None, key: str = "yes") -> RunStatus:
    asked = kernel.events(run, e.ApprovalRequested)[-1]
    words = kernel.world.artifacts.put(note) if note else None
    yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree, note=words)
    kernel.send(run, key, yes)
    return kernel.drive(run).status


def test_findings_are_accepted_with_a_reason_only() -> None:
    gate = looking("files", GateKind.AUTO_RUN_FILES, policy=GatePolicy.ASK)
    kernel = Kernel(None)
    kernel.fakes.examiner.opinion = lambda _kind, _case: finds(BAD)
    run = kernel.submit(checked(gate))
    kernel.drive(run)
    assert answer(kernel, run, note=None) is RunStatus.WAITING
    (refused,) = kernel.events(run, e.CommandRefused)
    assert "with a reason" in refused.reason
    assert answer(kernel, run, note="We want it.", key="again") is RunStatus.COMPLETED


def test_a_person_can_send_findings_back() -> None:
    gate = looking("files", GateKind.AUTO_RUN_FILES, policy=GatePolicy.ASK)
    kernel = Kernel(None)
    given = [finds(BAD), finds()]
    kernel.fakes.examiner.opinion = lambda _kind, _case: given.pop(0)
    run = kernel.submit(checked(gate))
    kernel.drive(run)
    (asked,) = kernel.events(run, e.ApprovalRequested)
    words = kernel.world.artifacts.put("Not in this house.")
    kernel.send(run, "no", Reject(step=CHECK, visit=1, tree=asked.tree, note=words))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert "Not in this house." in kernel.fakes.worker.requests[1].prompt


def test_findings_that_are_not_mended_are_put_before_a_person_at_last() -> None:
    gate = looking("tests", GateKind.TEST_INTEGRITY, policy=GatePolicy.FEEDBACK)
    kernel = Kernel(None)
    kernel.fakes.examiner.opinion = lambda _kind, _case: finds(BAD)
    run = kernel.submit(checked(gate, asks_at_last=True))
    assert kernel.drive(run).status is RunStatus.WAITING
    assert len(kernel.fakes.worker.requests) == 2
    assert "a.py:3 test_deleted test_a: It is gone." in kernel.fakes.worker.requests[1].prompt
    assert answer(kernel, run, note="The feature is gone too.") is RunStatus.COMPLETED


RED = command("red", kind=GateKind.RED_BEFORE_GREEN, policy=GatePolicy.BLOCK)
NEW = NewTests(names=(("test_a.py", "test_a"),))


def test_old_code_that_cannot_be_tested_is_put_before_a_person() -> None:
    kernel = Kernel(None, gates=Runners({"red": None}))
    kernel.fakes.examiner.tests = NEW
    run = kernel.submit(checked(RED, command("test")))
    assert kernel.drive(run).status is RunStatus.WAITING
    (asked,) = kernel.events(run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.FINDINGS
    assert answer(kernel, run, note="It needs the new tool chain.") is RunStatus.COMPLETED


@pytest.mark.parametrize(("lint", "back"), [(0, ["more"]), (1, ["build", "more"])])
def test_too_few_tests_go_to_the_step_that_has_to_write_them(lint: int, back: list[str]) -> None:
    check = replace(stop("check", StepKind.GATE), gate=None, gates=("test", "lint"), on_fail=BUILD)
    given = replace(
        flow(work("build"), work("more"), replace(check, max_retries=1)),
        gates={
            "test": command("test", min_tests_each=2, judges=StepName("more")),
            "lint": command("lint"),
        },
    )
    kernel = Kernel(None, gates=Runners({"lint": lint}))
    kernel.fakes.examiner.tests = NewTests(components=(("cart", 1),))
    run = kernel.submit(given)
    assert kernel.drive(run).status is RunStatus.FAILED
    entered = [at.step for at in kernel.events(run, e.StepEntered)]
    assert entered == ["build", "more", "check", *back, "check"]
    last = kernel.fakes.examiner.asked_tests[-1]
    assert last.own[-1][1] == last.head
    assert last.base not in last.own[-1]


def test_a_step_is_held_to_what_its_own_visits_made() -> None:
    back = replace(stop("again", StepKind.GATE), gate="again", on_fail=BUILD, max_retries=1)
    first = replace(stop("check", StepKind.GATE), gate="red", on_fail=BUILD)
    given = replace(
        flow(work("build"), first, work("more"), back),
        gates={"red": replace(RED, judges=BUILD), "again": command("again")},
    )
    kernel = Kernel(None, gates=Runners({"red": 1, "again": 1}))
    kernel.fakes.examiner.tests = NEW
    kernel.drive(kernel.submit(given))
    one, two = (case.own for case in kernel.fakes.examiner.asked_tests)
    assert (len(one), len(two)) == (1, 2)
    assert one[0] == two[0]


def test_a_note_fails_nothing_and_is_kept() -> None:
    gate = looking("tests", GateKind.TEST_INTEGRITY, policy=GatePolicy.FEEDBACK)
    kernel = Kernel(None)
    kernel.fakes.examiner.opinion = lambda _kind, _case: finds(NOTE)
    run = kernel.submit(checked(gate))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    (ended,) = kernel.events(run, e.GateEnded)
    assert (ended.verdict, ended.findings) == (Verdict.PASSED, 0)
    assert ended.report is not None
    assert '"note"' in kernel.world.artifacts.get(ended.report)


def test_false_claims_are_counted_by_role_and_agent() -> None:
    gate = looking("claims", GateKind.CLAIMS, policy=GatePolicy.FEEDBACK)
    lies = [
        Finding(rule="false_file_claim", message="No such file.", file="x"),
        Finding(rule="false_file_claim", message="No such file.", file="y"),
        Finding(rule="false_test_claim", message="No such test."),
        Finding(rule="unreported_change", message="Not reported.", severity=Severity.NOTE),
    ]
    kernel = Kernel(None)
    given = [finds(*lies), finds()]
    kernel.fakes.examiner.opinion = lambda _kind, _case: given.pop(0)
    run = kernel.submit(checked(gate))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    (refuted,) = kernel.events(run, e.ClaimsRefuted)
    assert (refuted.role, refuted.cli) == ("implementation", "agent")
    assert (refuted.files, refuted.tests, refuted.commits) == (2, 1, 0)


def test_the_measured_complexity_is_remembered() -> None:
    gate = looking("complexity", GateKind.COMPLEXITY, policy=GatePolicy.WARN)
    kernel = Kernel(None)
    seen = Examination(complexity=Complexity.MEDIUM, summary="Two layers.")
    kernel.fakes.examiner.opinion = lambda _kind, _case: seen
    run = kernel.submit(checked(gate))
    kernel.drive(run)
    assert kernel.events(run, e.GateEnded)[0].complexity is Complexity.MEDIUM


def test_a_question_stays_open_while_nobody_answers() -> None:
    gate = looking("files", GateKind.AUTO_RUN_FILES, policy=GatePolicy.ASK)
    kernel = Kernel(None)
    kernel.fakes.examiner.opinion = lambda _kind, _case: finds(BAD)
    run = kernel.submit(checked(gate))
    kernel.drive(run)
    kernel.drive(run)
    assert len(kernel.events(run, e.ApprovalRequested)) == 1


def test_a_failure_without_a_word_is_a_bug() -> None:
    silent = e.GateEnded(
        step=CHECK, visit=1, gate="test", verdict=Verdict.FAILED, reason="", output=None
    )
    with pytest.raises(InternalError, match="without saying why"):
        feedback_of(silent)
    assert feedback_of(replace(silent, output=ArtifactHash("o"))).artifact == "o"


def test_a_run_at_a_gate_step_keeps_its_gates() -> None:
    gate = looking("files", GateKind.AUTO_RUN_FILES, policy=GatePolicy.ASK)
    kernel = Kernel(None)
    kernel.fakes.examiner.opinion = lambda _kind, _case: finds(BAD)
    run = kernel.submit(checked(gate))
    kernel.drive(run)
    other = checked(command("test"))
    [problem] = kernel.play(run).migration_problems(kernel.world.documents.save(other))
    assert "other gates" in problem


def test_what_depends_on_an_accepted_finding_still_runs() -> None:
    auto = looking("auto", GateKind.AUTO_RUN_FILES, policy=GatePolicy.ASK)
    after = command("test", depends_on=("auto",), policy=GatePolicy.BLOCK)
    runners = Runners({"test": 1})
    kernel = Kernel(None, gates=runners)
    kernel.fakes.examiner.opinion = lambda _kind, _case: finds(BAD)
    run = kernel.submit(checked(auto, after))
    kernel.drive(run)
    assert answer(kernel, run, note="We want it.") is RunStatus.FAILED
    assert runners.ran == ["test"]


def test_accepting_findings_signs_nothing_off() -> None:
    auto = looking("auto", GateKind.AUTO_RUN_FILES, policy=GatePolicy.ASK)
    kernel = Kernel(None)
    kernel.fakes.examiner.opinion = lambda _kind, _case: finds(BAD)
    run = kernel.submit(checked(auto, human_approval=True))
    kernel.drive(run)
    assert answer(kernel, run, note="We want it.") is RunStatus.WAITING
    assert kernel.events(run, e.ApprovalRequested)[-1].reason == ApprovalReason.HUMAN_GATE
    assert answer(kernel, run, note=None, key="signed") is RunStatus.COMPLETED


def test_a_no_is_worth_new_tries() -> None:
    gate = looking("tests", GateKind.TEST_INTEGRITY, policy=GatePolicy.FEEDBACK)
    kernel = Kernel(None)
    given = [finds(BAD), finds(BAD), finds()]
    kernel.fakes.examiner.opinion = lambda _kind, _case: given.pop(0)
    run = kernel.submit(checked(gate, asks_at_last=True))
    kernel.drive(run)
    (asked,) = kernel.events(run, e.ApprovalRequested)
    words = kernel.world.artifacts.put("Put the tests back.")
    kernel.send(run, "no", Reject(step=CHECK, visit=asked.visit, tree=asked.tree, note=words))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert "Put the tests back." in kernel.fakes.worker.requests[-1].prompt


def test_each_kind_of_gate_vouches_for_itself() -> None:
    seen: dict[GateWord, ChangeCase] = {}

    def look(kind: GateWord, case: ChangeCase) -> Examination:
        seen[kind] = case
        return finds()

    gates: dict[str, Gate] = {kind: looking(kind, kind) for kind in LOOKS}
    steps = [replace(stop(name, StepKind.GATE), gate=name) for name in gates]
    given = replace(flow(work("build"), *steps), gates=gates)
    kernel = Kernel(None)
    kernel.fakes.examiner.opinion = look
    run = kernel.submit(given)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert {case.base == case.origin for case in seen.values()} == {True}


LOOKS = (GateKind.CLAIMS, GateKind.TEST_INTEGRITY, GateKind.CHANGELOG, GateKind.COMPLEXITY)


def test_a_warning_gate_that_could_not_run_says_so_and_ends_nothing() -> None:
    lint = command("lint", policy=GatePolicy.WARN)
    kernel, run = driven(checked(lint), Runners({"lint": None}))
    assert kernel.status(run) is RunStatus.COMPLETED
    assert kernel.events(run, e.GateEnded)[0].verdict is Verdict.NOT_RUN


def test_a_failure_that_nobody_can_mend_names_its_gate() -> None:
    kernel, run = driven(checked(command("test"), on_fail=None), Runners({"test": 1}))
    (failed,) = kernel.events(run, e.RunFailed)
    assert "gate 'test' failed" in failed.outcome.reason


def test_warnings_are_told_at_the_end() -> None:
    kernel, run = driven(checked(command("lint", policy=GatePolicy.WARN)), Runners({"lint": 1}))
    (done,) = kernel.events(run, e.RunCompleted)
    assert "'check' was passed with a warning" in done.outcome.reason


def test_gates_that_have_spoken_may_go() -> None:
    kernel = Kernel(None)
    ask = replace(stop("ask", StepKind.HUMAN), next=None)
    given = checked(command("test"))
    check = replace(given.workflow.steps[CHECK], next=ask.name)
    steps = {**given.workflow.steps, CHECK: check, ask.name: ask}
    given = replace(given, workflow=replace(given.workflow, steps=steps))
    run = kernel.submit(given)
    kernel.drive(run)
    less = {name: at for name, at in steps.items() if name != CHECK}
    other = replace(given, workflow=replace(given.workflow, steps=less))
    assert kernel.play(run).migration_problems(kernel.world.documents.save(other)) == ()
