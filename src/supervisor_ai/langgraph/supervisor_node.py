"""The quality supervisors as one node of anybody's graph."""

from collections.abc import Callable
from typing import Any

from langgraph.graph import StateGraph

from supervisor_ai.bootstrap.graphs import GraphKnowledge, GraphParts, open_graph_parts
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.kinds import LoopNode
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.supervisors import LookMoment, SupervisorSpec
from supervisor_ai.drivers.quality.urgency import UrgencySignal
from supervisor_ai.langgraph.calls import Calls, await_calls, is_async, run_calls
from supervisor_ai.langgraph.ports import LookRequest, MemoryKnowledge
from supervisor_ai.langgraph.state import QualityState, book_of, quality_fields
from supervisor_ai.langgraph.stream import PASSES, tell_stream
from supervisor_ai.langgraph.supervision import SupervisorOffice
from supervisor_ai.langgraph.turn import begin

NAME = LoopNode.RUN_SUPERVISORS.value


class GraphSupervisors:
    """Supervisors that look at the work of a graph which knows nothing else of us."""

    def __init__(
        self,
        ask: Callable[[LookRequest], object],
        *,
        knowledge: GraphKnowledge | None = None,
        supervisors: tuple[SupervisorSpec, ...] | None = None,
        parts: GraphParts | None = None,
    ) -> None:
        parts = parts or open_graph_parts()
        specs = parts.supervisors if supervisors is None else supervisors
        self._ask = ask
        self._rules = LoopRules(supervisors=specs)
        self._office = SupervisorOffice(
            ask=ask, knowledge=knowledge or MemoryKnowledge(), parts=parts, tell=tell_stream
        )

    def add_to(self, graph: StateGraph[Any]) -> str:
        """Add the node to a graph, with the fields of the state that it needs; return its name."""
        graph.add_node(NAME, self._awaited if is_async(self._ask) else self._called)
        return NAME

    def is_due(self, state: QualityState) -> bool:
        """Tell whether a supervisor should look now; the seed's `should_run_supervisors`."""
        book = book_of(state, self._rules)
        return bool(book.roster.due(book.supervisor_urgency))

    def count_task(self, state: QualityState, *signals: UrgencySignal) -> QualityState:
        """Count a completed task, and what made the next look more urgent meanwhile."""
        book = book_of(state, self._rules)
        counted = replace(book, completed=book.completed + 1, roster=book.roster.counted())
        return quality_fields(counted.urged(*signals))

    def call(self, state: QualityState, moment: LookMoment) -> QualityState:
        """Let a moment call those who want to hear of it: a milestone, a re-scope, an abort."""
        book = book_of(state, self._rules)
        return quality_fields(replace(book, roster=book.roster.called(moment)))

    def settle(self, state: QualityState, number: int, became: str) -> QualityState:
        """Say that a directive is pending no more, and what became of it."""
        rows = [it for it in state.get("pending_directives") or () if it.get("number") != number]
        row = {"number": number, "became": became}
        return QualityState(
            pending_directives=rows, directive_log=[*(state.get("directive_log") or ()), row]
        )

    def _called(self, state: QualityState) -> QualityState:
        return run_calls(self._looks(state), PASSES)

    async def _awaited(self, state: QualityState) -> QualityState:
        return await await_calls(self._looks(state), PASSES)

    def _looks(self, state: QualityState) -> Calls[QualityState]:
        turn = yield from self._office.looks(begin(LoopNode.RUN_SUPERVISORS, state, self._rules))
        made = quality_fields(turn.book)
        made["directive_log"] = list(turn.log)
        return made
