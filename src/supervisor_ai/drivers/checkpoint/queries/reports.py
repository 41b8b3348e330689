"""The reports of a session's checkpoints, as the ledger has them."""

import re
from typing import Final

from supervisor_ai.domain.envelope import ActorKind
from supervisor_ai.domain.ids import ArtifactHash, SessionId, session_stream
from supervisor_ai.domain.session.events import FileImported
from supervisor_ai.engine.ports.ledger import EventLog

_REPORT: Final = re.compile(r"artifacts/(CHECKPOINT-[0-9]{3})-report\.md")


def newest_reports(
    log: EventLog, session: SessionId, *, is_of_runs: bool = False
) -> dict[str, ArtifactHash]:
    """Name the newest report of each checkpoint; what our runs wrote goes before other files."""
    ours: dict[str, ArtifactHash] = {}
    others: dict[str, ArtifactHash] = {}
    for envelope in log.read(session_stream(session)):
        event = envelope.event
        if isinstance(event, FileImported) and (match := _REPORT.fullmatch(event.path)):
            is_ours = envelope.actor.kind is ActorKind.RUNTIME
            (ours if is_ours else others)[match[1]] = event.artifact
    return ours if is_of_runs else {**others, **ours}
