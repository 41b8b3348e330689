"""How the project stands with its supervisors, as far as plans and directives can be read."""

from types import SimpleNamespace
from typing import cast

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName
from supervisor_ai.drivers.quality.directives import (
    Directive,
    DirectivePriority,
    DirectiveResponse,
    DirectiveType,
)
from supervisor_ai.drivers.quality.events import StockLost, StockStarted
from supervisor_ai.drivers.quality.performers import _answers, _line
from supervisor_ai.engine.ports.knowledge import PlannerReply, QualityStock
from supervisor_ai.engine.world import Operation
from supervisor_ai.testing.memory_ledger import MemoryArtifacts

AT, COMMIT = StepName("quality"), CommitSha("c")


def directive(text: ArtifactHash) -> Directive:
    return Directive(
        number=1,
        type=DirectiveType.CLEANUP,
        source="design",
        priority=DirectivePriority.LOW,
        text=text,
        since=0,
    )


def reply(run: str, response: DirectiveResponse, *, is_over: bool = False) -> PlannerReply:
    return PlannerReply(run=RunId(run), is_over=is_over, number=1, response=response.value)


def test_only_this_run_and_those_that_ended_well_have_answered() -> None:
    operation = cast("Operation", SimpleNamespace(run=RunId("r2")))
    early = reply("r1", DirectiveResponse.EXPLAINED, is_over=True)
    own = reply("r2", DirectiveResponse.ADDRESSED)
    other = reply("r3", DirectiveResponse.ESCALATED)
    answered = _answers(operation, QualityStock(replies=(early, own, other)))
    assert [it.response for it in answered] == [DirectiveResponse.ADDRESSED]
    assert _answers(operation, QualityStock(replies=(other,))) == ()


def test_a_directive_whose_words_cannot_be_read_is_named_without_them() -> None:
    artifacts = MemoryArtifacts()
    operation = cast("Operation", SimpleNamespace(text_of=artifacts.get))
    told = _line(directive(artifacts.put("nonsense")), operation)
    assert told == "[1] cleanup, low, from design: "


def test_a_look_without_an_outcome_is_lost() -> None:
    started = StockStarted(step=AT, visit=2, commit=COMMIT)
    assert started.lost() == StockLost(step=AT, visit=2)
