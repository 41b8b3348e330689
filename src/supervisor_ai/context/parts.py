"""The parts of which a context can consist, each at several levels of detail."""

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from supervisor_ai.context.elements import Element, opening
from supervisor_ai.context.pack_cache import Shown
from supervisor_ai.context.tokens import TokenCounter, added
from supervisor_ai.domain.run.context_plan import DETAILS, Detail, SourceKind

Make = Callable[[], Shown | None]


class ContextPart(Struct, kw_only=True, eq=False):
    """Something that can be shown: fully, in outline, by its name or not at all."""

    source: int
    """The place of its source in the plan: the smaller, the more important."""
    kind: SourceKind
    name: str
    reason: str
    tag: str = "file"
    size: int = 0
    most: Detail = Detail.FULL
    limited_by: str = ""
    """Why it is not shown with more detail, where the budget is not the reason."""
    makers: Mapping[Detail, Make] = field(default_factory=dict)
    elements: dict[Detail, Element | None] = field(default_factory=dict)
    """What was made so far."""
    more: int = 0
    """How many of its kind follow that no budget of this size could show even by their names."""

    def details(self) -> tuple[Detail, ...]:
        """Return its levels, most first, without the last, which is nothing."""
        return DETAILS[DETAILS.index(self.most) : -1]

    def at(self, detail: Detail, counter: TokenCounter) -> Element | None:
        """Make it at a level; None where it has no such level."""
        if detail not in self.elements:
            self.elements[detail] = self._made(detail, counter)
        return self.elements[detail]

    def _made(self, detail: Detail, counter: TokenCounter) -> Element | None:
        if detail is Detail.NAME and detail not in self.makers:
            text = opening(self.tag, self._attributes(detail), is_empty=True)
            return Element(text=text, measure=counter.measure("\n" + text))
        make = self.makers.get(detail)
        shown = make() if make else None
        if shown is None:
            return None
        head = opening(self.tag, self._attributes(detail))
        frame = counter.measure(f"\n{head}\n</{self.tag}>\n")
        return Element(
            text=f"{head}\n{shown.body}\n</{self.tag}>\n",
            measure=added(frame, shown.measure),
            redactions=shown.redactions,
        )

    def _attributes(self, detail: Detail) -> dict[str, str]:
        attributes = {"path": self.name} if self.tag in {"file", "diff"} else {}
        attributes["part"] = self.kind.value
        if detail is not Detail.FULL:
            attributes["shown"] = detail.value
        if detail is Detail.NAME and self.size:
            attributes["bytes"] = str(self.size)
        return attributes
