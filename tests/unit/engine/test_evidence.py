"""What a green gate is worth: old tests and a hollow product may contradict it."""

import json
from types import SimpleNamespace
from typing import cast

import pytest
from tests.support.kernel import GATE, Kernel, stop, work
from tests.unit.engine.gate_runs import Runs, results, with_tests

from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName
from supervisor_ai.domain.redaction.redacted import Redacted
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding, GateKind, GateWord, Severity
from supervisor_ai.domain.run.inbox_commands import Approve
from supervisor_ai.domain.run.status import RunStatus, Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.agreed_changes import Agreed, agreed_changes
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.judgement import judge
from supervisor_ai.engine.effects.gates.named_tests import shown_results
from supervisor_ai.engine.effects.gates.replay import lost_tests
from supervisor_ai.engine.effects.gates.unnamed_tests import unnamed_tests
from supervisor_ai.engine.ports.evidence import Halves, Hollow
from supervisor_ai.engine.ports.gates import (
    CaseOutcome,
    CaseResult,
    ChangeCase,
    Examination,
    Lack,
    LackKind,
    Missing,
    Reading,
    Unexaminable,
)
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxResult, SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.world import Operation
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.memory_ledger import MemoryArtifacts
from supervisor_ai.testing.world import NoSecrets, says

READER = GateKind.TEST_INTEGRITY
PASSED, FAILED, SKIPPED = CaseOutcome.PASSED, CaseOutcome.FAILED, CaseOutcome.SKIPPED


def rules(found: tuple[Finding, ...]) -> list[tuple[str, str | None]]:
    return [(it.rule, it.subject) for it in found]


def test_what_passes_as_before_is_no_finding() -> None:
    now = results(a=PASSED, b=PASSED)
    assert lost_tests({"a": PASSED}, now, now) == ()


@pytest.mark.parametrize(
    ("after", "rule"),
    [
        ({}, "test_not_run"),
        ({"a": SKIPPED}, "test_skipped"),
        ({"a": FAILED}, "old_test_fails"),
    ],
)
def test_what_passed_before_and_does_not_now(after: dict[str, CaseOutcome], rule: str) -> None:
    found = lost_tests({"a": PASSED}, results(a=PASSED), results(**after))
    assert rules(found) == [(rule, "a")]


def test_one_cause_is_told_once() -> None:
    before = {f"t{number}": PASSED for number in range(600)}
    after = tuple(CaseResult(name, FAILED, "ImportError: no name 'old'") for name in before)
    (found,) = lost_tests(before, results(), after)
    assert "595 more" in found.message
    assert "ImportError" in found.message


def test_the_cases_of_one_test_are_told_once() -> None:
    before = {f"t[{word}]": PASSED for word in ("a", "b", "c")}
    after = tuple(CaseResult(name, FAILED, f"E   {name} is wrong") for name in before)
    (found,) = lost_tests(before, results(), after)
    assert "t[a] is wrong. The same holds for t[b], t[c]." in found.message


def test_a_red_one_is_wanted_only_where_the_gate_calls_it_green() -> None:
    before = {"a": FAILED}
    assert lost_tests(before, results(a=FAILED), results(a=FAILED)) == ()
    assert rules(lost_tests(before, results(a=PASSED), results(a=FAILED))) == [
        ("old_test_fails", "a")
    ]


@pytest.mark.parametrize(
    ("announced", "planned", "accepted", "rule"),
    [
        ({"m.py::test_old"}, ("test_old changes its message",), set(), "change_to_accept"),
        ({"test_old"}, ("test_old changes its message",), {"other"}, "change_to_accept"),
        ({"test_old"}, ("test_old changes its message",), {"test_old"}, "agreed_change"),
        ({"test_old"}, (), {"m.py::test_old"}, "agreed_change"),
        ({"test_old"}, (), {"test_other"}, "test_not_run"),
        ({"test_old"}, (), set(), "test_not_run"),
        (set(), ("test_old changes its message",), {"test_old"}, "test_not_run"),
    ],
)
def test_a_test_may_be_broken_where_that_was_announced_and_agreed(
    announced: set[str], planned: tuple[str, ...], accepted: set[str], rule: str
) -> None:
    agreed = Agreed(announced=frozenset(announced), planned=planned, accepted=frozenset(accepted))
    (found,) = lost_tests({"m.py::test_old": PASSED}, (), (), agreed)
    is_error = rule == "test_not_run"
    assert (found.rule, found.severity is Severity.ERROR) == (rule, is_error)


