"""The chain of events: each link fits the one before it, and the anchor fits one of them."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.control.ports.queries import FaultKind, LedgerFault
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.engine.ports.workspaces import Anchor, AnchorPoint
from supervisor_ai.store.anchors import recorded_anchor
from supervisor_ai.store.codec import Record, link
from supervisor_ai.store.connection import Sql

_RESTORE: Final = "Restore the ledger from a backup: a past that was changed cannot be mended."
_ANCHOR: Final = "the git ref that anchors the ledger"
_SUSPECT: Final = (
    "Compare it with a copy of the repository that nobody else can write (`git ls-remote`); "
    "the next run that is driven anchors the ledger again."
)


class Chain:
    """The chain as far as it was followed."""

    def __init__(self) -> None:
        self.length = 0
        self.seq = 0
        self._hash = ""
        self._versions: dict[str, int] = {}

    def follow(self, record: Record) -> Iterator[LedgerFault]:
        """Go to the next link; what comes after a fault is judged by what the ledger claims."""
        if record.seq != self.seq + 1:
            yield _fault(self.seq + 1, f"is missing: event {record.seq} comes next")
        elif link(self._hash, record[:-1]) != record.hash:
            yield _fault(record.seq, "is not what was recorded there: it was changed or moved")
        version = self._versions.get(record.stream, 0) + 1
        if record.version != version:
            place = f"version {record.version} of stream {record.stream!r}, not {version}"
            yield _fault(record.seq, f"is {place}: events were removed or reordered")
        self.length += 1
        self.seq, self._hash = record.seq, record.hash
        self._versions[record.stream] = max(record.version, version - 1)


def read_anchor(anchor: Anchor) -> tuple[AnchorPoint | None, list[LedgerFault]]:
    """Return the link that is kept outside, or why it is none."""
    try:
        return anchor.read(), []
    except SupervisorError as error:
        return None, [_anchor_fault(None, f"The anchor cannot be read: {error.message}")]


def anchor_faults(sql: Sql, anchored: AnchorPoint | None, *, last: int) -> Iterator[LedgerFault]:
    """Compare the chain with the link that is kept outside, and with what we kept there."""
    before = recorded_anchor(sql)
    if before is not None and (anchored is None or anchored.seq < before.seq):
        found = "is gone" if anchored is None else f"says event {anchored.seq}"
        message = f"The ledger was anchored at event {before.seq}, but the anchor {found}."
        yield _anchor_fault(before.seq, message)
    if anchored is None:
        return
    row = sql.execute("SELECT hash FROM events WHERE seq = ?", (anchored.seq,)).fetchone()
    if row is None:
        yield _fault(anchored.seq, f"is anchored, but missing: the ledger ends at event {last}")
    elif row[0] != anchored.hash:
        yield _fault(anchored.seq, "is not the one that was anchored: the chain was made anew")


def _anchor_fault(seq: int | None, message: str) -> LedgerFault:
    return LedgerFault(
        kind=FaultKind.ANCHOR, seq=seq, where=_ANCHOR, message=message, hint=_SUSPECT
    )


def _fault(seq: int, what: str) -> LedgerFault:
    return LedgerFault(
        kind=FaultKind.EVENT,
        seq=seq,
        where=f"event {seq}",
        message=f"Event {seq} {what}.",
        hint=_RESTORE,
    )
