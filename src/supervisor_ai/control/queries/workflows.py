"""Workflow graphs and warnings: what can be said about a workflow without running it."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from supervisor_ai.control.ports.definitions import Catalog
from supervisor_ai.control.registered_kinds import step_phrases
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import TOOLS, Definition, Step, StepKind, Workflow

ArrowKind = Literal["next", "on_fail", "on_reject"]


class Node(Struct, frozen=True, kw_only=True):
    """A step as a graph shows it."""

    name: str
    kind: str
    does: str
    """Its roles, and whether a person is asked."""
    is_first: bool
    is_last: bool


class Arrow(Struct, frozen=True, kw_only=True):
    """A way from one step to another."""

    source: str
    target: str
    kind: ArrowKind


class WorkflowGraph(Struct, frozen=True, kw_only=True):
    """The steps of a workflow in the order of its main path, and the ways between them."""

    name: str
    description: str
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    problem: str | None = None
    """Why it cannot be run yet."""

    @property
    def path(self) -> tuple[str, ...]:
        """Name the steps that a run without setbacks visits, in order."""
        following = {arrow.source: arrow.target for arrow in self.arrows if arrow.kind == "next"}
        found: dict[str, None] = {}
        at: str | None = next(node.name for node in self.nodes if node.is_first)
        while at is not None and at not in found:
            found[at] = None
            at = following.get(at)
        return tuple(found)


def read_graph(catalog: Catalog, commit: CommitSha, name: str | None) -> WorkflowGraph:
    """Draw what would run; where that cannot be told yet, what is written."""
    try:
        return graph_of(catalog.load(commit, workflow=name, cli=None).definition.workflow)
    except (InvalidInput, NotFound) as error:
        outline = catalog.outline(commit, workflow=name)
        return graph_of(outline, problem=error.message)


def graph_of(workflow: Workflow, *, problem: str | None = None) -> WorkflowGraph:
    """Draw a workflow."""
    return WorkflowGraph(
        name=workflow.name,
        description=workflow.description,
        nodes=tuple(_node(workflow, step) for step in workflow.steps.values()),
        arrows=tuple(arrow for step in workflow.steps.values() for arrow in _arrows(step)),
        problem=problem,
    )


def find_warnings(outline: Workflow, definition: Definition) -> list[str]:
    """Say which steps end the run where a way back was probably meant, and which tools are none."""
    ways = [
        f"Step {step.name!r} has no {key!r}: {what}, the run ends."
        for step in outline.steps.values()
        for key, what in _without_way_back(step, definition)
    ]
    return [*ways, *_unknown_tools(definition)]


def _unknown_tools(definition: Definition) -> Iterator[str]:
    for role in definition.roles.values():
        unknown = [tool for tool in role.allowed_tools or () if tool not in TOOLS]
        if unknown and not role.mcp_servers:
            yield (
                f"Role {role.name!r} is allowed {', '.join(map(repr, unknown))}, "
                "which no agent has and no MCP server of the role offers."
            )


def _without_way_back(step: Step, definition: Definition) -> Iterator[tuple[str, str]]:
    # A gate with a policy says itself what follows from a failure.
    gates = [definition.gates[key] for key in step.checks]
    if step.on_fail is None and any(gate.policy is None for gate in gates):
        yield "on_fail", "when the gate fails"
    reviews = (definition.roles[name].answer for name in step.crew if name in definition.roles)
    if AnswerKind.REVIEW in reviews and step.on_reject is None:
        yield "on_reject", "when the review asks for changes"


def _node(workflow: Workflow, step: Step) -> Node:
    return Node(
        name=step.name,
        kind=step.kind,
        does=_deed(step),
        is_first=step.name == workflow.initial_step,
        is_last=step.next is None,
    )


def _deed(step: Step) -> str:
    deed = step_phrases(step.kind).deed or ", ".join(step.crew)
    if len(step.checks) > 1:
        # What a step runs side by side is pinned under `STEP/GATE`.
        deed = f"gates {', '.join(name.rpartition('/')[2] for name in step.checks)}"
    if step.needed is not None:
        deed = f"{deed} ({step.needed} of {len(step.crew)} must agree)"
    if step.approvers:
        deed = f"{deed} (as many as the change needs)"
    if not step.human_approval:
        return deed
    # Whether to commit is asked before, everything else when it is there to be looked at.
    return f"a person, then {deed}" if step.kind == StepKind.COMMIT else f"{deed}, then a person"


def _arrows(step: Step) -> Iterator[Arrow]:
    if step.next is not None:
        yield Arrow(source=step.name, target=step.next, kind="next")
    if step.on_fail is not None:
        yield Arrow(source=step.name, target=step.on_fail, kind="on_fail")
    if step.on_reject is not None:
        yield Arrow(source=step.name, target=step.on_reject, kind="on_reject")
