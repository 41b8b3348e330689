"""`state.md`: how the state of a team is written, and how it is read back.

A page that is read back is the one that was written, or it is refused: the identity at its end is
the hash of everything above it, and of its own numbers.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from supervisor_ai.drivers.team.folder.model import (
    RosterEntry,
    SnapshotIdentity,
    StateLogEntry,
    StatePage,
    TaskEntry,
)

RECOVERY: Final = (
    "Supervisor alone writes this file, from the project's ledger; an edit is noticed by its hash,",
    "kept, and undone. Members send events instead (`supervisor team send`, or the tool",
    "`team_send`). After a crash nothing is to be done here: the next look writes the file anew.",
    "Where it was edited: `supervisor team reconcile {team}`.",
)
LONGEST_STATE: Final = 8 << 20
SNAPSHOT: Final = "## Snapshot"
EMPTY: Final = "- none"


def render_state(page: StatePage) -> tuple[str, SnapshotIdentity]:
    """Write a page; the same page is always the same text."""
    body = "\n".join(_lines(page)) + "\n"
    identity = SnapshotIdentity(
        epoch=page.epoch,
        replay_index=page.replay_index,
        snapshot_hash=_hash(body, page),
    )
    return body + "\n".join(snapshot_lines(identity)) + "\n", identity


def _hash(body: str, page: StatePage) -> str:
    return hashlib.sha256(f"{body}{page.epoch} {page.replay_index}\n".encode()).hexdigest()


def snapshot_lines(identity: SnapshotIdentity) -> tuple[str, ...]:
    """Write the identity at the end of a page."""
    found = {
        "epoch": identity.epoch,
        "replay_index": identity.replay_index,
        "snapshot_hash": identity.snapshot_hash,
    }
    return (SNAPSHOT, "", f"`{json.dumps(found)}`")


def _lines(page: StatePage) -> Iterator[str]:
    yield from (f"# Team: {page.team}", "", "## Recovery Instructions", "")
    yield from (line.replace("{team}", page.team) for line in RECOVERY)
    yield from ("", f"## Phase: {page.phase}", "", f"## Complexity: {page.complexity.value}")
    yield from ("", "## Ownership", "")
    yield f"- operational_state_owner: {page.owner or 'lead'}@{page.epoch}"
    yield "- architectural_decisions_owner: tech-lead"
    yield "- lead_role: decisions/staffing only"
    yield f"- state_lock: {page.lock}"
    yield from ("", "## Team Roster", "", *_listed(map(_member, page.roster)))
    matrix = (f"- {tier}: {' + '.join(roles)}" for tier, roles in page.matrix.items())
    yield from ("", "## Approval Matrix", "", *_listed(matrix))
    yield from ("", "## Tasks", "", *_listed(map(task_line, page.tasks)))
    yield from ("", f"## Active Coders: {page.active_coders} (max {page.most_coders})")
    yield from ("", "## Event Log", "")
    if page.earlier:
        yield f"- {page.earlier} earlier entries are in the ledger, up to hash {page.earlier_hash}"
    yield from _listed(map(_entry, page.log))
    yield ""


def _listed(lines: Iterator[str]) -> Iterator[str]:
    found = list(lines)
    yield from found or [EMPTY]


def _member(entry: RosterEntry) -> str:
    who = entry.name if entry.name == entry.role else f"{entry.name} ({entry.role})"
    waits = f", {entry.wait_reason or '-'}, {entry.idle_stage or '-'}"
    return f"- {who}: {entry.status}{waits if entry.wait_reason or entry.idle_stage else ''}"


def task_line(entry: TaskEntry) -> str:
    """Write the line of a task."""
    return f"- #{entry.id}: {entry.subject} — {entry.status} ({entry.assignment})"


def _entry(entry: StateLogEntry) -> str:
    words = (
        str(entry.index),
        moment(entry.at),
        entry.event,
        entry.actor,
        f"epoch={entry.epoch}",
        f"task={entry.task or '-'}",
        f"rev={'-' if entry.rev is None else entry.rev}",
        entry.text,
    )
    return f"- {' | '.join(words)}".rstrip()


def moment(at: datetime) -> str:
    """Write a moment, to the microsecond."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
