"""A workflow as a Mermaid flowchart."""

from typing import Final

from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.queries.workflows import Node, WorkflowGraph

_SHAPES: Final = {
    "role": ("[", "]"),
    "orchestrator_gate": ("{{", "}}"),
    "human_gate": ("([", "])"),
    "commit": ("[[", "]]"),
    "pull_request": ("[[", "]]"),
}
_ARROWS: Final = {"next": "-->", "on_fail": "-. failed .->", "on_reject": "-. rejected .->"}


def draw_mermaid(graph: WorkflowGraph) -> str:
    """Draw a flowchart; steps have numbers as ids, since a name may be a word of Mermaid's."""
    ids = {node.name: f"s{number}" for number, node in enumerate(graph.nodes, 1)}
    nodes = [f"  {ids[node.name]}{_box(node)}" for node in graph.nodes]
    arrows = [f"  {ids[it.source]} {_ARROWS[it.kind]} {ids[it.target]}" for it in graph.arrows]
    return "\n".join(["flowchart TD", *nodes, *arrows])


def _box(node: Node) -> str:
    left, right = _SHAPES[node.kind]
    return f'{left}"{_escaped(node.name)}<br/>{_escaped(node.does)}"{right}'


def _escaped(text: str) -> str:
    """Write everything but letters, digits and plain punctuation as a character code."""
    return "".join(
        character if character.isalnum() or character in " _-,.()" else f"#{ord(character)};"
        for character in one_line(text)
    )
