"""Gates of all kinds, as the engine performs them."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

import pytest
from tests.support.kernel import GATE, Kernel, flow, stop, work
from typing_extensions import override

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import (
    EXECUTOR_LIMITS,
    Definition,
    Gate,
    SandboxPolicy,
    StepKind,
    WorkspacePolicy,
)
from supervisor_ai.domain.run.gates import Finding, GateKind, GatePolicy
from supervisor_ai.domain.run.inbox_commands import Approve
from supervisor_ai.domain.run.status import RunStatus, Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gate_check import Checked, CheckRequest, check_gate
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.gate_result import Opinion, with_notes
from supervisor_ai.engine.effects.gates.judgement import judge
from supervisor_ai.engine.ports.gates import (
    Missing,
    Mutant,
    NewTests,
    Reading,
    ReportRequest,
    Unexaminable,
)
from supervisor_ai.engine.ports.sandbox import Channel, SandboxEnd, SandboxResult, SandboxSpec
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.virtual_loop import run_virtual

BUILD = StepName("build")


class Runner:
    """Says the same again and again, and counts how often it is asked."""

    def __init__(self, output: str = "", code: int = 0, **later: int) -> None:
        self.output, self.code, self.asked = output, code, 0
        self._later = later
        self.environments: list[Mapping[str, str]] = []

    def __call__(self, spec: SandboxSpec) -> ScriptedReply:
        self.asked += 1
        self.environments.append(spec.environment)
        code = self._later.get(f"n{self.asked}", self.code)
        return ScriptedReply(output=((Channel.STDOUT, self.output.encode()),), exit_code=code)


def gated(gate: Gate, *more: StepName) -> Definition:
    step = replace(stop("test", StepKind.GATE), on_fail=BUILD, max_retries=0)
    again = [replace(step, name=name) for name in more]
    return replace(flow(work("build"), step, *again), gates={GATE.name: gate})


def driven(
    gate: Gate, runner: Runner, reading: Reading | None = None, *more: StepName
) -> tuple[Kernel, RunId]:
    kernel = Kernel(None, gates=runner)
    if reading is not None:
        kernel.fakes.examiner.readings[""] = reading
    run = kernel.submit(gated(gate, *more))
    kernel.drive(run)
    return kernel, run


def ended(kernel: Kernel, run: RunId) -> e.GateEnded:
    return kernel.events(run, e.GateEnded)[0]


@pytest.mark.parametrize(
    ("reading", "reason"),
    [
        (Reading(tool="pytest", tests=0), "no test ran at all"),
        (Reading(tool="pytest", tests=3, failed=1), "its output says that 1 failed"),
    ],
)
def test_a_runner_that_says_otherwise_is_believed_more_than_exit_code_0(
    reading: Reading, reason: str
) -> None:
    kernel, run = driven(GATE, Runner("..."), reading)
    assert ended(kernel, run).verdict is Verdict.FAILED
    assert reason in ended(kernel, run).reason


def test_a_runner_that_never_came_to_its_end_has_failed() -> None:
    kernel, run = driven(GATE, Runner("..."), Reading(is_unfinished=True))
    assert ended(kernel, run).verdict is Verdict.FAILED
    assert "its runner was to run tests, and neither its output" in ended(kernel, run).reason
    kernel, run = driven(GATE, Runner("..."), Reading(tool="cargo test", is_unfinished=True))
    assert "cargo test only listed or built tests, or never" in ended(kernel, run).reason


def test_nothing_to_do_is_no_success_where_tests_are_expected() -> None:
    tests = replace(GATE, counts_tests=True)
    kernel, run = driven(tests, Runner("..."), Reading(is_idle=True))
    assert ended(kernel, run).verdict is Verdict.FAILED
    assert "there was nothing that it had to do: no test ran." in ended(kernel, run).reason
    kernel, run = driven(GATE, Runner("..."), Reading(is_idle=True))
    assert ended(kernel, run).verdict is Verdict.PASSED


class Asked(Runner):
    """Leaves a report where it is asked to, and remembers how it was started."""

    kernel: Kernel

    @override
    def __call__(self, spec: SandboxSpec) -> ScriptedReply:
        self.spec = spec
        if f"{spec.cwd}.reports" in {str(mount.target) for mount in spec.mounts}:
            self.kernel.fakes.workspaces.report(spec.cwd, "pytest.xml", "the report")
        return super().__call__(spec)


def asked(gate: Gate) -> tuple[Asked, e.GateEnded]:
    runner = Asked("the output")
    runner.kernel = kernel = Kernel(None, gates=runner)
    environment = {"PYTEST_ADDOPTS": "--junitxml"}
    kernel.fakes.examiner.request = ReportRequest(
        argv=("make", "-s"), environment=environment, programs=("/ours.cjs",)
    )
    kernel.fakes.examiner.readings["the report"] = Reading(tests=5)
    run = kernel.submit(gated(gate))
    kernel.drive(run)
    return runner, ended(kernel, run)


def test_a_command_is_asked_for_reports_and_they_are_read() -> None:
    runner, said = asked(GATE)
    assert (said.verdict, said.tests) == (Verdict.PASSED, 5)
    assert runner.spec.argv == ("make", "-s")
    assert runner.spec.environment["PYTEST_ADDOPTS"] == "--junitxml"
    assert [mount.is_writable for mount in runner.spec.mounts[-2:]] == [True, False]


def test_tests_that_were_there_before_are_wanted_unless_the_gate_says_how_many() -> None:
    result = SandboxResult(end=SandboxEnd.EXITED, exit_code=0, reason="")
    ran = Ran(result=result, output=ArtifactHash(""), text="", reading=Reading(tests=3))
    assert judge(GATE, ran, least=3).verdict is Verdict.PASSED
    assert judge(GATE, ran, least=4).reason == "At least 4 tests are wanted; it ran 3."
    assert judge(replace(GATE, min_tests=2), ran, least=4).verdict is Verdict.PASSED


def test_the_number_of_tests_is_told_or_said_to_be_unknown() -> None:
    kernel, run = driven(GATE, Runner("..."), Reading(tool="pytest", tests=4))
    assert "It ran 4 tests." in ended(kernel, run).reason
    kernel, run = driven(replace(GATE, counts_tests=True), Runner("..."))
    assert ended(kernel, run).verdict is Verdict.PASSED
    assert "tests: unknown" in ended(kernel, run).reason


def test_the_failing_part_goes_back() -> None:
    reading = Reading(tool="pytest", tests=2, failed=1, failing="assert 1 == 2")
    kernel, run = driven(GATE, Runner("... the end", code=1), reading)
    told = ended(kernel, run).feedback
    assert told is not None
    text = kernel.world.artifacts.get(told)
    assert "assert 1 == 2" in text
    assert "the end" in text
    reading = replace(reading, failing="... the end")
    kernel, run = driven(GATE, Runner("... the end", code=1), reading)
    told = ended(kernel, run).feedback
    assert told is not None
    assert kernel.world.artifacts.get(told).count("the end") == 1


def test_the_same_files_are_never_tested_twice() -> None:
    runner = Runner("fine")
    kernel, run = driven(GATE, runner, None, StepName("again"))
    first, second = kernel.events(run, e.GateEnded)
    assert runner.asked == 1
    assert (first.is_reused, second.is_reused) == (False, True)
    assert second.verdict is Verdict.PASSED
    assert second.step == "again"


def test_another_run_knows_the_verdict_too() -> None:
    runner = Runner("green")
    kernel = Kernel(None, gates=runner)
    for _ in range(2):
        kernel.drive(kernel.submit(gated(GATE)))
    assert runner.asked == 1


def test_a_red_verdict_counts_in_its_own_run_only() -> None:
    runner = Runner("flaky", code=1, n3=0)
    kernel = Kernel(None, gates=runner)
    warns = replace(GATE, policy=GatePolicy.WARN)
    for asked in (1, 2):
        run = kernel.submit(gated(warns, StepName("again")))
        assert kernel.drive(run).status is RunStatus.COMPLETED
        first, second = kernel.events(run, e.GateEnded)
        assert (first.verdict, second.verdict) == (Verdict.WARNED, Verdict.WARNED)
        assert (first.is_reused, second.is_reused) == (False, True)
        assert runner.asked == asked
    assert kernel.drive(kernel.submit(gated(GATE))).status is RunStatus.COMPLETED


async def unnamed(policy: SandboxPolicy, ended: asyncio.Event | None) -> str | None:
    del policy, ended
    return None


def test_nothing_is_kept_where_the_tools_cannot_be_named() -> None:
    runner = Runner("green")
    kernel = Kernel(None, gates=runner)
    kernel.world = replace(kernel.world, machine=unnamed)
    for _ in range(2):
        kernel.drive(kernel.submit(gated(GATE)))
    assert runner.asked == 2


def test_the_tools_are_looked_at_beside_the_command_where_nothing_can_be_known() -> None:
    runner = Runner("green")
    looks: list[int] = []

    async def slow(policy: SandboxPolicy, ended: asyncio.Event | None) -> str | None:
        del policy, ended
        begun = runner.asked
        for _ in range(1000):
            await asyncio.sleep(0)
        looks.append(runner.asked - begun)
        return "tools"

    kernel = Kernel(None, gates=runner)
    kernel.world = replace(kernel.world, machine=slow)
    for _ in range(2):
        kernel.drive(kernel.submit(gated(GATE)))
    # The second time the same files are known, and the look decides whether the command runs.
    assert (looks, runner.asked) == ([1, 0], 1)


def test_who_names_the_tools_is_told_when_a_command_ended_of_which_nothing_is_known() -> None:
    runner = Runner("green")
    told: list[int | None] = []

    async def waiting(policy: SandboxPolicy, ended: asyncio.Event | None) -> str | None:
        del policy
        if ended is not None:
            await ended.wait()
        told.append(None if ended is None else runner.asked)
        return "tools" if len(told) > 1 else None

    kernel = Kernel(None, gates=runner)
    kernel.world = replace(kernel.world, machine=waiting)
    for _ in range(3):
        kernel.drive(kernel.submit(gated(GATE)))
    # Nothing was kept of the first command, which was too quick; the third was not needed.
    assert (told, runner.asked) == ([1, 2, None], 2)


def test_nothing_is_found_again_of_tools_that_changed_while_it_ran() -> None:
    runner = Runner("green")

    async def counted(policy: SandboxPolicy, ended: asyncio.Event | None) -> str | None:
        del policy, ended
        return str(runner.asked)

    kernel = Kernel(None, gates=runner)
    kernel.world = replace(kernel.world, machine=counted)
    reused = []
    for _ in range(2):
        run = kernel.submit(gated(GATE))
        kernel.drive(run)
        reused.append(ended(kernel, run).is_reused)
    assert (reused, runner.asked) == ([False, False], 2)


def test_nothing_is_kept_where_the_set_up_fetches_anew() -> None:
    runner = Runner("green")
    kernel = Kernel(None, gates=runner)
    policy = WorkspacePolicy(setup=("make", "deps"), egress=("registry.npmjs.org",))
    for _ in range(2):
        run = kernel.submit(replace(gated(GATE), workspace=policy))
        kernel.drive(run)
        assert ended(kernel, run).key is None


@pytest.mark.parametrize(
    "change",
    [
        {"is_fresh": True},
        {"environment": {"A": "1"}},
        {"command": ("make", "all")},
        {"min_tests": 0},
    ],
)
def test_another_command_or_environment_is_another_question(change: dict[str, object]) -> None:
    runner = Runner("fine")
    kernel = Kernel(None, gates=runner)
    kernel.drive(kernel.submit(gated(GATE)))
    kernel.drive(kernel.submit(gated(replace(GATE, **change))))  # type: ignore[arg-type]
    assert runner.asked == 2


def test_a_drive_can_be_told_to_use_nothing_from_before() -> None:
    runner = Runner("fine")
    kernel = Kernel(None, gates=runner)
    asked = []
    for is_fresh in (False, True, False):
        world = replace(kernel.world, is_fresh=is_fresh)
        kernel.drive(kernel.submit(gated(GATE)), world=world)
        asked.append(runner.asked)
    assert asked == [1, 2, 2]


def test_other_limits_are_another_question() -> None:
    runner = Runner("fine")
    kernel = Kernel(None, gates=runner)
    small = replace(EXECUTOR_LIMITS, file_size=1)
    for limits in (EXECUTOR_LIMITS, small):
        given = replace(gated(GATE), sandbox=SandboxPolicy(executor=limits))
        kernel.drive(kernel.submit(given))
    assert runner.asked == 2


@pytest.mark.parametrize("code", [126, 127, 137])
def test_a_missing_command_or_a_kill_is_never_remembered(code: int) -> None:
    runner = Runner("", code=code)
    kernel = Kernel(None, gates=runner)
    for _ in range(2):
        run = kernel.submit(gated(GATE))
        kernel.drive(run)
        assert ended(kernel, run).verdict is Verdict.FAILED
        assert ended(kernel, run).key is None
    assert runner.asked == 2


def test_a_verdict_whose_output_was_erased_is_not_known() -> None:
    runner = Runner("fine")
    kernel = Kernel(None, gates=runner)
    run = kernel.submit(gated(GATE))
    kernel.drive(run)
    output = ended(kernel, run).output
    assert output is not None
    kernel.fakes.artifacts.erase(output)
    kernel.drive(kernel.submit(gated(GATE)))
    assert runner.asked == 2


def test_what_was_reported_and_erased_is_not_believed() -> None:
    kernel = Kernel(None)
    looking = replace(GATE, kind=GateKind.CLAIMS)
    ask = replace(stop("ask", StepKind.HUMAN), next=StepName("test"))
    given = gated(looking)
    build = replace(given.workflow.steps[BUILD], next=ask.name)
    steps = {**given.workflow.steps, BUILD: build, ask.name: ask}
    run = kernel.submit(replace(given, workflow=replace(given.workflow, steps=steps)))
    kernel.drive(run)
    (answered,) = kernel.events(run, e.AttemptSucceeded)
    kernel.fakes.artifacts.erase(answered.answer)
    (asked,) = kernel.events(run, e.ApprovalRequested)
    kernel.send(run, "yes", Approve(step=asked.step, visit=1, tree=asked.tree))
    kernel.drive(run)
    assert ended(kernel, run).verdict is Verdict.FAILED


@pytest.mark.parametrize(
    "change",
    [
        {"workspace": WorkspacePolicy(include=(".env",))},
        {"sandbox": SandboxPolicy(ro_paths=("/opt/venv",))},
    ],
)
def test_what_no_commit_holds_makes_every_verdict_a_new_one(change: dict[str, object]) -> None:
    runner = Runner("fine")
    kernel = Kernel(None, gates=runner)
    given = replace(gated(GATE), **change)  # type: ignore[arg-type]
    for _ in range(2):
        kernel.drive(kernel.submit(given))
    assert runner.asked == 2


def test_a_gate_has_its_own_variables() -> None:
    runner = Runner()
    driven(replace(GATE, environment={"CI": "1"}), runner)
    assert runner.environments[0]["CI"] == "1"


class Writing(Runner):
    """Changes a tracked file while it runs."""

    kernel: Kernel

    @override
    def __call__(self, spec: SandboxSpec) -> ScriptedReply:
        label = EffectKey(spec.label)
        here = Workspace(run=RunId("r1"), key=label, path=spec.cwd, start=CommitSha(""), mounts=())
        self.kernel.fakes.workspaces.write(here, "README", "changed")
        return super().__call__(spec)


@pytest.mark.parametrize(
    ("allowed", "verdict"),
    [((), Verdict.FAILED), (("READ*",), Verdict.PASSED), (None, Verdict.PASSED)],
)
def test_a_gate_may_change_only_what_it_is_allowed_to(
    allowed: tuple[str, ...] | None, verdict: Verdict
) -> None:
    runner = Writing()
    runner.kernel = kernel = Kernel(None, gates=runner)
    run = kernel.submit(gated(replace(GATE, allowed_writes=allowed)))
    kernel.drive(run)
    assert ended(kernel, run).verdict is verdict
    if verdict is Verdict.FAILED:
        assert "'README'" in ended(kernel, run).reason


REPORT = "reports/junit.xml"


class Reporting(Runner):
    """Writes a report while it runs."""

    kernel: Kernel
    report: str | None = "report"

    @override
    def __call__(self, spec: SandboxSpec) -> ScriptedReply:
        label = EffectKey(spec.label)
        here = Workspace(run=RunId("r1"), key=label, path=spec.cwd, start=CommitSha(""), mounts=())
        if self.report is not None:
            self.kernel.fakes.workspaces.write(here, REPORT, self.report)
        return super().__call__(spec)


def reported(
    said: Reading | Unexaminable, report: str | None = "report", path: str = REPORT
) -> e.GateEnded:
    runner = Reporting("the output")
    runner.kernel = kernel = Kernel(None, gates=runner)
    runner.report = report
    kernel.fakes.examiner.readings["output"] = Reading(tool="pytest", tests=1, failed=0)
    kernel.fakes.examiner.report = said
    run = kernel.submit(gated(replace(GATE, report=path)))
    kernel.drive(run)
    return ended(kernel, run)


def test_a_report_counts_rather_than_the_output() -> None:
    said = reported(Reading(tool="the test report", tests=7, failed=0, skipped=2))
    assert (said.verdict, said.tests) == (Verdict.PASSED, 7)
    assert said.reason == "The command exited with code 0. It ran 7 tests and skipped 2."
    assert reported(Reading(tests=7, failed=1)).verdict is Verdict.FAILED
    assert reported(Reading(tests=0, failed=0)).verdict is Verdict.FAILED


def test_an_output_that_tells_of_failures_is_not_forgotten() -> None:
    runner = Reporting("the output")
    runner.kernel = kernel = Kernel(None, gates=runner)
    kernel.fakes.examiner.readings["output"] = Reading(tool="pytest", tests=1, failed=1)
    kernel.fakes.examiner.report = Reading(tests=5, failed=0)
    run = kernel.submit(gated(replace(GATE, report=REPORT)))
    kernel.drive(run)
    assert ended(kernel, run).verdict is Verdict.FAILED


@pytest.mark.parametrize(
    ("said", "report", "path", "reason"),
    [
        (Unexaminable("it is odd"), "report", REPORT, "because it is odd"),
        (Reading(tests=1), None, REPORT, "because it was not written"),
        (Reading(tests=1), "report", "other.xml", "because it was not written"),
        (Reading(tests=1), None, "README", "because it was not written"),
        (Reading(tests=1), "x" * ((8 << 20) + 1), REPORT, "because it is larger than"),
    ],
)
def test_a_gate_whose_report_cannot_be_read_is_not_green(
    said: Reading | Unexaminable, report: str | None, path: str, reason: str
) -> None:
    found = reported(said, report, path)
    assert found.verdict is Verdict.FAILED
    assert f"Its report {path!r} cannot be read, {reason}" in found.reason
    assert found.tests == 1


COLLECT = replace(GATE, kind=GateKind.TEST_INTEGRITY)


@pytest.mark.parametrize(
    ("before", "after", "code", "rule"),
    [
        (5, 4, 0, "fewer_tests_collected"),
        (5, 5, 0, None),
        (5, 6, 0, None),
        (None, None, 0, "tests_unknown"),
        (5, None, 0, "collection_failed"),
        (None, 5, 0, None),
        (5, 5, 2, "collection_failed"),
    ],
)
def test_fewer_collected_tests_are_found(
    before: int | None, after: int | None, code: int, rule: str | None
) -> None:
    class Collector(Runner):
        @override
        def __call__(self, spec: SandboxSpec) -> ScriptedReply:
            self.output, self.code = ("first", 0) if self.asked == 0 else ("second", code)
            return super().__call__(spec)

    kernel = Kernel(None, gates=Collector())
    kernel.fakes.examiner.readings = {
        "first": Reading(tool="pytest", tests=before),
        "second": Reading(tool="pytest", tests=after),
    }
    run = kernel.submit(gated(COLLECT))
    kernel.drive(run)
    said = ended(kernel, run)
    is_bad = rule in {"fewer_tests_collected", "collection_failed"}
    assert said.verdict is (Verdict.FAILED if is_bad else Verdict.PASSED)
    report = kernel.world.artifacts.get(said.report) if said.report else ""
    assert (rule or "nothing") in (report or "nothing")


RED = replace(GATE, kind=GateKind.RED_BEFORE_GREEN)
NEW = NewTests(
    contents={"tests/test_a.py": b"def test_a(): ..."},
    names=(("tests/test_a.py", "test_a"), ("tests/test_a.py", "TestB.test_b")),
)


def red(runner: Runner, reading: Reading | None = None, new: NewTests = NEW) -> e.GateEnded:
    kernel = Kernel(None, gates=runner)
    kernel.fakes.examiner.tests = new
    if reading is not None:
        kernel.fakes.examiner.readings[""] = reading
    run = kernel.submit(gated(RED))
    kernel.drive(run)
    return ended(kernel, run)


FAILS = Reading(tool="pytest", tests=2, failed=2)


def test_new_tests_that_fail_on_the_old_code_are_good() -> None:
    names = ("tests/test_a.py::test_a", "tests/test_a.py::TestB::test_b")
    said = red(Runner("red", code=1), replace(FAILS, failing_tests=names))
    assert said.verdict is Verdict.PASSED
    assert "2 new tests were run on the old code." in said.reason


UNLOADED = ("tests/test_a.py", "tests.test_a (unittest.loader._FailedTest.tests.test_a)")
ADDING = replace(
    NEW,
    added_files=("src/shop/cart.py", "lib/sum.ts", "src/parse/mod.rs"),
    added_words=frozenset({"total", "Parser"}),
)


@pytest.mark.parametrize("name", UNLOADED)
@pytest.mark.parametrize(
    "part",
    [
        Missing("shop.cart", is_module=True),
        Missing("shop", is_module=True),
        Missing("../lib/sum", is_module=True),
        Missing("/work/tree/lib/sum.ts", is_module=True),
        Missing("crate::parse", is_module=True),
        Missing("crate::other::Parser", is_module=True),
        Missing("total", is_module=False),
        Missing("cart", is_module=False),
    ],
)
def test_what_cannot_be_loaded_for_want_of_what_is_new_is_red(name: str, part: Missing) -> None:
    reading = replace(FAILS, failing_tests=(name,), missing=(part,))
    assert red(Runner("red", code=2), reading, ADDING).verdict is Verdict.PASSED
    compiled = Reading(tool="go test", missing=(part,))
    assert red(Runner("red", code=2), compiled, ADDING).verdict is Verdict.PASSED


@pytest.mark.parametrize("name", UNLOADED)
@pytest.mark.parametrize(
    "part",
    [
        Missing("requests", is_module=True),
        Missing("yargs", is_module=True),
        Missing("shop.cart.total", is_module=True),
        Missing("shop.other", is_module=True),
        Missing("::", is_module=True),
        Missing("Session", is_module=False),
    ],
)
def test_what_cannot_be_loaded_for_want_of_something_else_says_nothing(
    name: str, part: Missing
) -> None:
    reading = replace(FAILS, failing_tests=(name,), missing=(part,))
    said = red(Runner("red", code=2), reading, ADDING)
    assert (said.verdict, said.findings, said.key) == (Verdict.FAILED, 1, None)
    assert f"without {part.name!r}, which the change does not add" in said.reason


@pytest.mark.parametrize("name", UNLOADED)
def test_a_file_that_cannot_be_loaded_at_all_says_nothing(name: str) -> None:
    said = red(Runner("SyntaxError", code=2), replace(FAILS, failing_tests=(name,)))
    assert (said.verdict, said.findings) == (Verdict.FAILED, 1)
    assert "'tests/test_a.py' cannot be loaded on the old code" in said.reason


def test_a_runner_that_fails_without_a_test_says_nothing() -> None:
    said = red(Runner("usage", code=4), Reading(tool="pytest"))
    assert (said.verdict, said.findings) == (Verdict.FAILED, 1)
    assert "names no test that did" in said.reason
    assert said.key is None


def test_a_test_that_passes_on_the_old_code_is_found() -> None:
    names = ("tests/test_a.py::test_a",)
    said = red(Runner("red", code=1), replace(FAILS, failing_tests=names))
    assert said.verdict is Verdict.FAILED
    assert said.findings == 1


def test_a_runner_that_stops_early_or_names_nothing_is_taken_as_a_whole() -> None:
    stopped = Runner("!!!! stopping after 1 failures !!!!", code=1)
    names = ("tests/test_a.py::test_a",)
    assert red(stopped, replace(FAILS, failing_tests=names)).verdict is Verdict.PASSED
    assert red(Runner("boom", code=1)).verdict is Verdict.PASSED
    assert red(Runner("fine", code=0)).verdict is Verdict.FAILED


def test_tests_first_means_that_there_are_some() -> None:
    said = red(Runner(), new=NewTests())
    assert said.verdict is Verdict.FAILED
    assert said.findings == 1


@pytest.mark.parametrize("code", [126, 127, 137])
def test_a_missing_command_or_a_kill_is_not_red(code: int) -> None:
    said = red(Runner("sh: pytest: not found", code=code))
    assert (said.verdict, said.key) == (Verdict.FAILED, None)


def test_old_code_that_cannot_be_tested_says_nothing() -> None:
    kernel = Kernel(None, gates=lambda _spec: None)
    kernel.fakes.examiner.tests = NEW
    run = kernel.submit(gated(RED))
    kernel.drive(run)
    assert ended(kernel, run).verdict is Verdict.NOT_RUN


MUTANTS = tuple(
    Mutant(file="a.py", line=number, contents=b"x", description=f"fault {number}")
    for number in (1, 2)
)


def check(
    gate: Gate,
    runner: Runner,
    faults: tuple[Mutant, ...] | Unexaminable = MUTANTS,
    limit: int | None = None,
    answer: str | None = None,
) -> Checked:
    kernel = Kernel(None, gates=runner)
    kernel.fakes.examiner.faults = faults
    kernel.fakes.examiner.tests = NEW
    workspaces = kernel.fakes.workspaces
    base, head = workspaces.commit({"a.py": "1"}), workspaces.commit({"a.py": "2"})
    request = CheckRequest(
        gate=gate,
        base=base,
        head=head,
        tree=workspaces.tree(head),
        output_bytes=1000,
        mutants=limit,
        answer=answer,
    )
    return run_virtual(check_gate(kernel.world, request))


MUTATION = replace(GATE, kind=GateKind.MUTATION)


def test_a_fault_that_no_test_notices_is_found() -> None:
    said = check(MUTATION, Runner("", n2=1))
    assert said.verdict is Verdict.FAILED
    assert [at.line for at in said.findings] == [2]
    assert "fault 2" in said.findings[0].message
    assert "2 of 2 faults were tried, 1 were noticed." in said.reason


def test_faults_that_are_noticed_are_good() -> None:
    assert check(MUTATION, Runner("", code=1, n1=0)).verdict is Verdict.PASSED
    runner = Runner("", code=1, n1=0)
    check(MUTATION, runner, limit=1)
    assert runner.asked == 2


def test_faults_are_tried_only_on_code_that_passes() -> None:
    runner = Runner("red", code=1)
    said = check(MUTATION, runner)
    assert said.verdict is Verdict.FAILED
    assert said.reason.startswith("Without a fault: ")
    assert runner.asked == 1


class Dying(Runner):
    """Works once, and then there is no sandbox any more."""

    @override
    def __call__(self, spec: SandboxSpec) -> ScriptedReply | None:  # type: ignore[override]
        reply = super().__call__(spec)
        return reply if self.asked == 1 else None


def test_a_fault_that_nobody_could_look_for_is_not_noticed() -> None:
    assert check(MUTATION, Dying()).verdict is Verdict.NOT_RUN


def test_tests_that_could_not_be_listed_are_not_there() -> None:
    assert check(COLLECT, Dying()).verdict is Verdict.NOT_RUN


def test_a_change_that_nobody_could_look_at_does_not_pass() -> None:
    runner = Runner()
    said = check(MUTATION, runner, faults=Unexaminable("It takes too long."))
    assert said.verdict is Verdict.FAILED
    assert [(at.rule, at.message) for at in said.findings] == [("unreadable", "It takes too long.")]
    assert runner.asked == 0


def test_no_line_no_fault() -> None:
    runner = Runner()
    assert check(MUTATION, runner, faults=()).verdict is Verdict.PASSED
    assert runner.asked == 0


def test_faults_are_tried_as_long_as_there_is_time() -> None:
    said = check(replace(MUTATION, timeout=timedelta(0)), Runner("", n1=0))
    assert "0 of 2 faults were tried" in said.reason


def test_what_happens_outside_of_a_run_is_recorded_nowhere() -> None:
    kernel = Kernel(None, gates=Runner("fine"))
    workspaces = kernel.fakes.workspaces
    head = workspaces.commit({"a.py": "1"})
    request = CheckRequest(
        gate=GATE,
        base=head,
        head=head,
        tree=workspaces.tree(head),
        output_bytes=1000,
        workspace=WorkspacePolicy(setup=("make", "ready")),
    )
    said = run_virtual(check_gate(kernel.world, request))
    assert said.verdict is Verdict.PASSED
    assert kernel.world.log.read_all() == []


def test_tests_are_compared_with_the_base_outside_of_a_run() -> None:
    runner = Runner("fine")
    kernel = Kernel(None, gates=runner)
    workspaces = kernel.fakes.workspaces
    base, head = workspaces.commit({"a.py": "1"}), workspaces.commit({"a.py": "2"})
    request = CheckRequest(
        gate=replace(GATE, counts_tests=True),
        base=base,
        head=head,
        tree=workspaces.tree(head),
        base_tree=workspaces.tree(base),
        output_bytes=1000,
    )
    assert run_virtual(check_gate(kernel.world, request)).verdict is Verdict.PASSED
    assert len(kernel.fakes.sandbox.specs) == 2


def test_a_gate_can_be_asked_outside_of_a_run() -> None:
    said = check(GATE, Runner("fine", code=3))
    assert (said.verdict, said.exit_code, said.output) == (Verdict.FAILED, 3, "fine")
    looked = check(replace(GATE, kind=GateKind.CLAIMS), Runner(), answer='{"status": "SUCCESS"}')
    assert looked.verdict is Verdict.PASSED
    assert looked.output == ""


EACH = replace(GATE, min_tests_each=2)


@pytest.mark.parametrize(
    ("components", "ran", "words"),
    [
        ((("cart", 2), ("total", 3)), 9, None),
        ((("cart", 9), ("total", 1)), 99, "for each component; 'total' has 1."),
        ((("the change", 0),), 99, "'the change' has 0."),
        ((), 2, None),
        ((), 1, "in all, 1 test ran that can be counted."),
        ((), None, "in all, 0 tests ran that can be counted."),
    ],
)
def test_each_component_has_its_tests(
    components: tuple[tuple[str, int], ...], ran: int | None, words: str | None
) -> None:
    kernel = Kernel(None, gates=Runner("fine"))
    kernel.fakes.examiner.tests = NewTests(components=components)
    kernel.fakes.examiner.readings[""] = Reading(tool="pytest", tests=ran)
    plan = replace(work("plan", AnswerKind.PLAN), next=BUILD)
    given = gated(EACH)
    steps = {plan.name: plan, **given.workflow.steps}
    workflow = replace(given.workflow, steps=steps, initial_step=plan.name)
    run = kernel.submit(replace(given, workflow=workflow))
    kernel.drive(run)
    said = ended(kernel, run)
    assert said.verdict is (Verdict.FAILED if words else Verdict.PASSED)
    assert (words or "") in said.reason


def test_a_plan_that_was_erased_has_no_components() -> None:
    kernel = Kernel(None, gates=Runner("fine"))
    kernel.fakes.examiner.tests = NewTests(components=(("the change", 2),))
    plan = replace(work("plan", AnswerKind.PLAN), next=BUILD)
    ask = replace(stop("ask", StepKind.HUMAN), next=StepName("test"))
    given = gated(EACH)
    build = replace(given.workflow.steps[BUILD], next=ask.name)
    steps = {plan.name: plan, **given.workflow.steps, BUILD: build, ask.name: ask}
    workflow = replace(given.workflow, steps=steps, initial_step=plan.name)
    run = kernel.submit(replace(given, workflow=workflow))
    kernel.drive(run)
    kernel.fakes.artifacts.erase(kernel.events(run, e.AttemptSucceeded)[0].answer)
    (asked,) = kernel.events(run, e.ApprovalRequested)
    kernel.send(run, "yes", Approve(step=asked.step, visit=1, tree=asked.tree))
    kernel.drive(run)
    assert ended(kernel, run).verdict is Verdict.PASSED


def test_what_a_passing_gate_only_notes_is_named_and_counted() -> None:
    notes = tuple(Finding(rule=f"rule_{number}", message="Look.") for number in range(5))
    passed = Opinion(verdict=Verdict.PASSED, reason="Fine.", findings=notes)
    assert with_notes(passed) == "Fine. Noted: rule_0, rule_1, rule_2, 2 more."
    assert with_notes(replace(passed, verdict=Verdict.FAILED)) == "Fine."
