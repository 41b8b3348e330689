"""The loop as a graph of LangGraph."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

from langgraph.graph import END, START, StateGraph

from supervisor_ai.bootstrap.graphs import GraphParts, open_graph_parts
from supervisor_ai.drivers.loop.kinds import LoopNode
from supervisor_ai.drivers.loop.routes import DETOURS, POLISH_ROUTES, ROUTES
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.langgraph import turn
from supervisor_ai.langgraph.calls import await_calls, is_async, run_calls
from supervisor_ai.langgraph.nodes import LoopNodes, Update
from supervisor_ai.langgraph.ports import GraphPorts, MemoryKnowledge
from supervisor_ai.langgraph.questions import KINDS, RoleDesk
from supervisor_ai.langgraph.state import LoopGraphState
from supervisor_ai.langgraph.stream import PASSES, tell_stream
from supervisor_ai.langgraph.supervision import SupervisorOffice

_OF_A_TRY: Final = 3
"""Planner, implementor and QA."""
_AFTER_A_TASK: Final = 5
"""Its mark, supervisors, the assessor, supervisors again, and a new scope."""
_OF_MILESTONES: Final = 3 * 20
"""Planner, supervisors and assessor for each of those that a scope can have."""
_CRITICAL: Final = frozenset(KINDS) - {LoopNode.IMPLEMENTOR}
"""Without an answer there, nothing can go on."""


def build_graph(
    ports: GraphPorts, rules: LoopRules | None = None, parts: GraphParts | None = None
) -> StateGraph[LoopGraphState]:
    """Build the loop with its nodes and ways; compile it with any checkpoint saver.

    Without `rules` the loop keeps to our defaults, and all built-in supervisors look.
    """
    parts = parts or open_graph_parts()
    rules = rules or LoopRules(supervisors=parts.supervisors)
    knowledge = ports.knowledge or MemoryKnowledge()
    nodes = LoopNodes(
        ports=ports,
        rules=rules,
        roles=RoleDesk(work=ports.work, knowledge=knowledge, parts=parts),
        office=SupervisorOffice(
            ask=ports.supervise, knowledge=knowledge, parts=parts, tell=tell_stream
        ),
    )
    own = (ports.work, ports.supervise, ports.sizes, ports.check, ports.commit)
    shell: Callable[[Node], Any] = _awaited if any(map(is_async, own)) else _called
    graph: StateGraph[LoopGraphState] = StateGraph(LoopGraphState)
    graph.add_edge(START, LoopNode.SCOPE_AGENT.value)
    for node in LoopNode:
        graph.add_node(node.value, shell(getattr(nodes, node.value)))
        graph.add_conditional_edges(
            node.value, lambda state: state["next_node"], dict(_targets(node))
        )
    return graph


def steps_of(rules: LoopRules | None = None) -> int:
    """Say how many steps a loop can take at most: what LangGraph calls `recursion_limit`."""
    rules = rules or LoopRules()
    tasks = rules.max_tasks + rules.polish_tasks + 1
    return tasks * (_OF_A_TRY * rules.max_attempts + _AFTER_A_TASK + _OF_MILESTONES)


Node = Callable[[LoopGraphState], Update]


def _called(node: Node) -> Callable[[LoopGraphState], LoopGraphState]:
    def visit(state: LoopGraphState) -> LoopGraphState:
        return run_calls(node(state), PASSES)

    return visit


def _awaited(node: Node) -> Callable[[LoopGraphState], Awaitable[LoopGraphState]]:
    async def visit(state: LoopGraphState) -> LoopGraphState:
        return await await_calls(node(state), PASSES)

    return visit


def _targets(node: LoopNode) -> Iterator[tuple[str, str]]:
    """Name where a node can lead, so that the picture of the graph shows it."""
    if node is LoopNode.RUN_SUPERVISORS:
        found = {ROUTES[it] for it in DETOURS} | {LoopNode.ASSESSOR}
    else:
        tables = (ROUTES, POLISH_ROUTES)
        found = {to for table in tables for (at, _), to in table.items() if at is node}
        found |= {LoopNode.RUN_SUPERVISORS for at, _ in DETOURS if at is node}
        found |= {LoopNode.ASSESSOR} if node is LoopNode.MARK_COMPLETE else set()
    if (node is not LoopNode.IMPLEMENTOR and LoopNode.TASK_PLANNER in found) or node in _CRITICAL:
        # No task may be begun any more, or cleanup is given up.
        found.add(LoopNode.REPORT)
    yield from ((it.value, it.value) for it in LoopNode if it in found)
    if node in _CRITICAL or node is LoopNode.REPORT:
        yield turn.END, END
