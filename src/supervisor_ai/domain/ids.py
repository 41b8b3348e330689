"""Names of things, as types."""

import re
from typing import Final, NewType

RunId = NewType("RunId", str)
StepName = NewType("StepName", str)
StreamId = NewType("StreamId", str)
EffectKey = NewType("EffectKey", str)
TimerName = NewType("TimerName", str)
ArtifactHash = NewType("ArtifactHash", str)
CommitSha = NewType("CommitSha", str)
TreeSha = NewType("TreeSha", str)
LetterKey = NewType("LetterKey", str)
SessionId = NewType("SessionId", str)

PROJECT_STREAM: Final = StreamId("project")
_RUN_PREFIX: Final = "run:"
_SESSION_PREFIX: Final = "session:"
_FULL_SHA: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def is_full_sha(name: str) -> bool:
    """Tell whether a name means one commit for ever; a branch's name may mean another later."""
    return _FULL_SHA.fullmatch(name) is not None


def run_stream(run: RunId) -> StreamId:
    """Name the stream that holds the run's events."""
    return StreamId(f"{_RUN_PREFIX}{run}")


def stream_run(stream: StreamId) -> RunId | None:
    """Tell whose events the stream holds, if a run's."""
    if not stream.startswith(_RUN_PREFIX):
        return None
    return RunId(stream.removeprefix(_RUN_PREFIX))


def session_stream(session: SessionId) -> StreamId:
    """Name the stream that holds the session's events."""
    return StreamId(f"{_SESSION_PREFIX}{session}")


def stream_session(stream: StreamId) -> SessionId | None:
    """Tell whose events the stream holds, if a session's."""
    if not stream.startswith(_SESSION_PREFIX):
        return None
    return SessionId(stream.removeprefix(_SESSION_PREFIX))
