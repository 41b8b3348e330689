"""A workflow as an SVG picture that needs nothing but itself."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Final

from msgspec import Struct

from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.queries.workflows import Arrow, Node, WorkflowGraph

_WIDTH: Final = 300
_HEIGHT: Final = 48
_GAP: Final = 36
_MARGIN: Final = 24
_TOP: Final = 56
_LANE: Final = 18
_LONGEST: Final = 42
_STYLE: Final = """\
:root { color-scheme: light dark }
svg { background: #ffffff }
rect { fill: #f6f8fa; stroke: #57606a }
.human_gate rect, .commit rect, .pull_request rect { fill: #ddf4ff }
.orchestrator_gate rect { fill: #fff8c5 }
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.does { font-size: 11px; fill: #57606a }
.title { font-size: 16px; font-weight: 600 }
path { fill: none; stroke: #57606a }
.on_fail, .on_reject { stroke: #cf222e; stroke-dasharray: 4 3 }
marker path { fill: #57606a; stroke: none }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117 }
  rect { fill: #161b22; stroke: #8b949e }
  .human_gate rect, .commit rect { fill: #0c2d6b }
  .orchestrator_gate rect { fill: #3b2300 }
  text { fill: #e6edf3 }
  .does { fill: #9da7b3 }
  path { stroke: #8b949e }
  .on_fail, .on_reject { stroke: #ff7b72 }
  marker path { fill: #8b949e }
}"""
_HEAD: Final = (
    '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker>'
)


class _Box(Struct, frozen=True, kw_only=True):
    x: int
    y: int

    @property
    def middle(self) -> int:
        return self.y + _HEIGHT // 2


def draw_svg(graph: WorkflowGraph) -> str:
    """Draw each step in a layer of its own; ways back run beside them, each in its own lane."""
    boxes = _layers(graph)
    beside = [arrow for arrow in graph.arrows if not _is_straight(arrow, boxes)]
    width = 2 * _MARGIN + _WIDTH + _LANE * (len(beside) + 1)
    height = _TOP + len(boxes) * (_HEIGHT + _GAP) + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{_text(graph.name)}</title>",
        f"<style>{_STYLE}</style><defs>{_HEAD}</defs>",
        f'<text class="title" x="{_MARGIN}" y="32">{_text(graph.name)}</text>',
        *(_straight(boxes[it.source], boxes[it.target]) for it in graph.arrows if it not in beside),
        *(_around(arrow, boxes, lane) for lane, arrow in enumerate(beside, 1)),
        *(_drawn(node, boxes[node.name]) for node in graph.nodes),
        "</svg>",
    ]
    return "\n".join(parts)


def _layers(graph: WorkflowGraph) -> Mapping[str, _Box]:
    names = dict.fromkeys((*graph.path, *(node.name for node in graph.nodes)))
    return {
        name: _Box(x=_MARGIN, y=_TOP + layer * (_HEIGHT + _GAP)) for layer, name in enumerate(names)
    }


def _is_straight(arrow: Arrow, boxes: Mapping[str, _Box]) -> bool:
    source, target = boxes[arrow.source], boxes[arrow.target]
    return arrow.kind == "next" and target.y - source.y == _HEIGHT + _GAP


def _straight(source: _Box, target: _Box) -> str:
    x = source.x + _WIDTH // 2
    return f'<path d="M{x} {source.y + _HEIGHT}V{target.y}" marker-end="url(#head)"/>'


def _around(arrow: Arrow, boxes: Mapping[str, _Box], lane: int) -> str:
    """Lead out at the right, along a lane, and in again; the ends of lanes keep apart."""
    source, target = boxes[arrow.source], boxes[arrow.target]
    edge = source.x + _WIDTH
    x, shift = edge + lane * _LANE, lane % 5 * 3 - 6
    way = f"M{edge} {source.middle}H{x}V{target.middle + shift}H{edge}"
    return f'<path class="{arrow.kind}" d="{way}" marker-end="url(#head)"/>'


def _drawn(node: Node, box: _Box) -> str:
    return "".join(_pieces(node, box))


def _pieces(node: Node, box: _Box) -> Iterator[str]:
    x = box.x + 12
    yield f'<g class="{node.kind}">'
    yield f'<rect x="{box.x}" y="{box.y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
    yield f'<text x="{x}" y="{box.y + 20}">{_text(node.name)}</text>'
    yield f'<text class="does" x="{x}" y="{box.y + 38}">{_text(node.does)}</text></g>'


def _text(text: str) -> str:
    line = one_line(text)
    return escape(line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…")
