"""The knowledge store, and the queue of what waits for a person."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from supervisor_ai.control.commands.decisions.knowledge import carry_out, plan_statuses
from supervisor_ai.control.dashboard.knowledge import (
    DocumentView,
    KnowledgeOffice,
    list_documents,
    review_queue,
)
from supervisor_ai.domain.knowledge.documents import KnowledgeStatus
from supervisor_ai.tui.key_table import KNOWLEDGE, bindings
from supervisor_ai.tui.line_view import LineView
from supervisor_ai.tui.pages.blocks import LineBlock
from supervisor_ai.tui.pages.knowledge import knowledge_blocks, knowledge_head
from supervisor_ai.tui.screens.face import FaceScreen


def all_documents(office: KnowledgeOffice) -> tuple[DocumentView, ...]:
    """Return what waits for a person, and behind it everything else."""
    waiting = review_queue(office)
    paths = {it.path for it in waiting}
    others = (it for it in list_documents(office).documents if it.path not in paths)
    return (*waiting, *others)


class KnowledgeScreen(FaceScreen):
    """Documents with their rules; a person says of each whether it holds."""

    KEYS = KNOWLEDGE
    BINDINGS: ClassVar[list[BindingType]] = bindings(KNOWLEDGE)

    def __init__(self, documents: Sequence[DocumentView]) -> None:
        super().__init__()
        self._documents = documents

    def compose_body(self) -> ComposeResult:  # type: ignore[explicit-override]
        """Show the documents."""
        yield LineView(id="knowledge", has_cursor=True)

    def head(self, width: int) -> Sequence[Text]:  # type: ignore[explicit-override]
        """Say how many there are."""
        return knowledge_head(self._documents, width)

    def show_body(self) -> None:  # type: ignore[explicit-override]
        """Draw the documents."""
        self.query_one("#knowledge", LineView).draw(self._blocks)

    def _blocks(self, width: int) -> Sequence[LineBlock]:
        return knowledge_blocks(self._documents, width)

    def action_promote(self) -> None:
        """Say that the document under the cursor holds."""
        self._judge(KnowledgeStatus.ESTABLISHED)

    def action_deprecate(self) -> None:
        """Say that the document under the cursor no longer applies."""
        self._judge(KnowledgeStatus.DEPRECATED)

    def _judge(self, status: KnowledgeStatus) -> None:
        path = self.query_one("#knowledge", LineView).cursor
        if path:
            self.face.work(lambda: self._judged(path, status), self._show)

    def _judged(self, path: str, status: KnowledgeStatus) -> tuple[str, tuple[DocumentView, ...]]:
        office = self.desk.knowledge()
        done = carry_out(office, plan_statuses(office, [path], status, ""), dry_run=False)
        return " ".join((f"{path}: {done.detail}", *done.notes)), all_documents(office)

    def _show(self, judged: tuple[str, tuple[DocumentView, ...]]) -> None:
        words, self._documents = judged
        self.face.tell(words)
        self.show()
