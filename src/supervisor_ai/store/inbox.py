"""Inbox: commands of other processes for the owner of a run."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.domain.ids import LetterKey, RunId
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.store.connection import Connection, Sql
from supervisor_ai.store.shapes import from_json, to_json

_KEEP: Final = "INSERT INTO letters (key, run, letter) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_TAKE: Final = "UPDATE letters SET is_taken = 1 WHERE run = ? AND key = ?"
_PENDING: Final = "SELECT letter FROM letters WHERE run = ? AND NOT is_taken ORDER BY number"


class SqliteInbox:
    """Keeps inbox commands until the owner takes them together with the facts they lead to."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, letter: InboxCommand) -> bool:
        """Keep the inbox command; False when one with its key was sent before."""
        with self._connection.transaction() as sql:
            return keep_letter(sql, letter)

    def pending(self, run: RunId) -> Sequence[InboxCommand]:
        """Return the inbox commands that were not taken yet, oldest first."""
        rows = self._connection.query(_PENDING, (run,))
        return [from_json(str(letter), InboxCommand) for (letter,) in rows]


def keep_letter(sql: Sql, letter: InboxCommand) -> bool:
    """Keep the inbox command in a transaction; tell whether it is new."""
    encoded = to_json(letter).decode()
    return sql.execute(_KEEP, (letter.key, letter.run, encoded)).rowcount == 1


def take_letters(sql: Sql, run: RunId, keys: Sequence[LetterKey]) -> None:
    """Mark inbox commands of the run as taken; those of other runs stay where they are."""
    sql.executemany(_TAKE, [(run, key) for key in keys])
