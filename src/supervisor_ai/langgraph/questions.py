"""Questions to the roles of the loop: what they are told, and answers that count."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.bootstrap.graphs import GivenAnswer, GraphKnowledge, GraphParts
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.failures.retries import DEFAULT_RETRIES
from supervisor_ai.drivers.loop import briefs
from supervisor_ai.drivers.loop.briefs import BriefWriter, Section
from supervisor_ai.drivers.loop.kinds import (
    OF_ASSESSOR,
    OF_PLANNER,
    OF_QA,
    OF_SCOPE,
    OF_WORK,
    LoopNode,
)
from supervisor_ai.drivers.loop.performers.takers import AnswerPlace, Taking
from supervisor_ai.drivers.quality.events import AnswerTaken
from supervisor_ai.langgraph.calls import Calls, PortCall
from supervisor_ai.langgraph.ports import RoleRequest
from supervisor_ai.langgraph.state import kept, read
from supervisor_ai.langgraph.turn import GraphTurn

KINDS: Final[Mapping[LoopNode, AnswerWord]] = {
    LoopNode.SCOPE_AGENT: OF_SCOPE,
    LoopNode.TASK_PLANNER: OF_PLANNER,
    LoopNode.IMPLEMENTOR: OF_WORK,
    LoopNode.QA: OF_QA,
    LoopNode.ASSESSOR: OF_ASSESSOR,
}
REQUEST: Final = "REQUEST"
KNOWLEDGE: Final = "PROJECT KNOWLEDGE"
LEFT: Final = "DIRECTIVES OF PEOPLE"
_INFORMED: Final = frozenset({LoopNode.SCOPE_AGENT, LoopNode.TASK_PLANNER, LoopNode.IMPLEMENTOR})
_KNOWLEDGE_TOKENS: Final = 2_000


class NoAnswer(Struct, frozen=True, kw_only=True):
    """A role that gave no answer that counts, as often as it was asked."""

    reason: str
    wrong: str
    """What was wrong with the last one."""


class TakenAnswer(Struct, frozen=True, kw_only=True):
    """An answer that counts, and what it says that decides anything."""

    given: GivenAnswer
    fact: AnswerTaken


Take = Callable[[Taking], object]
"""Takes an answer in: a fact, or something with a `message` where it does not count."""


class RoleDesk(Struct, frozen=True, kw_only=True):
    """Asks the roles of the loop, again where an answer does not count."""

    work: Callable[[RoleRequest], object]
    knowledge: GraphKnowledge
    parts: GraphParts

    def asked(
        self, turn: GraphTurn, take: Take, request: str = ""
    ) -> Calls[TakenAnswer | NoAnswer]:
        """Ask the role of a node until its answer counts."""
        sections, kind, wrong = self._sections(turn, request), KINDS[turn.node], ""
        for _ in range(DEFAULT_RETRIES.max_attempts):
            question = RoleRequest(
                role=turn.node.value,
                sections=sections,
                schema=self.parts.schema(kind),
                feedback=wrong,
            )
            answer = yield PortCall(port=self.work, argument=question)
            given = self.parts.read(kind, answer)
            if given.problem:
                wrong = given.problem
                continue
            fact = take(_taking(turn, given))
            if isinstance(fact, AnswerTaken):
                return TakenAnswer(given=given, fact=fact)
            wrong = str(getattr(fact, "message", ""))
        tries = f"{turn.node.value!r} failed {DEFAULT_RETRIES.max_attempts} times"
        return NoAnswer(reason=f"{tries}; the last time: {wrong}", wrong=wrong)

    def _sections(self, turn: GraphTurn, request: str) -> tuple[tuple[str, str], ...]:
        writer = BriefWriter(book=turn.book, read=read)
        told = writer.sections(*briefs.TOLD[turn.node])
        if turn.node is LoopNode.QA and writer.reported():
            told = (*told, Section(title=briefs.CHANGE, text=writer.reported()))
        told = briefs.fitted(told, briefs.TOKENS[turn.node] - _KNOWLEDGE_TOKENS)
        made = [(it.title, it.text) for it in told]
        if turn.node not in _INFORMED:
            return tuple(made)
        stored = self.knowledge.read()
        digest = self.parts.books.digest(stored, most=briefs.characters(_KNOWLEDGE_TOKENS))
        known = [(KNOWLEDGE, digest)] if digest else []
        if turn.node is LoopNode.SCOPE_AGENT:
            left = "\n\n".join(self.parts.books.directives(stored))
            wanted = [(REQUEST, request), *([(LEFT, left)] if left else [])]
            return (*wanted, *known, *made)
        # The seed's order: what is to be achieved, what is known, what is to be done.
        return (*made[:1], *known, *made[1:])


def _taking(turn: GraphTurn, given: GivenAnswer) -> Taking:
    at = AnswerPlace(step=StepName(turn.node), visit=0, slot=1, attempt=1)
    return Taking(at=at, book=turn.book, document=given.document, keep=kept)
