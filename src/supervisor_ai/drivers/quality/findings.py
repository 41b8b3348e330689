"""What a supervisor answers with, and how much of it is new."""

import msgspec
from msgspec import Struct

from supervisor_ai.drivers.quality.directives import DirectivePriority, DirectiveType
from supervisor_ai.drivers.quality.ports import KnowledgeItem


class FoundDirective(Struct, frozen=True, kw_only=True):
    """What a supervisor wants done, in its words."""

    type: DirectiveType
    description: str
    priority: DirectivePriority = DirectivePriority.NORMAL
    rationale: str = ""
    files: tuple[str, ...] = ()


class Findings(Struct, frozen=True, kw_only=True):
    """What a supervisor found, whichever it is."""

    conventions_updated: tuple[str, ...] = ()
    design_updates: tuple[str, ...] = ()
    directives: tuple[FoundDirective, ...] = ()
    knowledge_items: tuple[KnowledgeItem, ...] = ()
    summary: str = ""

    @property
    def things(self) -> frozenset[str]:
        """Name everything that was found, so that two looks can be compared."""
        wanted = (f"directive {_plain(it.description)}" for it in self.directives)
        learnt = (f"item {_plain(it.content)}" for it in self.knowledge_items)
        written = (f"document {it}" for it in (*self.conventions_updated, *self.design_updates))
        return frozenset((*wanted, *learnt, *written))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def read_findings(text: str) -> Findings:
    """Read an answer that was kept; one that was erased found nothing."""
    try:
        return msgspec.json.decode(text, type=Findings)
    except msgspec.DecodeError:
        return Findings()


def novelty(found: Findings, before: Findings) -> tuple[int, int]:
    """Count what the look before had not found, and all that was found."""
    things = found.things
    return len(things - before.things), len(things)
