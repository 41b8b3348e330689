"""Chooses and finds documents in the project's store and in the user's own."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.context.knowledge.index import (
    IndexedDocument,
    IndexRow,
    IndexShelf,
    Make,
    StoreIndex,
)
from supervisor_ai.context.knowledge.section import HEADING, place_of, section_text, told_text
from supervisor_ai.context.pack_cache import PackCache
from supervisor_ai.context.packer_choice import estimating
from supervisor_ai.context.path_rules import Patterns
from supervisor_ai.context.tokens import CLAUDE, Estimator, TokenCounter
from supervisor_ai.control.ports.knowledge import (
    KnowledgeCommits,
    KnowledgeFolder,
    KnowledgeReading,
    StoreFile,
)
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.documents import KnowledgeDocument
from supervisor_ai.domain.knowledge.provenance import LookCommit
from supervisor_ai.domain.knowledge.selection import (
    Candidate,
    DocumentChoice,
    InjectedItem,
    InjectedKnowledge,
    KnowledgePlan,
    StoreName,
    choose,
)
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.knowledge import KnowledgeHit, KnowledgeRequest

_MOST_FITTING: Final = 500
_MOST_LEFT_OUT: Final = 200
"""How many documents that a worker is not told of the record names."""
_MOST_PROBLEMS: Final = 20
_HUNGRIEST: Final = Estimator(family=CLAUDE)
"""What a document may cost at most, whatever the model."""

Reading = Callable[[], Sequence[StoreFile]]


class _Source(Struct, frozen=True, kw_only=True):
    """A store that can be asked: its name, what it holds now, and how it is read."""

    store: StoreName
    stamp: str
    read: Reading


class _Entry(Struct, frozen=True, kw_only=True):
    """A candidate and where it was found."""

    index: StoreIndex
    row: IndexRow
    candidate: Candidate


class KnowledgeLibrary:
    """Knows both stores; what it made of them before it finds in its indexes."""

    def __init__(
        self,
        *,
        commits: KnowledgeCommits,
        own: KnowledgeFolder,
        reading: KnowledgeReading,
        indexes: IndexShelf,
        counter: Callable[[str], TokenCounter],
    ) -> None:
        self._commits = commits
        self._own = own
        self._reading = reading
        self._indexes = indexes
        self._counter = counter

    async def select(self, request: KnowledgeRequest) -> InjectedKnowledge:
        """Choose within the budget what a worker is told, as material that can command nothing."""
        return await asyncio.to_thread(self.select_now, request)

    def search(self, commit: CommitSha, words: str, *, most: int) -> tuple[KnowledgeHit, ...]:
        """Find the documents of both stores that fit some words best."""
        return self._search(self._sources(commit, ()), words, most)

    def select_now(self, request: KnowledgeRequest) -> InjectedKnowledge:
        """Choose in this thread."""
        with ExitStack() as stack:
            indexes = self._opened(self._sources(request.commit, request.looks), stack)
            entries = list(self._entries(indexes, request))
            problems = [
                place_of(store, text) for store, index in indexes for text in index.problems()
            ]
            choices = choose([it.candidate for it in entries], _without_heading(request))
            found = {(it.candidate.store, it.candidate.path): it for it in entries}
            return _injected(request, choices, found, problems, self._counter(request.model))

    def _search(
        self, sources: Iterable[_Source], words: str, most: int
    ) -> tuple[KnowledgeHit, ...]:
        with ExitStack() as stack:
            hits = [
                (place, KnowledgeHit(store=store, document=index.document(number), relevance=score))
                for store, index in self._opened(sources, stack)
                for place, (number, score) in enumerate(index.relevance(words, most).items())
            ]
        # How much a word weighs depends on the store: only places can be compared.
        return tuple(hit for _, hit in sorted(hits, key=lambda it: it[0])[:most])

    def search_folder(
        self, folder: KnowledgeFolder, words: str, *, most: int
    ) -> tuple[KnowledgeHit, ...]:
        """Find documents in a directory and in the user's own store."""
        sources = (*_folder(StoreName.PROJECT, folder), *_folder(StoreName.USER, self._own))
        return self._search(sources, words, most)

    def _sources(self, commit: CommitSha, looks: Sequence[LookCommit]) -> tuple[_Source, ...]:
        stamp = self._commits.stamp(commit, looks)
        read = partial(self._commits.read, commit, looks)
        project = () if stamp is None else (_source(StoreName.PROJECT, stamp, read),)
        return (*project, *_folder(StoreName.USER, self._own))

    def _opened(
        self, sources: Iterable[_Source], stack: ExitStack
    ) -> list[tuple[StoreName, StoreIndex]]:
        return [
            (it.store, stack.enter_context(self._indexes.open(self._key(it), self._maker(it))))
            for it in sources
        ]

    def _key(self, source: _Source) -> str:
        told = f"{self._reading.edition}\0{source.store}\0{source.stamp}"
        return sha256(told.encode()).hexdigest()[:40]

    def _maker(self, source: _Source) -> Make:
        def make() -> tuple[list[IndexedDocument], list[str]]:
            documents: list[IndexedDocument] = []
            problems: list[str] = []
            for file in source.read():
                if file.content is not None and not self._reading.is_document(file.path):
                    continue
                read = self._reading.read_file(file)
                problems += (problem.sentence for problem in read.problems)
                if read.document is not None:
                    documents.append(_indexed(source.store, read.document))
            return documents, problems

        return make

    def _entries(
        self, indexes: Iterable[tuple[StoreName, StoreIndex]], request: KnowledgeRequest
    ) -> Iterator[_Entry]:
        hidden, words = Patterns(request.hides), f"{request.themes}\n{request.task}"
        recent: frozenset[str] = frozenset()
        if request.since is not None:
            newest = request.looks[-1].commit if request.looks else request.commit
            recent = self._commits.changed(request.since, newest)
        for store, index in indexes:
            fits = index.relevance(words, _MOST_FITTING)
            is_project = store is StoreName.PROJECT
            for row in index.rows():
                if is_project and hidden.match(place_of(store, row.path)):
                    continue
                candidate = Candidate(
                    path=row.path,
                    store=store,
                    status=row.status,
                    area=row.area,
                    tokens=row.tokens,
                    relevance=fits.get(row.number, 0.0),
                    is_recent=is_project and row.path in recent,
                )
                yield _Entry(index=index, row=row, candidate=candidate)