@pytest.mark.parametrize(
    ("said", "name", "is_accepted"),
    [
        ("test_x", "tests/b.py::B::test_x", True),
        ("tests/b.py::test_x", "tests/b.py::B::test_x", True),
        ("tests/b.py::B::test_x", "test_x (tests.b.B.test_x)", True),
        ("tests/a.py::test_x", "tests/b.py::B::test_x", False),
        ("test_x", "tests/b.py::test_x[1-2]", True),
        ("test_x[1-2]", "tests/b.py::test_x[1-2]", True),
        ("test_x[1]", "tests/b.py::test_x[1-2]", False),
        ("tests", "tests/b.py::test_x", False),
        ("b.py", "tests/b.py::test_x", False),
        (".py", "tests/b.py::test_x", False),
        ("cart adds up", "cart > adds up", True),
    ],
)
def test_who_accepts_a_test_names_it(said: str, name: str, *, is_accepted: bool) -> None:
    agreed = Agreed(announced=frozenset({name}), accepted=frozenset({said}))
    assert agreed.is_accepted(name) == is_accepted


READINGS = {
    "green": Reading(tool="pytest", tests=2, results=results(a=PASSED, b=PASSED)),
    "lacking": Reading(missing=(Missing("yaml", is_module=True),)),
    "unloaded": Reading(tool="pytest", failed=1),
    "red": Reading(tool="pytest", tests=2, failed=1, results=results(a=PASSED, b=FAILED)),
}


NOTHING = Halves()
UNTOUCHED = Hollow()


def driven(
    *runs: str,
    fault: Unexaminable | None = None,
    parts: Halves = NOTHING,
    hollow: Hollow = UNTOUCHED,
) -> tuple[Kernel, RunId, Runs]:
    tests = Runs(*runs)
    kernel = Kernel(None, gates=tests)
    kernel.fakes.examiner.needs = (Lack(name="yaml", kind=LackKind.DECLARED),)
    kernel.fakes.examiner.readings.update(READINGS)
    kernel.fakes.evidence.parts = parts
    kernel.fakes.evidence.fault = fault
    kernel.fakes.evidence.changed = hollow
    kernel.fakes.evidence.whole = hollow
    run = kernel.submit(with_tests())
    kernel.drive(run)
    return kernel, run, tests


def test_a_change_of_the_product_alone_is_compared_without_another_run() -> None:
    kernel, run, tests = driven("green base", "green head")
    assert kernel.status(run) is RunStatus.COMPLETED
    assert tests.says == []


def test_the_harness_of_the_base_judges_a_change_that_touches_it() -> None:
    parts = Halves(replay={"tests/test_a.py": b"old"}, touches_harness=True)
    kernel, run, _ = driven("green base", "green head", "red replay", parts=parts)
    assert kernel.status(run) is RunStatus.FAILED
    (ended,) = kernel.events(run, e.GateEnded)
    assert ended.reason.startswith("Found: old_test_fails")


def announcing(request: WorkerRequest) -> FakeReply:
    if request.role == AnswerKind.PLAN:
        return FakeReply(output=says(AnswerKind.PLAN, behaviour_changes=["b is renamed"]))
    entry = {"test": "b", "reason": "It is renamed."}
    return FakeReply(output=says(AnswerKind.IMPLEMENTATION, changed_tests=[entry]))


