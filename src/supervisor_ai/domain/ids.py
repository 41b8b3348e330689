"""Names of things, as types."""

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

PROJECT_STREAM: Final = StreamId("project")
_RUN_PREFIX: Final = "run:"


def run_stream(run: RunId) -> StreamId:
    """Name the stream that holds the run's events."""
    return StreamId(f"{_RUN_PREFIX}{run}")


def stream_run(stream: StreamId) -> RunId | None:
    """Tell whose events the stream holds, if a run's."""
    if not stream.startswith(_RUN_PREFIX):
        return None
    return RunId(stream.removeprefix(_RUN_PREFIX))
