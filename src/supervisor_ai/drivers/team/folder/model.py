"""What `state.md` says: a page made of the folded team, and what is found in its place."""

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity

STATE_FILE: Final = "state.md"
DECISIONS_FILE: Final = "DECISIONS.md"
LOG_SHOWN: Final = 2_000
"""How many entries of the log stand in the file; older ones are counted there."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
_WORD: Final = re.compile(r"[A-Z][A-Z0-9_ ]{0,39}", re.ASCII)
_TEXT: Final = 400


def _check(form: re.Pattern[str], *words: str) -> None:
    for word in words:
        if form.fullmatch(word) is None:
            raise InternalError(f"{word[:80]!r} cannot stand in a state file.")


def _check_text(text: str) -> None:
    is_line = text == " ".join(text.split(" ")) and text == text.strip()
    if len(text) > _TEXT or (text and not text.isprintable()) or not is_line:
        raise InternalError(f"{text[:80]!r} is not one clean line of {_TEXT} characters.")


class RosterEntry(Struct, frozen=True, kw_only=True):
    """A line of the roster: `- coder-1 (coder): ACTIVE, coding, none`."""

    name: str
    role: str
    status: str
    wait_reason: str = ""
    idle_stage: str = ""

    def __post_init__(self) -> None:
        _check(_NAME, self.name, self.role)
        _check(_WORD, self.status)
        _check(re.compile(r"[a-z_]{0,40}"), self.wait_reason, self.idle_stage)


class TaskEntry(Struct, frozen=True, kw_only=True):
    """A line of the tasks: `- #3: subject — IN_REVIEW (coder-1)`."""

    id: str
    subject: str
    status: str
    assignment: str = "unassigned"

    def __post_init__(self) -> None:
        _check(_NAME, self.id, self.assignment)
        _check(_WORD, self.status)
        _check_text(self.subject)


class StateLogEntry(Struct, frozen=True, kw_only=True):
    """A line of the event log; its index is where it stands in the team's history."""

    index: int
    at: datetime
    event: str
    actor: str
    epoch: int
    task: str | None = None
    rev: int | None = None
    text: str = ""

    def __post_init__(self) -> None:
        _check(_WORD, self.event)
        _check(_NAME, self.actor, *(() if self.task is None else (self.task,)))
        _check_text(self.text)


class SnapshotIdentity(Struct, frozen=True, kw_only=True):
    """Which state a file shows: seed 002's identity of a snapshot."""

    epoch: int
    replay_index: int
    """The index of the last event that is in it."""
    snapshot_hash: str
    """The SHA-256 of all that is above the identity, and a line `EPOCH REPLAY_INDEX` below."""


class StatePage(Struct, frozen=True, kw_only=True):
    """Everything that `state.md` says."""

    team: str
    phase: str
    complexity: TeamComplexity
    epoch: int
    owner: str | None
    """Who may write: `supervisor` after the acknowledgement; None: nobody yet."""
    lock: str
    replay_index: int
    roster: tuple[RosterEntry, ...] = ()
    matrix: Mapping[str, tuple[str, ...]] = {}
    tasks: tuple[TaskEntry, ...] = ()
    most_coders: int = 3
    log: tuple[StateLogEntry, ...] = ()
    """The newest entries, in their order."""
    earlier: int = 0
    """How many entries are older than those shown."""
    earlier_hash: str = ""
    """The hash that the ledger has for the newest of them, which covers all before it."""

    def __post_init__(self) -> None:
        _check(_NAME, self.team, *(() if self.owner is None else (self.owner,)))
        _check(_WORD, self.phase, self.lock)

    @property
    def active_coders(self) -> int:
        """Count the coders that are active."""
        return sum(it.role == "coder" and it.status == "ACTIVE" for it in self.roster)


class StateFinding(StrEnum):
    """What is in the place of `state.md`."""

    OURS = "ours"
    """Exactly what was written last."""
    BEHIND = "behind"
    """What was written before: a crash came between the ledger and the file."""
    MISSING = "missing"
    EDITED = "edited"
    """Something that nobody but us may have written, and we have not."""


class SectionEdit(Struct, frozen=True, kw_only=True):
    """What an outside edit did to one section."""

    section: str
    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def summary(self) -> str:
        """Say it in a few words."""
        return f"{self.section}: +{len(self.added)} -{len(self.removed)}"


class StateLook(Struct, frozen=True, kw_only=True):
    """What a look at `state.md` found."""

    finding: StateFinding
    sha256: str | None = None
    """Of the file that is there."""
    edits: tuple[SectionEdit, ...] = ()
    tasks: tuple[str, ...] = ()
    """The tasks whose lines were touched."""

    @property
    def summary(self) -> str:
        """Say what was edited, for a person."""
        return "; ".join(it.summary for it in self.edits)


class PageProblem(Struct, frozen=True, kw_only=True):
    """Why a file is no page, and where."""

    line: int
    problem: str
