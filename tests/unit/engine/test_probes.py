"""A green gate is asked more: with other values, and with failures that must be seen."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

import pytest
from tests.support.kernel import Kernel
from tests.unit.engine.gate_runs import Runs, results, with_tests

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.probes.hidden_failures import hidden_failures
from supervisor_ai.engine.effects.gates.probes.known_runner import known_runner
from supervisor_ai.engine.effects.gates.probes.other_answers import different
from supervisor_ai.engine.effects.gates.probes.probe_run import Contents, ProbeRuns
from supervisor_ai.engine.ports.evidence import Halves, ProbeKind, TestProbe
from supervisor_ai.engine.ports.gates import CaseOutcome, CaseResult, ChangeCase, Reading
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxResult, SandboxSpec
from supervisor_ai.testing.fake_sandbox import ScriptedReply

PASSED, FAILED = CaseOutcome.PASSED, CaseOutcome.FAILED
ONE: Mapping[str, bytes | None] = {"test_a.py": b"other"}
PRODUCT = Halves(touches_product=True)
BOTH = Halves(touches_product=True, touches_harness=True)


def said(told: str, outcome: CaseOutcome = FAILED) -> Reading:
    return Reading(tool="pytest", tests=1, results=(CaseResult("a", outcome, told),))


READINGS = {
    "green": Reading(tool="pytest", tests=2, results=results(a=PASSED, b=PASSED)),
    "red": Reading(tool="pytest", tests=2, failed=2, results=results(a=FAILED, b=FAILED)),
    "half": Reading(tool="pytest", tests=2, failed=1, results=results(a=PASSED, b=FAILED)),
    "five": said("E   assert 5 == 4"),
    "six": said("E   assert 6 == 4"),
    "unnamed": Reading(),
}


def judged(
    *runs: str, parts: Halves = PRODUCT, **asked: tuple[TestProbe, ...]
) -> tuple[RunStatus, str, list[str]]:
    tests = Runs(*runs)
    kernel = Kernel(None, gates=tests)
    kernel.fakes.examiner.readings.update(READINGS)
    kernel.fakes.evidence.parts = parts
    kernel.fakes.evidence.unspoken = asked.pop("unspoken", ())
    kernel.fakes.evidence.asked = {ProbeKind(kind): probes for kind, probes in asked.items()}
    run = kernel.submit(with_tests())
    status = kernel.drive(run).status
    (ended,) = kernel.events(run, e.GateEnded)
    return status, ended.reason, tests.says


NEAR = TestProbe(variants=(ONE,))
FAR = TestProbe(subject="what it is given", variants=(ONE, ONE), control=ONE)


@pytest.mark.parametrize(
    ("runs", "rule"),
    [
        (["five old", "six new", "five again"], "other_answers"),
        (["green old", "red new", "green again"], "other_answers"),
        (["five old", "five new"], ""),
        (["five old", "six new", "six again"], ""),
        (["unnamed old"], ""),
    ],
)
def test_a_change_without_tests_answers_as_before(runs: list[str], rule: str) -> None:
    status, reason, left = judged("green base", "green head", *runs, neighbours=(NEAR,))
    assert (status is RunStatus.FAILED, rule in reason, left) == (bool(rule), True, [])


SPEAKS = "half without"
"""The new test fails on the base's product."""
SILENT = "green without"


@pytest.mark.parametrize(
    ("runs", "rule"),
    [
        (["five old", "five new"], ""),
        (["five old", "six new", "five again", SILENT], "other_answers"),
        (["five old", "six new", "five again", SPEAKS, "five old", "five new"], ""),
        (
            ["five old", "six new", "five again", SPEAKS, "five old", "six new", "five again"],
            "other_answers",
        ),
    ],
)
def test_a_new_test_speaks_only_for_what_it_tests(runs: list[str], rule: str) -> None:
    heard = ("green base", "green head", *runs)
    status, reason, left = judged(*heard, parts=BOTH, neighbours=(NEAR,), unspoken=(NEAR,))
    assert (status is RunStatus.FAILED, rule in reason, left) == (bool(rule), True, [])


@pytest.mark.parametrize(
    ("runs", "rule"),
    [
        (["green one", "green two", "red control"], "deaf_test"),
        (["green one", "green two", "green control"], ""),
        (["green one", "red two"], ""),
        (["red one"], ""),
    ],
)
def test_new_tests_notice_what_they_give(runs: list[str], rule: str) -> None:
    status, reason, left = judged("green base", "green head", *runs, parts=BOTH, new_inputs=(FAR,))
    assert (status is RunStatus.FAILED, rule in reason, left) == (bool(rule), True, [])


@pytest.mark.parametrize(
    ("runs", "rule"),
    [
        (["red new"], ""),
        (["half new", "red old", "half again"], "failure_hidden"),
        (["half new", "red old", "red again"], ""),
        (["half new", "half old"], ""),
        (["green unnamed new", "red old", "green unnamed again"], "failure_hidden"),
        (["green unnamed new", "red old", "red again"], ""),
    ],
)
def test_what_must_fail_fails(runs: list[str], rule: str) -> None:
    status, reason, left = judged("green base", "green head", *runs, failures=(NEAR,))
    assert (status is RunStatus.FAILED, rule in reason, left) == (bool(rule), True, [])