def test_a_planner_releases_no_old_test_and_a_person_does_so_by_name() -> None:
    gates = Runs("green base", "green head", "red replay", "green head", "red replay")
    kernel = Kernel(None, agent=announcing, gates=gates)
    kernel.fakes.examiner.readings.update(READINGS)
    kernel.fakes.evidence.parts = Halves(replay={"tests/test_a.py": b"old"})
    given = with_tests()
    build, check = given.workflow.steps.values()
    plan = replace(work("plan", AnswerKind.PLAN), next=build.name)
    again = replace(check, name=StepName("again"))
    gate = replace(given.gates["test"], is_fresh=True)
    steps = {it.name: it for it in (plan, build, replace(check, next=again.name), again)}
    workflow = replace(given.workflow, steps=steps, initial_step=plan.name)
    run = kernel.submit(replace(given, workflow=workflow, gates={"test": gate}))
    assert kernel.drive(run).status is RunStatus.WAITING
    (ended,) = kernel.events(run, e.GateEnded)
    assert (ended.needs_person, ended.reason.split(".")[0]) == (True, "Found: change_to_accept")
    (asked,) = kernel.events(run, e.ApprovalRequested)
    note = kernel.world.artifacts.put("b is renamed, indeed.")
    yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
    kernel.send(run, "yes", yes)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert "Noted: agreed_change" in kernel.events(run, e.GateEnded)[1].reason
    assert gates.says == []


EMPTIED = Hollow(contents={"a.py": b""}, emptied=("a.py",))


def test_a_product_that_does_nothing_has_to_be_noticed() -> None:
    kernel, run, tests = driven("green base", "green head", "red hollow", hollow=EMPTIED)
    assert kernel.status(run) is RunStatus.COMPLETED
    assert tests.says == []


@pytest.mark.parametrize("near", [["red near"], ["unloaded near", "red hollow"]])
def test_tests_that_speak_of_a_module_are_asked_first(near: list[str]) -> None:
    hollow = replace(EMPTIED, far_tests=("test_b.py",))
    kernel, run, tests = driven("green base", "green head", *near, hollow=hollow)
    assert kernel.status(run) is RunStatus.COMPLETED
    assert tests.says == []


def test_tests_that_look_elsewhere_are_no_evidence() -> None:
    kernel, run, _ = driven(
        "green base", "green head", "green changed", "green whole", hollow=EMPTIED
    )
    assert kernel.status(run) is RunStatus.FAILED
    (ended,) = kernel.events(run, e.GateEnded)
    assert "tests_look_elsewhere" in ended.reason


def test_a_module_that_no_test_notices_is_noted() -> None:
    kernel, run, _ = driven(
        "green base", "green head", "green changed", "red whole", hollow=EMPTIED
    )
    assert kernel.status(run) is RunStatus.COMPLETED
    (ended,) = kernel.events(run, e.GateEnded)
    assert "unnoticed_module (a.py)" in ended.reason


def test_what_the_surroundings_lack_is_nobodys_to_mend() -> None:
    kernel, run, _ = driven("green base", "lacking head")
    (failed,) = kernel.events(run, e.RunFailed)
    assert "'yaml' is a dependency of the project" in failed.outcome.reason
    assert len(kernel.fakes.worker.requests) == 1


def test_a_harness_of_the_base_that_cannot_be_loaded_is_the_heads_in_part() -> None:
    parts = Halves(replay={"tests/conftest.py": b"old"}, not_replayed=("a.rs is left.",))
    kernel, run, tests = driven("green base", "green head", "unloaded", "green own", parts=parts)
    assert tests.says == []
    (ended,) = kernel.events(run, e.GateEnded)
    assert ended.reason.startswith("Found: not_replayed")
    assert ended.report is not None
    assert "harness_of_the_change" in kernel.world.artifacts.get(ended.report)


def test_what_nobody_could_take_apart_is_not_green() -> None:
    kernel, run, _ = driven("green base", "green head", fault=Unexaminable("It is too much."))
    (ended,) = kernel.events(run, e.GateEnded)
    assert ended.reason.startswith("Found: unreadable")


def test_names_that_were_erased_demand_nothing() -> None:
    class Erasing(Runs):
        def __call__(self, spec: SandboxSpec) -> ScriptedReply:  # type: ignore[explicit-override]
            for ended in kernel.events(run, e.BaselineEnded):
                assert ended.results is not None
                kernel.fakes.artifacts.erase(ended.results)
            return super().__call__(spec)

    kernel = Kernel(None, gates=Erasing("green base", "green head"))
    kernel.fakes.examiner.readings.update(READINGS)
    run = kernel.submit(with_tests())
    assert kernel.drive(run).status is RunStatus.COMPLETED


