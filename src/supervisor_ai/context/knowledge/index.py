"""A full-text index of one store as it is at one moment: made once, read often, thrown away freely.

It is a file named by what the store holds, so nothing in it ever becomes stale.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from supervisor_ai.domain.knowledge.documents import (
    KnowledgeDocument,
    KnowledgeStatus,
)

_KEPT: Final = 16
"""How many stores are remembered at once."""
_MOST_WORDS: Final = 64
_SHORTEST: Final = 3
_WORD: Final = re.compile(r"[^\W_]+")
_EVERYWHERE: Final = frozenset(
    _WORD.findall(
        "about add all also and any are because been before but can change code could does each"
        " every file files for from has have her his how into its itself let like made make may"
        " more most must need new not now one only other our out over should some such task than"
        " that the their them then there these they this those use used using was were what when"
        " where which while who will with work would you your"
    )
)
"""Words that fit every work, and therefore none."""
_SCHEMA: Final = (
    "CREATE TABLE documents (number INTEGER PRIMARY KEY, path TEXT NOT NULL, area TEXT NOT NULL,"
    " status TEXT NOT NULL, title TEXT NOT NULL, fingerprint TEXT NOT NULL,"
    " tokens INTEGER NOT NULL, document BLOB NOT NULL) STRICT",
    "CREATE TABLE problems (text TEXT NOT NULL) STRICT",
    "CREATE VIRTUAL TABLE words USING fts5 (title, path, rules, rest,"
    " content = '', tokenize = 'porter unicode61')",
)
_ROWS: Final = "SELECT number, path, area, status, title, fingerprint, tokens FROM documents"
# The title and the path say best what a document is about, then its rules.
_SEARCH: Final = (
    "SELECT rowid, -bm25(words, 4.0, 3.0, 2.0, 1.0) AS relevance FROM words"
    " WHERE words MATCH ? ORDER BY relevance DESC LIMIT ?"
)


class IndexRow(Struct, frozen=True):
    """What is known of a document without reading it."""

    number: int
    path: str
    area: str
    status: KnowledgeStatus
    title: str
    fingerprint: str
    tokens: int


class IndexedDocument(Struct, frozen=True, kw_only=True):
    """A document and how many tokens telling of it takes."""

    document: KnowledgeDocument
    tokens: int


Make = Callable[[], tuple[Iterable[IndexedDocument], Iterable[str]]]
"""Reads a store: its documents, and what is wrong with its files."""


class StoreIndex:
    """The index of one store, opened."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql

    def rows(self) -> list[IndexRow]:
        """Return all documents, in the order of their paths."""
        return [
            IndexRow(number, path, area, KnowledgeStatus(status), *rest)
            for number, path, area, status, *rest in self._sql.execute(_ROWS)
        ]

    def problems(self) -> tuple[str, ...]:
        """Return what is wrong with the store's files."""
        return tuple(text for (text,) in self._sql.execute("SELECT text FROM problems"))

    def relevance(self, text: str, most: int) -> dict[int, float]:
        """Return how well documents fit a text, by their numbers; the best so many."""
        question = _question(text)
        if not question:
            return {}
        found = self._sql.execute(_SEARCH, (question, most))
        # Where every document has a word, it weighs nothing or less; it was found all the same.
        return {number: max(float(score), 1e-9) for number, score in found}

    def document(self, number: int) -> KnowledgeDocument:
        """Read one document."""
        question = "SELECT document FROM documents WHERE number = ?"
        (content,) = self._sql.execute(question, (number,)).fetchone()
        return msgspec.json.decode(content, type=KnowledgeDocument)


class IndexShelf:
    """Where indexes are kept; without a directory each one is made anew in memory."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory

    @contextmanager
    def open(self, key: str, make: Make) -> Iterator[StoreIndex]:
        """Open the index of a store; one that is missing or damaged is made anew."""
        found = None if self._directory is None else self._found(self._directory / f"{key}.db")
        with closing(found or self._made(key, make)) as sql:
            yield StoreIndex(sql)

    def _found(self, path: Path) -> sqlite3.Connection | None:
        if not path.is_file():
            return None
        sql = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)
        try:
            # A file that was cut off or is none of ours shows itself here.
            sql.execute("SELECT count(*) FROM documents, problems").fetchone()
            sql.execute("SELECT rowid FROM words WHERE words MATCH 'a' LIMIT 1").fetchone()
        except sqlite3.Error:
            sql.close()
            path.unlink(missing_ok=True)
            return None
        with suppress(OSError):
            os.utime(path)
        return sql

    def _made(self, key: str, make: Make) -> sqlite3.Connection:
        documents, problems = make()
        sql = sqlite3.connect(":memory:", isolation_level=None)
        _fill(sql, documents, problems)
        if self._directory is not None:
            with suppress(OSError, sqlite3.Error):
                self._keep(sql, self._directory, key)
        return sql

    def _keep(self, sql: sqlite3.Connection, directory: Path, key: str) -> None:
        """Let the whole file appear at once, and forget the stores that nobody asked for lately."""
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = directory / f"{key}.{os.getpid()}.draft"
        draft.unlink(missing_ok=True)
        with closing(sqlite3.connect(draft)) as copy:
            sql.backup(copy)
        draft.replace(directory / f"{key}.db")
        kept = sorted(directory.glob("*.db"), key=lambda it: it.stat().st_mtime_ns)
        for old in kept[:-_KEPT]:
            old.unlink(missing_ok=True)


def _fill(
    sql: sqlite3.Connection, documents: Iterable[IndexedDocument], problems: Iterable[str]
) -> None:
    for statement in _SCHEMA:
        sql.execute(statement)
    sql.execute("BEGIN")
    for number, indexed in enumerate(documents, 1):
        it = indexed.document
        told = (it.path, it.area, it.status, it.title, it.fingerprint, indexed.tokens)
        row = (number, *told, msgspec.json.encode(it))
        sql.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        rest = f"{it.examples}\n{it.rationale}"
        words = (number, it.title, it.path, it.rules, rest)
        sql.execute(
            "INSERT INTO words (rowid, title, path, rules, rest) VALUES (?, ?, ?, ?, ?)", words
        )
    sql.executemany("INSERT INTO problems VALUES (?)", ((text,) for text in problems))
    sql.execute("COMMIT")


def _question(text: str) -> str:
    """Make a question of whatever somebody wrote: any of its words, and no syntax of its own."""
    words = (word for word in _WORD.findall(text.lower()) if len(word) >= _SHORTEST)
    telling = dict.fromkeys(word for word in words if word not in _EVERYWHERE)
    return " OR ".join(f'"{word}"' for word in list(telling)[:_MOST_WORDS])
