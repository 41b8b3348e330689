"""A gate of tests whose runs a test writes down."""

from tests.support.kernel import GATE, flow, stop, work

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.gates import BaselinePolicy
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import CaseOutcome, CaseResult
from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.testing.fake_sandbox import ScriptedReply


def results(**outcomes: CaseOutcome) -> tuple[CaseResult, ...]:
    return tuple(CaseResult(name, outcome, "E   boom") for name, outcome in outcomes.items())


class Runs:
    """Runs of the tests, one after the other: at the base, at the head, and on composed trees."""

    def __init__(self, *readings: str) -> None:
        self.says = list(readings)

    def __call__(self, spec: SandboxSpec) -> ScriptedReply:
        del spec
        said = self.says.pop(0)
        code = 0 if said.startswith("green") else 1
        return ScriptedReply(output=((Channel.STDOUT, said.encode()),), exit_code=code)


def with_tests() -> Definition:
    step = replace(stop("check", StepKind.GATE), gate="test", on_fail=StepName("build"))
    gate = replace(GATE, name="test", counts_tests=True)
    definition = replace(flow(work("build"), replace(step, max_retries=0)), gates={"test": gate})
    return replace(definition, baseline=BaselinePolicy.NOTE)