def test_a_test_whose_name_is_taken_for_a_secret_is_the_same_test() -> None:
    name = "tests/test_url.py::test_query[http://wiki:sekrit99@hatnote.com]"
    found = (CaseResult(name, PASSED), CaseResult("tests/test_url.py::password", FAILED))
    kernel = Kernel(None, gates=Runs("secret base", "green head", "green replay"))
    kernel.fakes.examiner.readings["secret"] = Reading(tests=2, failed=1, results=found)
    kernel.fakes.examiner.readings["green"] = Reading(tests=2, results=(found[0],))
    kernel.fakes.evidence.parts = Halves(replay={"tests/test_a.py": b"old"})
    kernel.world = replace(kernel.world, redactor=RuleRedactor(key=b"of this process"))
    run = kernel.submit(with_tests())
    assert kernel.drive(run).status is RunStatus.COMPLETED
    (before,) = kernel.events(run, e.BaselineEnded)
    assert before.results is not None
    assert "wiki:[REDACTED:url-password]@" in kernel.world.artifacts.get(before.results)


def test_a_baseline_is_found_again() -> None:
    kernel = Kernel(None, gates=Runs("green base", "green head"))
    kernel.fakes.examiner.readings.update(READINGS)
    kernel.drive(kernel.submit(with_tests()))
    run = kernel.submit(with_tests())
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert [it.is_reused for it in kernel.events(run, e.BaselineEnded)] == [True]


def answers(**texts: str) -> Agreed:
    artifacts = MemoryArtifacts()
    author = SimpleNamespace(answer=artifacts.put(texts["answer"]))
    review = artifacts.put(texts.get("review", "{}"))
    plan = artifacts.put(texts["plan"])
    report = artifacts.put(texts.get("report", "[]"))
    effect = SimpleNamespace(
        author=author, plans=(plan,), reviews=(review,), accepted=(report, ArtifactHash("gone"))
    )
    return agreed_changes(cast("RunGate", effect), artifacts)


def test_what_was_agreed_is_read_from_answers() -> None:
    entries = [{"test": "a", "reason": "new"}, {"test": "b", "reason": " "}, "c", {"test": 3}]
    said = answers(
        answer=json.dumps({"changed_tests": entries}),
        plan=json.dumps({"behaviour_changes": ["a is renamed", 7]}),
        review=json.dumps({"accepted_tests": ["m.py::d", None]}),
        report=json.dumps(
            [{"rule": "change_to_accept", "subject": "e"}, {"rule": "x", "subject": "f"}, 7]
        ),
    )
    accepted = frozenset({"m.py::d", "e"})
    assert said == Agreed(announced=frozenset({"a"}), planned=("a is renamed",), accepted=accepted)


@pytest.mark.parametrize("text", ["nonsense", "[1]", '{"changed_tests": 3}'])
def test_what_cannot_be_read_agrees_to_nothing(text: str) -> None:
    assert answers(answer=text, plan=text) == Agreed()


@pytest.mark.parametrize(
    ("known", "verdict"), [((), Verdict.FAILED), (("b",), Verdict.PASSED), (("a",), Verdict.FAILED)]
)
def test_the_user_may_name_tests_that_are_red(known: tuple[str, ...], verdict: Verdict) -> None:
    result = SandboxResult(
        end=SandboxEnd.EXITED, exit_code=1, reason="", hidden=("one copy", "another")
    )
    ran = Ran(result=result, output=ArtifactHash("o"), text="", reading=READINGS["red"])
    said = judge(replace(GATE, known_red=known), ran)
    assert said.verdict is verdict
    told = f"Known red, as the configuration says: {', '.join(known)} (forgiven: "
    forgiven = "b" if known == ("b",) else "none"
    assert (f"{told}{forgiven})." in said.reason) == bool(known)
    assert "one copy and 1 more" in said.reason


