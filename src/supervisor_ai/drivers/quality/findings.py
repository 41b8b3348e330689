"""What a supervisor answers with, and how much of it is new."""

import msgspec
from msgspec import Struct

from supervisor_ai.drivers.quality.directives import DirectivePriority, DirectiveType
from supervisor_ai.drivers.quality.ports import KnowledgeItem
from supervisor_ai.drivers.quality.supervisors import STORE


class FoundDirective(Struct, frozen=True, kw_only=True):
    """What a supervisor wants done, in its words."""

    type: DirectiveType
    description: str
    priority: DirectivePriority = DirectivePriority.NORMAL
    rationale: str = ""
    files: tuple[str, ...] = ()


class AnsweredDocument(Struct, frozen=True, kw_only=True):
    """A document of the knowledge store that an answer carries."""

    path: str
    text: str


class Findings(Struct, frozen=True, kw_only=True):
    """What a supervisor found, whichever it is."""

    conventions_updated: tuple[str, ...] = ()
    design_updates: tuple[str, ...] = ()
    directives: tuple[FoundDirective, ...] = ()
    knowledge_items: tuple[KnowledgeItem, ...] = ()
    documents: tuple[AnsweredDocument, ...] = ()
    summary: str = ""

    @property
    def claimed(self) -> tuple[str, ...]:
        """Name the documents that it says it wrote, by their paths in the store."""
        said = (*self.conventions_updated, *self.design_updates)
        return tuple(it.removeprefix(f"{STORE}/") for it in said)

    @property
    def files(self) -> dict[str, str]:
        """Return the documents that it carries, by their paths in the project."""
        return {f"{STORE}/{it.path.removeprefix(f'{STORE}/')}": it.text for it in self.documents}

    @property
    def things(self) -> frozenset[str]:
        """Name everything that was found, so that two looks can be compared."""
        wanted = (f"directive {_plain(it.description)}" for it in self.directives)
        learnt = (f"item {_plain(it.content)}" for it in self.knowledge_items)
        written = (f"document {it}" for it in self.claimed)
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
