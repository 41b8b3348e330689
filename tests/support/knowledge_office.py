"""Knowledge stores in memory, as people ask about them."""

from collections.abc import Mapping, Sequence
from typing import Final

from supervisor_ai.control.dashboard.knowledge import KnowledgeOffice
from supervisor_ai.control.ports.knowledge import StoreFile
from supervisor_ai.documents.knowledge.guide import MarkdownGuide
from supervisor_ai.documents.knowledge.reader import KnowledgeReader
from supervisor_ai.documents.knowledge.store_text import MarkdownStore
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.knowledge.life import KnowledgeUse
from supervisor_ai.domain.knowledge.selection import StoreName
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.engine.ports.knowledge import KnowledgeHit

READER: Final = KnowledgeReader(RuleRedactor())
GUESS: Final = (
    b"# Names\n_Last updated by: code_style, task_2_\n_Status: provisional_\n## Rules\nShort.\n"
)
WANTED: Final = b"# Orders\n_Status: provisional_\n_Review: wanted_\n## Rules\nOrders stay.\n"
FIRM: Final = b"# Errors\n_Status: established_\n## Rules\nRaise ToolError.\n"
PROJECT: Final = {
    "conventions/errors.md": FIRM,
    "conventions/names.md": GUESS,
    "domain/orders.md": WANTED,
    "design/odd.md": b"# Odd\n_Status: sure_\n## Rules\nx",
}


class Folder:
    """A store in memory."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)

    def stamp(self) -> str | None:
        return repr(self.files)

    def read(self) -> Sequence[StoreFile]:
        return [StoreFile(path=path, content=content) for path, content in self.files.items()]

    def write(self, contents: Mapping[str, bytes], *, stamp: str | None) -> None:
        if self.stamp() != stamp:
            raise Conflict("Somebody has changed the store.")
        self.files |= contents


class Guides:
    """Files for agents in memory."""

    def __init__(self, **files: str) -> None:
        self.files = {f"{name}.md": text for name, text in files.items()}

    def read(self, name: str) -> str | None:
        return self.files.get(name)

    def write(self, name: str, text: str | None, *, before: str | None) -> None:
        if self.read(name) != before:
            raise Conflict(f"Somebody has changed {name!r}.")
        self.files.pop(name, None)
        if text is not None:
            self.files[name] = text


def office(
    project: Mapping[str, bytes] = PROJECT,
    own: Mapping[str, bytes] | None = None,
    *,
    uses: Sequence[KnowledgeUse] = (),
    guides: Guides | None = None,
    hits: Sequence[KnowledgeHit] = (),
) -> KnowledgeOffice:
    committed = Folder({"conventions/errors.md": FIRM})
    return KnowledgeOffice(
        stores={StoreName.PROJECT: Folder(project), StoreName.USER: Folder(own or {})},
        places={StoreName.PROJECT: "docs/knowledge", StoreName.USER: "/home/me/knowledge"},
        text=MarkdownStore(READER),
        uses=lambda: uses,
        committed=committed.read,
        search=lambda words, most: hits[:most],
        guides=guides or Guides(),
        guide_text=MarkdownGuide(),
    )