def test_what_may_be_red_is_shown_where_nothing_was() -> None:
    result = SandboxResult(end=SandboxEnd.EXITED, exit_code=0, reason="")
    ran = Ran(result=result, output=ArtifactHash("o"), text="", reading=READINGS["green"])
    names = tuple(f"t{number}" for number in range(12))
    said = judge(replace(GATE, known_red=names), ran)
    assert said.verdict is Verdict.PASSED
    assert "as the configuration says: t0, t1," in said.reason
    assert "t9, 2 more (forgiven: none)." in said.reason
    assert "Known red" not in judge(GATE, ran).reason


UNNAMED = {"green": Reading(), "red": Reading()}
OLD_RUNNER = Halves(replay={"test/run.js": b"old"}, touches_harness=True)


def unnamed(*runs: str, parts: Halves = NOTHING) -> tuple[RunStatus, str, list[str]]:
    tests = Runs(*runs)
    kernel = Kernel(None, gates=tests)
    kernel.fakes.examiner.readings.update(UNNAMED)
    kernel.fakes.evidence.parts = parts
    run = kernel.submit(with_tests())
    status = kernel.drive(run).status
    (ended,) = kernel.events(run, e.GateEnded)
    return status, ended.reason, tests.says


def test_tests_without_names_are_replayed_as_a_whole() -> None:
    assert unnamed("green 1.2 s", "green 3 s")[0] is RunStatus.COMPLETED
    status, reason, left = unnamed("green", "green", "red: one is broken", parts=OLD_RUNNER)
    assert status is RunStatus.FAILED
    assert reason.startswith("Found: old_tests_fail.")
    assert left == []


def test_tests_without_names_have_to_come_to_the_same_end() -> None:
    status, reason, _ = unnamed("green\nall 7 are well\n\n", "green, out of the product")
    assert status is RunStatus.FAILED
    assert reason.startswith("Found: tests_cut_short.")
    assert unnamed("green\nall 7 are well", "green\nall 8 are well\nby")[0] is RunStatus.COMPLETED


@pytest.mark.parametrize(
    "said", ["not ok 1 sums", "  ✖ sums", "3 passed, 1 failed", "FAILED sums", "2 failures"]
)
def test_tests_without_names_may_complain_whatever_their_exit_code(said: str) -> None:
    end = "done"
    status, reason, _ = unnamed(f"green\n0 failed\n{end}", f"green\n{said}\n{end}")
    assert status is RunStatus.FAILED
    assert reason.startswith("Found: old_tests_fail.")
    assert unnamed(f"green\n{said}\n{end}", f"green\n{said}\n{end}")[0] is RunStatus.COMPLETED


def counted(*tests: int, least: int | None = None) -> tuple[RunStatus, str]:
    """Let a runner say how many tests it ran, before the change and after it."""
    kernel = Kernel(None, gates=Runs(*(f"green {it}" for it in tests)))
    kernel.fakes.examiner.readings.update({f"green {it}": Reading(tests=it) for it in tests})
    definition = with_tests()
    gates = {name: replace(it, min_tests=least) for name, it in definition.gates.items()}
    run = kernel.submit(replace(definition, gates=gates))
    status = kernel.drive(run).status
    return status, kernel.events(run, e.GateEnded)[-1].reason


def test_as_many_tests_as_before_are_wanted_where_nobody_says_another_number() -> None:
    status, reason = counted(5, 4)
    assert status is RunStatus.FAILED
    assert reason == "At least 5 tests are wanted; it ran 4."
    assert counted(5, 5)[0] is RunStatus.COMPLETED
    assert counted(5, 4, least=3)[0] is RunStatus.COMPLETED


def test_a_base_that_was_red_demands_nothing_of_tests_without_names() -> None:
    assert unnamed("red", "green", parts=OLD_RUNNER)[0] is RunStatus.COMPLETED


@pytest.mark.parametrize(
    ("canary", "found"),
    [
        (["green changed", "green whole"], "tests_look_elsewhere"),
        (["green changed", "red whole"], "unnoticed_module (a.py)"),
        (["red changed"], ""),
    ],
)
def test_the_first_tests_of_a_project_notice_that_it_does_nothing(
    canary: list[str], found: str
) -> None:
    kernel, run, tests = driven("unloaded base", "green head", *canary, hollow=EMPTIED)
    is_refused = found == "tests_look_elsewhere"
    assert (kernel.status(run) is RunStatus.FAILED) == is_refused
    (ended,) = kernel.events(run, e.GateEnded)
    assert found in ended.reason
    assert tests.says == []