def _source(store: StoreName, stamp: str, read: Reading) -> _Source:
    return _Source(store=store, stamp=stamp, read=read)


def _folder(store: StoreName, folder: KnowledgeFolder) -> tuple[_Source, ...]:
    stamp = folder.stamp()
    return () if stamp is None else (_source(store, stamp, folder.read),)


def _indexed(store: StoreName, document: KnowledgeDocument) -> IndexedDocument:
    text = f"\n{told_text(store, document)}\n"
    return IndexedDocument(document=document, tokens=_tokens(_HUNGRIEST, text))


def _without_heading(request: KnowledgeRequest) -> KnowledgePlan:
    heading = _tokens(_HUNGRIEST, HEADING)
    return replace(request.plan, budget=max(request.plan.budget - heading, 0))


def _injected(
    request: KnowledgeRequest,
    choices: Sequence[DocumentChoice],
    found: "dict[tuple[StoreName, str], _Entry]",
    problems: Sequence[str],
    counter: TokenCounter,
) -> InjectedKnowledge:
    """Write the section, and the record of what is in it and what is not."""
    told: dict[tuple[StoreName, str], str] = {}
    for it in choices:
        key = it.candidate.store, it.candidate.path
        if it.is_shown:
            entry = found[key]
            told[key] = told_text(key[0], entry.index.document(entry.row.number))
    # A model may count otherwise than was estimated: what is least important goes first.
    while (
        told and counter.tokens(counter.measure(section_text(told.values()))) > request.plan.budget
    ):
        told.popitem()
    text = section_text(told.values())
    items = [_item(it, found, told) for it in choices]
    shown = [it for it in items if it.is_shown]
    rest = [it for it in items if not it.is_shown]
    return InjectedKnowledge(
        text=text,
        tokens=_tokens(counter, text),
        budget=request.plan.budget,
        items=(*shown, *rest[:_MOST_LEFT_OUT]),
        left_out=len(rest[_MOST_LEFT_OUT:]),
        problems=tuple(problems[:_MOST_PROBLEMS]),
    )


def _tokens(counter: TokenCounter, text: str) -> int:
    return counter.tokens(counter.measure(text)) if text else 0


def _item(
    choice: DocumentChoice,
    found: "dict[tuple[StoreName, str], _Entry]",
    told: "dict[tuple[StoreName, str], str]",
) -> InjectedItem:
    it = choice.candidate
    row, is_told = found[it.store, it.path].row, (it.store, it.path) in told
    reason = choice.reason
    if choice.is_shown and not is_told:
        reason = f"{reason}, but the model's tokens do not suffice"
    return InjectedItem(
        path=it.path,
        store=it.store,
        title=row.title,
        status=it.status,
        is_shown=is_told,
        tokens=it.tokens,
        reason=reason,
        fingerprint=row.fingerprint,
    )


def open_library(
    *,
    commits: KnowledgeCommits,
    own: KnowledgeFolder,
    reading: KnowledgeReading,
    indexes: Path,
    counts: Path,
) -> KnowledgeLibrary:
    """Open both stores; what was learnt about models is where packed contexts keep it."""
    return KnowledgeLibrary(
        commits=commits,
        own=own,
        reading=reading,
        indexes=IndexShelf(indexes),
        counter=estimating(PackCache(counts, "")),
    )