@pytest.mark.parametrize(
    ("runs", "rule"),
    [
        (["green new"], ""),
        (["half new", "green old", "half again"], "runner_known"),
        (["red new", "green old", "half again"], "runner_known"),
        (["half new", "green old", "green again"], ""),
        (["half new", "half old"], ""),
        (["unnamed new"], ""),
    ],
)
def test_what_passes_in_a_runner_passes_without_one(runs: list[str], rule: str) -> None:
    status, reason, left = judged("green base", "green head", *runs, plainly=(NEAR,))
    assert (status is RunStatus.FAILED, rule in reason, left) == (bool(rule), True, [])


class HalfGreen(ProbeRuns):
    """Runs in which one of two tests passes that failed before."""

    def __init__(self) -> None:
        """Need no gate."""

    async def probes(  # type: ignore[explicit-override]
        self, case: ChangeCase, kind: ProbeKind, speaking: tuple[str, ...] = ()
    ) -> tuple[TestProbe, ...]:
        return (NEAR,)

    async def on_base(self, contents: Contents) -> Ran:  # type: ignore[explicit-override]
        return read("red")

    async def on_head(self, contents: Contents) -> Ran:  # type: ignore[explicit-override]
        return read("half")

    def passes(self, ran: Ran) -> bool:  # type: ignore[explicit-override]
        return False


def read(name: str) -> Ran:
    return Ran(
        result=SandboxResult(end=SandboxEnd.EXITED, exit_code=1, reason=""),
        output=ArtifactHash(""),
        text="",
        reading=READINGS[name],
    )


@pytest.mark.parametrize(
    ("meant", "count"), [(set(), 1), ({"b"}, 1), ({"a"}, 0), ({"a", "b"}, 0), ({None}, 0)]
)
def test_a_test_that_is_meant_to_fail_may_pass_when_it_says_the_opposite(
    meant: set[str | None], count: int
) -> None:
    case = ChangeCase(base=CommitSha("b"), head=CommitSha("h"))
    assert len(asyncio.run(hidden_failures(HalfGreen(), PRODUCT, case, meant))) == count


class Plain(HalfGreen):
    """Runs in which tests fail that passed before, when they are called without a runner."""

    def __init__(self, *names: str) -> None:
        self._names = names

    async def on_base(self, contents: Contents) -> Ran:  # type: ignore[explicit-override]
        return self._ran(PASSED)

    async def on_head(self, contents: Contents) -> Ran:  # type: ignore[explicit-override]
        return self._ran(FAILED)

    def _ran(self, outcome: CaseOutcome) -> Ran:
        told = tuple(CaseResult(name, outcome) for name in self._names)
        return replace(read("red"), reading=Reading(results=told))


@pytest.mark.parametrize(
    ("names", "meant", "subject"),
    [
        (["a.py::Plainly::test_b"], set(), "a.py::Plainly::test_b"),
        (["a.py::Plainly::test_b"], {"a.py::test_b[1-2.0]"}, None),
        (["a.py::Plainly::test_b", "a.Plainly.test_c"], {"test_b"}, "a.Plainly.test_c"),
        (["a.py::Plainly::test_b"], {None}, None),
        (["test/a.test.js plainly"], {"adds"}, None),
        (["test/a.test.js plainly"], set(), "test/a.test.js plainly"),
    ],
)
def test_a_test_that_is_meant_to_fail_fails_without_a_runner_as_well(
    names: list[str], meant: set[str | None], subject: str | None
) -> None:
    case = ChangeCase(base=CommitSha("b"), head=CommitSha("h"))
    found = asyncio.run(known_runner(Plain(*names), PRODUCT, case, meant))
    assert [it.subject for it in found] == ([subject] if subject else [])


def test_tests_that_take_too_long_are_not_asked_again() -> None:
    class Slow(Runs):
        def __call__(self, spec: SandboxSpec) -> ScriptedReply:  # type: ignore[explicit-override]
            kernel.fakes.clock.advance(timedelta(seconds=301))
            return super().__call__(spec)

    tests = Slow("green base", "green head", "green one")
    kernel = Kernel(None, gates=tests)
    kernel.fakes.examiner.readings.update(READINGS)
    kernel.fakes.evidence.parts = BOTH
    kernel.fakes.evidence.asked = {ProbeKind.NEW_INPUTS: (FAR,)}
    run = kernel.submit(with_tests())
    assert kernel.drive(run).status is RunStatus.COMPLETED
    (ended,) = kernel.events(run, e.GateEnded)
    assert ("not_probed" in ended.reason, tests.says) == (True, [])


@pytest.mark.parametrize(
    ("old", "new", "is_other"),
    [
        ("E   assert 5 == 4", "E   assert 6 == 4", True),
        ("E   assert 5 == 4", "E   KeyError: 5", True),
        ("E   ValueError: no such number", "E   KeyError: 5", False),
        ("a_test.go:12: got 5", "a_test.go:14: got 5", False),
        ("panic: index out of range", "a_test.go:14: got 5", False),
        ("thread 'a' (17) panicked at\nleft: 5", "thread 'a' (23) panicked at\nleft: 5", False),
        ("thread 'a' (17) panicked at\nleft: 5", "thread 'a' (23) panicked at\nleft: 6", True),
        ("left: 5\nright: 4\nat shop.js:3:4", "left: 5\nright: 4\nat shop.js:9:4", False),
    ],
)
def test_what_counts_is_the_answer_where_there_was_one(
    old: str, new: str, *, is_other: bool
) -> None:
    assert bool(different(said(old), said(new))) == is_other


def test_a_test_that_is_left_out_has_no_answer() -> None:
    skipped = said("", CaseOutcome.SKIPPED)
    assert different(skipped, said("E   assert 5 == 4")) == []
    assert different(said("E   assert 5 == 4"), replace(skipped, results=())) == []