def test_first_tests_that_nobody_can_take_apart_are_not_green() -> None:
    kernel, run, _ = driven("unloaded base", "green head", fault=Unexaminable("It is too large."))
    (ended,) = kernel.events(run, e.GateEnded)
    assert ended.reason.startswith("Found: unreadable.")


def test_a_change_of_tests_without_names_may_be_agreed() -> None:
    agreed = Agreed(announced=frozenset({"sums"}), accepted=frozenset({"sums"}))
    result = SandboxResult(end=SandboxEnd.EXITED, exit_code=1, reason="")
    ran = Ran(result=result, output=ArtifactHash("o"), text="")
    effect = cast("RunGate", SimpleNamespace(gate=GATE, least_tests=None))
    (found,) = unnamed_tests(effect, cast("Operation", None), ran, agreed)
    assert (found.rule, found.severity) == ("agreed_change", Severity.NOTE)
    assert found.subject == "sums"


def weakened(kind: GateWord, case: ChangeCase) -> Examination:
    del kind, case
    return Examination(
        findings=(Finding(rule="assertion_weakened", message="It says less."),), summary=""
    )


def with_reader() -> Definition:
    """Return a workflow in which somebody reads the tests before they run."""
    definition = with_tests()
    looks = replace(stop("look", StepKind.GATE), gate="reader", next=StepName("check"))
    steps = {**definition.workflow.steps, StepName("look"): looks}
    steps[StepName("build")] = replace(steps[StepName("build")], next=StepName("look"))
    gates = {**definition.gates, "reader": replace(GATE, name="reader", kind=READER, command=())}
    return replace(definition, gates=gates, workflow=replace(definition.workflow, steps=steps))


@pytest.mark.parametrize(
    ("base", "replay", "said"),
    [
        ("green base", "green replay", [Verdict.PASSED, Verdict.PASSED]),
        ("green base", "red replay", [Verdict.PASSED, Verdict.FAILED]),
        ("unloaded base", "green replay", [Verdict.FAILED]),
    ],
)
def test_who_reads_tests_leaves_to_the_replay_what_it_can_tell(
    base: str, replay: str, said: list[Verdict]
) -> None:
    tests = Runs(base, "green head", replay)
    kernel = Kernel(None, gates=tests)
    kernel.fakes.examiner.readings.update(READINGS)
    kernel.fakes.examiner.opinion = weakened
    kernel.fakes.evidence.parts = Halves(replay={"tests/test_a.py": b"old"}, touches_harness=True)
    run = kernel.submit(with_reader())
    kernel.drive(run)
    ended = kernel.events(run, e.GateEnded)
    assert [it.verdict for it in ended] == said
    assert "assertion_weakened" in ended[-1].reason or Verdict.FAILED not in said


def test_of_tests_that_differ_in_a_secret_one_that_fails_is_not_hidden_by_one_that_passes() -> None:
    def named(password: str, outcome: CaseOutcome) -> CaseResult:
        return CaseResult(f"test[http://wiki:{password}@hatnote.com]", outcome, "E   boom")

    world = SimpleNamespace(redactor=RuleRedactor(key=b"of this process"))
    operation = cast("Operation", SimpleNamespace(world=world))
    found = (named("sekrit99", FAILED), named("hidden77", PASSED))
    shown = shown_results(operation, found)
    assert len({it.name for it in shown}) == 1
    (lost,) = lost_tests({shown[0].name: PASSED}, shown, shown)
    assert lost.rule == "old_test_fails"


def test_names_that_are_withheld_together_stay_what_they_are() -> None:
    class Withholding(NoSecrets):
        def redact(self, text: str) -> Redacted:  # type: ignore[explicit-override]
            del text
            return Redacted(text="[REDACTED:withheld]", count=1)

    world = SimpleNamespace(redactor=Withholding())
    found = results(a=PASSED, b=FAILED)
    assert shown_results(cast("Operation", SimpleNamespace(world=world)), found) == found
