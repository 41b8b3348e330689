"""The baseline: tests are looked at before the first worker is paid."""

import pytest
from tests.support.kernel import GATE, Kernel, flow, stop, work

from supervisor_ai.domain.ids import RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.gates import BaselinePolicy, Health
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import Lack, LackKind, Missing, Reading
from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.testing.fake_sandbox import ScriptedReply


class Tests:
    """Exit as they are told, one run after the other; the last code stays. None: no program."""

    __test__ = False

    def __init__(self, *codes: int | None, says: str = "the tests") -> None:
        self.codes = list(codes)
        self.says = says
        self.runs = 0

    def __call__(self, spec: SandboxSpec) -> ScriptedReply | None:
        del spec
        code = self.codes[min(self.runs, len(self.codes) - 1)]
        self.runs += 1
        if code is None:
            return None
        return ScriptedReply(output=((Channel.STDOUT, self.says.encode()),), exit_code=code)


def with_tests(policy: BaselinePolicy) -> Definition:
    step = replace(
        stop("check", StepKind.GATE), gate="test", on_fail=StepName("build"), max_retries=1
    )
    given = flow(work("build"), step)
    gate = replace(GATE, name="test", counts_tests=True)
    return replace(given, gates={"test": gate}, baseline=policy)


def driven(policy: BaselinePolicy, tests: Tests) -> tuple[Kernel, RunId]:
    kernel = Kernel(None, gates=tests)
    run = kernel.submit(with_tests(policy))
    kernel.drive(run)
    return kernel, run


def health(kernel: Kernel, run: RunId) -> list[Health]:
    return [at.health for at in kernel.events(run, e.BaselineEnded)]


def outcome(kernel: Kernel, run: RunId) -> tuple[OutcomeKind, str]:
    (failed,) = kernel.events(run, e.RunFailed)
    return failed.outcome.kind, failed.outcome.reason


@pytest.mark.parametrize("policy", [BaselinePolicy.ASK, BaselinePolicy.NOTE, BaselinePolicy.STOP])
def test_a_green_one_is_found_out_before_the_first_attempt(policy: BaselinePolicy) -> None:
    kernel, run = driven(policy, Tests(0))
    types = kernel.types(run)
    assert types.index("BaselineEnded") < types.index("AttemptStarted")
    assert health(kernel, run) == [Health.GREEN]
    assert kernel.status(run) is RunStatus.COMPLETED


def test_nobody_looks_where_that_is_off() -> None:
    kernel, run = driven(BaselinePolicy.OFF, Tests(1))
    assert health(kernel, run) == []
    assert kernel.fakes.worker.requests


@pytest.mark.parametrize("policy", [BaselinePolicy.ASK, BaselinePolicy.NOTE, BaselinePolicy.STOP])
def test_one_that_cannot_work_ends_the_run_unpaid(policy: BaselinePolicy) -> None:
    kernel, run = driven(policy, Tests(None))
    assert health(kernel, run) == [Health.BROKEN]
    kind, reason = outcome(kernel, run)
    assert kind is OutcomeKind.BLOCKED
    assert reason.startswith("baseline: gate 'test' cannot work here")
    assert not kernel.fakes.worker.requests


@pytest.mark.parametrize("code", [126, 127, 137, 139])
def test_a_crash_cannot_be_mended(code: int) -> None:
    kernel, run = driven(BaselinePolicy.NOTE, Tests(code))
    assert health(kernel, run) == [Health.BROKEN]


@pytest.mark.parametrize(
    ("lack", "words"),
    [
        (Lack(name="yaml", kind=LackKind.DECLARED), "'yaml' is a dependency of the project"),
        (Lack(name="pkg", kind=LackKind.OWN, place="src"), "PYTHONPATH: src"),
    ],
)
def test_what_the_surroundings_lack_cannot_be_mended(lack: Lack, words: str) -> None:
    kernel = Kernel(None, gates=Tests(1))
    examiner = kernel.fakes.examiner
    examiner.readings["the tests"] = Reading(missing=(Missing(lack.name, is_module=True),))
    examiner.needs = (lack,)
    run = kernel.submit(with_tests(BaselinePolicy.NOTE))
    kernel.drive(run)
    assert words in outcome(kernel, run)[1]


def test_a_red_one_is_shown_to_whoever_writes() -> None:
    kernel, run = driven(BaselinePolicy.NOTE, Tests(1, 0, says="E   assert 1 == 2"))
    assert health(kernel, run) == [Health.RED]
    prompt = kernel.fakes.worker.requests[0].prompt
    assert "E   assert 1 == 2" in prompt
    assert kernel.status(run) is RunStatus.COMPLETED


def test_a_red_one_may_end_the_run() -> None:
    kernel, run = driven(BaselinePolicy.STOP, Tests(1))
    kind, reason = outcome(kernel, run)
    assert kind is OutcomeKind.BLOCKED
    assert "does not pass on the base already" in reason
    assert not kernel.fakes.worker.requests


def test_a_person_decides_about_a_red_one() -> None:
    kernel, run = driven(BaselinePolicy.ASK, Tests(1, 0))
    (asked,) = kernel.events(run, e.ApprovalRequested)
    assert asked.reason == ApprovalReason.BASELINE
    assert not kernel.fakes.worker.requests
    yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree, note=None)
    kernel.send(run, "yes", yes)
    kernel.drive(run)
    assert kernel.status(run) is RunStatus.COMPLETED


def test_a_person_may_end_the_run() -> None:
    kernel, run = driven(BaselinePolicy.ASK, Tests(1))
    (asked,) = kernel.events(run, e.ApprovalRequested)
    note = kernel.world.artifacts.put("Mend it first.")
    kernel.send(run, "no", Reject(step=asked.step, visit=asked.visit, tree=asked.tree, note=note))
    kernel.drive(run)
    assert outcome(kernel, run)[0] is OutcomeKind.BLOCKED
    assert not kernel.fakes.worker.requests
