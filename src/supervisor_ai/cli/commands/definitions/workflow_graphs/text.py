"""A workflow drawn with characters, one step under the other."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.queries.workflows import Node, WorkflowGraph

_WIDTH: Final = 80
_WHEN: Final = {"on_fail": "failed", "on_reject": "rejected"}


def draw_text(graph: WorkflowGraph) -> str:
    """Draw the main path from top to bottom; ways back stand under the steps that they leave."""
    nodes = {node.name: node for node in graph.nodes}
    path = graph.path
    others = [name for name in nodes if name not in path]
    width = min(max(len(name) for name in nodes), _WIDTH // 2)
    lines = [f"{graph.name}: {one_line(graph.description)}", ""]
    for name in path:
        lines += _step(graph, nodes[name], width)
    if others:
        lines += ["", "  Only after a setback:"]
    for name in others:
        lines += _step(graph, nodes[name], width)
    return "\n".join(_cut(line) for line in lines)


def _step(graph: WorkflowGraph, node: Node, width: int) -> Iterator[str]:
    mark = "●" if node.is_first else "■" if node.is_last else "○"
    yield f"  {mark} {_cut(node.name, width).ljust(width)}  {one_line(node.does)}".rstrip()
    line = " " if node.is_last else "│"
    for arrow in graph.arrows:
        if arrow.source == node.name and arrow.kind != "next":
            yield f"  {line}   {_WHEN[arrow.kind]} → {arrow.target}"
    following = next(
        (it.target for it in graph.arrows if it.source == node.name and it.kind == "next"), None
    )
    if following is not None and node.name not in graph.path:
        yield f"  {line}   then → {following}"


def _cut(line: str, width: int = _WIDTH) -> str:
    return line if len(line) <= width else f"{line[: width - 1]}…"
