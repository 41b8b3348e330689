"""What is asked ahead is asked once, beside the command, and only where it is going to matter."""

import asyncio
from dataclasses import dataclass, field

import pytest
from tests.support.kernel import GATE
from typing_extensions import override

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName, TreeSha
from supervisor_ai.domain.run.definition import SandboxPolicy
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.evidence_ahead import asked_ahead
from supervisor_ai.engine.ports.evidence import Evidence, Halves, Hollow, ProbeKind, TestProbe
from supervisor_ai.engine.ports.gates import ChangeCase, Unexaminable
from supervisor_ai.testing.fake_evidence import FakeEvidence

BASE, HEAD = CommitSha("b" * 40), CommitSha("a" * 40)
CASE, RULES = ChangeCase(base=BASE, head=HEAD), HarnessRules()
COMPARED = RunGate(
    step=StepName("check"),
    visit=1,
    gate=GATE,
    snapshot=HEAD,
    tree=TreeSha("c" * 40),
    sandbox=SandboxPolicy(),
    output_bytes=1,
    origin=BASE,
    vouched=BASE,
    baseline=ArtifactHash("names"),
)


@dataclass(kw_only=True)
class Counting(FakeEvidence):
    """Remembers what it was asked, and whether it was asked two things at a time."""

    asked_for: list[str] = field(default_factory=list)
    at_work: int = 0

    @override
    async def halves(self, case: ChangeCase, rules: HarnessRules) -> Halves:
        await self._work("halves")
        return await super().halves(case, rules)

    @override
    async def hollowed(self, case: ChangeCase, rules: HarnessRules, *, whole: bool) -> Hollow:
        await self._work(f"hollowed {whole}")
        return await super().hollowed(case, rules, whole=whole)

    @override
    async def probes(
        self,
        case: ChangeCase,
        rules: HarnessRules,
        kind: ProbeKind,
        speaking: tuple[str, ...] = (),
    ) -> tuple[TestProbe, ...]:
        await self._work(f"probes {kind}")
        return await super().probes(case, rules, kind, speaking)

    async def _work(self, name: str) -> None:
        self.asked_for.append(name)
        self.at_work += 1
        assert self.at_work == 1
        await asyncio.sleep(0)
        self.at_work -= 1


async def told(evidence: Evidence) -> list[object]:
    return [
        await evidence.halves(CASE, RULES),
        await evidence.hollowed(CASE, RULES, whole=False),
        await evidence.probes(CASE, RULES, ProbeKind.FAILURES),
        await evidence.probes(CASE, RULES, ProbeKind.PLAINLY),
        await evidence.probes(CASE, RULES, ProbeKind.NEIGHBOURS),
    ]


AHEAD = ["halves", "hollowed False", "probes failures", "probes plainly", "probes neighbours"]


def test_what_was_asked_ahead_is_not_asked_again() -> None:
    evidence = Counting(parts=Halves(touches_product=True))

    async def ask() -> None:
        with asked_ahead(COMPARED, evidence) as ahead:
            ahead.begin()
            assert await told(ahead) == await told(FakeEvidence(parts=evidence.parts))
            assert evidence.asked_for == AHEAD
            other = ChangeCase(base=HEAD, head=BASE)
            await ahead.halves(other, RULES)
            await ahead.hollowed(CASE, RULES, whole=True)
            await ahead.probes(CASE, RULES, ProbeKind.NEIGHBOURS, ("test_a",))
            assert await ahead.head_version(CASE, Halves(), ()) == {}
        assert evidence.asked_for == [*AHEAD, "halves", "hollowed True", "probes neighbours"]

    asyncio.run(ask())


def test_nothing_is_asked_ahead_where_nothing_is_compared() -> None:
    evidence = Counting()

    async def ask() -> None:
        with asked_ahead(replace(COMPARED, baseline=None), evidence) as ahead:
            ahead.begin()
            await asyncio.sleep(0)
            assert evidence.asked_for == []
            assert await told(ahead) == await told(FakeEvidence())

    asyncio.run(ask())


def test_what_went_wrong_ahead_is_told_to_who_asks() -> None:
    evidence = Counting(fault=Unexaminable("It is too large."))

    async def ask() -> None:
        with asked_ahead(COMPARED, evidence) as ahead:
            ahead.begin()
            with pytest.raises(Unexaminable):
                await ahead.halves(CASE, RULES)

    asyncio.run(ask())


@pytest.mark.parametrize("turns", [0, 1, 30])
def test_what_nobody_wants_any_more_is_let_go(turns: int) -> None:
    evidence = Counting(fault=Unexaminable("It is too large."))
    complaints: list[object] = []

    async def ask() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, it: complaints.append(it))
        with asked_ahead(COMPARED, evidence) as ahead:
            ahead.begin()
            for _ in range(turns):
                await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [it for it in asyncio.all_tasks() if it is not asyncio.current_task()] == []

    asyncio.run(ask())
    assert complaints == []
    assert len(evidence.asked_for) == min(turns, 5)
