"""What graphs of another engine are given of ours: answers that are read, knowledge, the ledger."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from supervisor_ai.bootstrap.adapters import (
    find_repository,
    make_records,
    make_redactor,
    open_bound_ledger,
)
from supervisor_ai.bootstrap.projects import answer_schema, read_settings
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.drivers.quality.ports import Files, KnowledgeBooks
from supervisor_ai.drivers.quality.supervisors import STORE, SupervisorSpec

if TYPE_CHECKING:
    from supervisor_ai.drivers.quality.thread_desk import ThreadDesk
    from supervisor_ai.workspaces.knowledge.folder import DirectoryKnowledge


class GivenAnswer(Struct, frozen=True, kw_only=True):
    """An answer that has the required form, or what is wrong with it."""

    document: str = ""
    said: str = ""
    notes: str = ""
    """It in words, for whoever comes next."""
    problem: str = ""


class GraphKnowledge(Protocol):
    """A knowledge store, by paths of the project."""

    def read(self) -> Files:
        """Read its documents."""
        ...

    def write(self, files: Files) -> None:
        """Write documents."""
        ...


class GraphParts(Struct, frozen=True, kw_only=True):
    """What reads answers and settles knowledge."""

    supervisors: tuple[SupervisorSpec, ...]
    """Those that every loop has unless they are switched off."""
    books: KnowledgeBooks
    read: Callable[[AnswerWord, object], GivenAnswer]
    """Reads what a model answered: text, or what JSON becomes in Python."""
    schema: Callable[[AnswerWord], Mapping[str, object]]
    """Returns the JSON Schema of an answer."""
    redact: Callable[[str], str]
    """Takes the secrets out of a text."""


def open_graph_parts() -> GraphParts:
    """Open what every graph needs; nothing of a project is touched."""
    from supervisor_ai.definitions.loop.settings import BUILTIN
    from supervisor_ai.documents.knowledge.books import MarkdownBooks
    from supervisor_ai.documents.knowledge.reader import KnowledgeReader

    redactor = make_redactor(read_settings())
    return GraphParts(
        supervisors=BUILTIN,
        books=MarkdownBooks(KnowledgeReader(redactor)),
        read=_read,
        schema=_schema,
        redact=lambda text: redactor.redact(text).text,
    )


def _read(kind: AnswerWord, answer: object) -> GivenAnswer:
    from supervisor_ai.definitions.worker_answers.parser import read_document
    from supervisor_ai.engine.ports.workers import AnswerProblem

    try:
        text = answer if isinstance(answer, str) else json.dumps(answer)
    except (TypeError, ValueError, RecursionError) as error:
        return GivenAnswer(problem=f"The answer cannot be JSON: {error}.")
    found = read_document(kind, text)
    if isinstance(found, AnswerProblem):
        return GivenAnswer(problem=found.message)
    return GivenAnswer(document=found.document, said=found.said, notes=found.notes)


def _schema(kind: AnswerWord) -> Mapping[str, object]:
    """Return the form without the nonce: nobody quotes here."""
    made = json.loads(answer_schema(kind))
    properties = {name: it for name, it in made["properties"].items() if name != "nonce"}
    required = [name for name in made["required"] if name != "nonce"]
    return {**made, "properties": properties, "required": required}


class FolderKnowledge:
    """The knowledge store `docs/knowledge` of a directory, as it was when it was opened.

    Of what changes there later only what supervisors write counts: workers write there too.
    """

    def __init__(self, store: "DirectoryKnowledge") -> None:
        self._store = store
        found = ((it.path, it.content) for it in store.read())
        self._files = {f"{STORE}/{path}": text for path, text in found if text is not None}

    def read(self) -> Files:
        """Return its documents; what is no plain file is not there."""
        return self._files

    def write(self, files: Files) -> None:
        """Write documents; nothing is written through a link."""
        self._store.put({path.removeprefix(f"{STORE}/"): text for path, text in files.items()})
        self._files = {**self._files, **files}


def open_folder_knowledge(directory: Path) -> FolderKnowledge:
    """Open the knowledge store of a directory; it may be empty."""
    from supervisor_ai.workspaces.knowledge.folder import DirectoryKnowledge

    return FolderKnowledge(DirectoryKnowledge(directory.resolve(), STORE))


def open_threads(directory: Path) -> "ThreadDesk":
    """Open the ledger of a project for the threads of graphs."""
    from supervisor_ai.domain.envelope import Actor, ActorKind
    from supervisor_ai.drivers.quality.thread_desk import ThreadDesk

    settings = read_settings()
    repository = find_repository(directory, settings)
    ledger = open_bound_ledger(repository, settings)
    records = make_records(repository, ledger)
    return ThreadDesk(
        records.log,
        records.artifacts,
        make_redactor(settings),
        Actor(kind=ActorKind.RUNTIME, id=settings.user, via="langgraph", verified=True),
        ledger.close,
    )
