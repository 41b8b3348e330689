"""What the facts of a session do to the tables that people read, as plain SQL."""
# ruff: noqa: S608 - the statements are made of this module's own words

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.session import events as s

_OF_SESSION: Final = "WHERE session = :session"

SESSION_RULES: Final[Mapping[type[Event], tuple[str, ...]]] = {
    s.SessionOpened: (
        """
        INSERT OR REPLACE INTO sessions
            (session, seq, team, pipeline, requirement, supervision, folder, opened_at)
        VALUES (:session, :seq, :team, :pipeline, :requirement, :supervision, :folder, :at)
        """,
    ),
    s.SessionClosed: (f"UPDATE sessions SET closed_at = :at {_OF_SESSION}",),
    s.MemberAdded: (
        """
        INSERT OR REPLACE INTO members (session, member, role, joined_at)
        VALUES (:session, :member, :role, :at)
        """,
    ),
    s.TokenDelivered: (),
    s.MemberRemoved: (f"UPDATE members SET left_at = :at {_OF_SESSION} AND member = :member",),
    s.MessageLogged: (
        """
        INSERT OR REPLACE INTO messages
            (session, number, seq, sender, recipient, kind, body, logged_at)
        VALUES (:session, :number, :seq, :sender, :to, :kind, :body, :at)
        """,
    ),
    s.TaskAdded: (
        """
        INSERT OR REPLACE INTO session_tasks
            (session, task, seq, subject, owner, blocked_by, status, moved_at)
        VALUES (:session, :task, :seq, :subject, :owner, :blocked_by, 'pending', :at)
        """,
    ),
    s.TaskMoved: (
        "UPDATE session_tasks SET status = :status, owner = coalesce(nullif(:owner, ''), owner),"
        f" moved_at = :at {_OF_SESSION} AND task = :task",
    ),
    s.FileImported: (),
    s.FileSynced: (),
    s.CallRefused: (),
    s.ResidentStarted: (f"UPDATE sessions SET resident = :run {_OF_SESSION}",),
    s.ResidentStopped: (f"UPDATE sessions SET resident = NULL {_OF_SESSION} AND resident = :run",),
}
