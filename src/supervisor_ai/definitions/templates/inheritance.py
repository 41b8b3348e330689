"""Which workflow extends which, from the first ancestor to the file itself."""

from collections.abc import Sequence

from msgspec import Struct

from supervisor_ai.definitions.overlay.layers import Layer, WrittenFile
from supervisor_ai.definitions.schema.workflows import WorkflowShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes, unknown


class Ancestor(Struct, frozen=True, kw_only=True):
    """A workflow file, and how high its layer stands."""

    name: str
    height: int
    written: WrittenFile[WorkflowShape]


def lineage(
    name: str,
    written: WrittenFile[WorkflowShape],
    layers: Sequence[Layer],
    mistakes: FileMistakes,
) -> list[WrittenFile[WorkflowShape]] | None:
    """List a workflow and all that it extends, the first ancestor first; None after a mistake."""
    trail = [Ancestor(name=name, height=_height(written, name, layers), written=written)]
    while (parent := trail[-1].written.shape.extends) is not None:
        child = trail[-1]
        place = child.written.place(parent_key(child.written))
        found = _find(parent, child, layers)
        if found is None:
            known = sorted({known for layer in layers for known in layer.names} - {child.name})
            mistakes.add(place, unknown("workflow", parent, known))
            return None
        if any(found.written is before.written for before in trail):
            circle = " -> ".join([*(it.name for it in trail), found.name])
            place = written.place(parent_key(written))
            mistakes.add(place, f"goes round in a circle: {circle}")
            return None
        trail.append(found)
    return [it.written for it in reversed(trail)]


def parent_key(written: WrittenFile[WorkflowShape]) -> str:
    """Name the key that says what is extended: `template` in a config, `extends` in a file."""
    is_file = (*written.path, "extends") in written.document.lines
    return "extends" if is_file else "template"


def _height(written: WrittenFile[WorkflowShape], name: str, layers: Sequence[Layer]) -> int:
    heights = (at for at, layer in enumerate(layers) if layer.workflows.get(name) is written)
    return next(heights, len(layers))


def _find(name: str, child: Ancestor, layers: Sequence[Layer]) -> Ancestor | None:
    """Find the highest workflow of that name which is not above the child.

    One's own name means the one below. What a project changes does not change our own workflows.
    """
    top = child.height if name == child.name else child.height + 1
    for height in range(min(top, len(layers)) - 1, -1, -1):
        written = layers[height].workflows.get(name)
        if written is not None:
            return Ancestor(name=name, height=height, written=written)
    return None
