"""A feature drawn as a tree, as a graph with characters, as Mermaid or as SVG."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Final

from supervisor_ai.control.phrases import one_line
from supervisor_ai.drivers.feature.plan.model import ComponentStatus
from supervisor_ai.drivers.feature.queries.interface_views import validated_words
from supervisor_ai.drivers.feature.queries.views import ComponentView, FeatureView

_MARKS: Final = {
    ComponentStatus.PENDING: "○",
    ComponentStatus.IMPLEMENTING: "◐",
    ComponentStatus.TESTING: "◑",
    ComponentStatus.REVIEW: "?",
    ComponentStatus.COMPLETED: "●",
    ComponentStatus.FAILED: "✗",
    ComponentStatus.SKIPPED: "-",
    ComponentStatus.CANCELLED: "✗",
}
_WIDTH: Final = 220
_HEIGHT: Final = 44
_GAP_X: Final = 60
_GAP_Y: Final = 16
_MARGIN: Final = 24
_TOP: Final = 64
_LONGEST: Final = 30
_STYLE: Final = """\
svg { background: #ffffff }
rect { fill: #f6f8fa; stroke: #57606a }
.completed rect, .skipped rect { fill: #dafbe1 }
.implementing rect, .testing rect { fill: #ddf4ff }
.review rect { fill: #fff8c5 }
.failed rect, .cancelled rect { fill: #ffebe9 }
.critical rect { stroke: #cf222e; stroke-width: 2 }
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.small { font-size: 11px; fill: #57606a }
.title { font-size: 16px; font-weight: 600 }
path { fill: none; stroke: #57606a }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117 }
  rect { fill: #161b22; stroke: #8b949e }
  .completed rect, .skipped rect { fill: #033a16 }
  .implementing rect, .testing rect { fill: #0c2d6b }
  .review rect { fill: #3b2300 }
  .failed rect, .cancelled rect { fill: #67060c }
  text { fill: #e6edf3 }
  .small { fill: #9da7b3 }
  path { stroke: #8b949e }
}"""


def draw_tree(view: FeatureView) -> str:
    """Draw phases and components as a tree, with what each waits for."""
    return "\n".join(_tree(view))


def _tree(view: FeatureView) -> Iterator[str]:
    done = f"{view.progress.completed} of {view.progress.total}, {view.progress.percent} %"
    yield f"{view.id}: {one_line(view.title)}  {view.status.value} ({done})"
    for number, phase in enumerate(view.phases, 1):
        is_last = number == len(view.phases)
        branch, bar = ("└── ", "    ") if is_last else ("├── ", "│   ")
        yield f"{branch}{phase.id} {one_line(phase.title)}  {phase.status.value}"
        for it in phase.interfaces:
            how = f"{it.status.value}, {validated_words(it.validated)}"
            yield f"{bar}├── ◆ {it.name} ({it.type})  {it.file}  {how}"
            yield from (f"{bar}│   ! {one_line(warning)}" for warning in it.warnings)
        for at, component in enumerate(phase.components, 1):
            end = "└── " if at == len(phase.components) else "├── "
            yield f"{bar}{end}{_line(component)}"
    yield from _unplanned(view)


def _unplanned(view: FeatureView) -> Iterator[str]:
    """Tell what the code needs and the plan does not say."""
    if view.unplanned:
        yield "\nThe code has dependencies that the plan has not:"
    for it in view.unplanned:
        yield f'  {it.component} → {it.needs} (from: "{one_line(it.statement)}")'


def _line(it: ComponentView) -> str:
    star = " *" if it.is_critical else ""
    why = "" if it.why is None else f": {one_line(it.why)}"
    words = f"{_MARKS[it.status]} {it.id} {one_line(it.title)}{star}"
    return f"{words}  {it.status.value}{why}"


def draw_graph(view: FeatureView) -> str:
    """Draw layer under layer: what stands in one needs nothing but layers above it."""
    lines = [f"{view.id}: {one_line(view.title)}", ""]
    for number, layer in enumerate(layers(view), 1):
        lines.append(f"{number}.")
        for it in layer:
            after = f"  ← {', '.join(it.depends_on)}" if it.depends_on else ""
            lines.append(f"   {_MARKS[it.status]} {it.id} {one_line(it.title)}{after}")
    if view.critical_path:
        lines += ["", f"critical path: {' → '.join(view.critical_path)}"]
    return "\n".join(lines)


def layers(view: FeatureView) -> Sequence[Sequence[ComponentView]]:
    """Sort components into layers by what they wait for, their phases included."""
    depth: dict[str, int] = {}
    floor = 0
    for phase in view.phases:
        start = floor if phase.start_when == "phases_completed" else 0
        left = {it.id: it for it in phase.components}
        while left:
            ready = [it for it in left.values() if not any(need in left for need in it.depends_on)]
            for it in ready:
                depth[it.id] = max(
                    [start, *(depth[need] + 1 for need in it.depends_on if need in depth)]
                )
                del left[it.id]
        floor = max([floor, *(depth[it.id] + 1 for it in phase.components)])
    found: list[list[ComponentView]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for component in (it for phase in view.phases for it in phase.components):
        found[depth[component.id]].append(component)
    return found


def draw_mermaid(view: FeatureView) -> str:
    """Draw a flowchart with a box around each phase."""
    components = [it for phase in view.phases for it in phase.components]
    names = {it.id: f"c{number}" for number, it in enumerate(components, 1)}
    lines = ["flowchart LR"]
    for number, phase in enumerate(view.phases, 1):
        lines.append(f'  subgraph p{number}["{_code(phase.title)}"]')
        lines += [
            f'    {names[it.id]}["{_code(it.id)}<br/>{_code(it.title)}"]' for it in phase.components
        ]
        lines.append("  end")
    for it in components:
        lines += [f"  {names[need]} --> {names[it.id]}" for need in it.depends_on]
    return "\n".join(lines)


def _code(text: str) -> str:
    """Write everything but letters, digits and plain punctuation as a character code."""
    return "".join(
        it if it.isalnum() or it in " _-,.()" else f"#{ord(it)};" for it in one_line(text)
    )


def draw_svg(view: FeatureView) -> str:
    """Draw a picture that needs nothing but itself: a column for each layer."""
    columns = layers(view)
    places = {
        it.id: (_MARGIN + x * (_WIDTH + _GAP_X), _TOP + y * (_HEIGHT + _GAP_Y))
        for x, column in enumerate(columns)
        for y, it in enumerate(column)
    }
    tallest = max(map(len, columns), default=0)
    width = 2 * _MARGIN + len(columns) * (_WIDTH + _GAP_X) - _GAP_X
    height = _TOP + tallest * (_HEIGHT + _GAP_Y) + _MARGIN
    components = [it for column in columns for it in column]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{_cut(view.title)}</title><style>{_STYLE}</style>",
        f'<text class="title" x="{_MARGIN}" y="32">{_cut(f"{view.id}: {view.title}", 80)}</text>',
        *(_way(places, need, it.id) for it in components for need in it.depends_on),
        *(_box(it, *places[it.id]) for it in components),
        "</svg>",
    ]
    return "\n".join(parts)


def _way(places: Mapping[str, tuple[int, int]], source: str, target: str) -> str:
    (x1, y1), (x2, y2) = places[source], places[target]
    start, end, middle = x1 + _WIDTH, x2, (x1 + _WIDTH + x2) // 2
    a, b = y1 + _HEIGHT // 2, y2 + _HEIGHT // 2
    return f'<path d="M{start} {a}C{middle} {a} {middle} {b} {end} {b}"/>'


def _box(it: ComponentView, x: int, y: int) -> str:
    critical = " critical" if it.is_critical else ""
    return (
        f'<g class="{it.status.value}{critical}">'
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
        f'<text x="{x + 10}" y="{y + 19}">{_cut(it.title)}</text>'
        f'<text class="small" x="{x + 10}" y="{y + 35}">{_cut(f"{it.id} {it.status.value}")}</text>'
        "</g>"
    )


def _cut(text: str, most: int = _LONGEST) -> str:
    line = one_line(text)
    return escape(line if len(line) <= most else f"{line[: most - 1]}…")


FORMS: Final[Mapping[str, Callable[[FeatureView], str]]] = {
    "tree": draw_tree,
    "graph": draw_graph,
    "mermaid": draw_mermaid,
    "svg": draw_svg,
}
