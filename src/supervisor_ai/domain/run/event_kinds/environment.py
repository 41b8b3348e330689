"""The facts around workers and gates."""

from supervisor_ai.domain.ids import (
    ArtifactHash,
)
from supervisor_ai.domain.run.event_kinds.placed import StepNote


class SetupEnded(StepNote, frozen=True, kw_only=True):
    """A workspace was set up for an attempt or, without one, for a gate."""

    attempt: int | None
    is_cached: bool
    reason: str
    output: ArtifactHash | None = None
    exit_code: int | None = None


class EgressRefused(StepNote, frozen=True, kw_only=True):
    """A command tried to reach what it may not."""

    attempt: int | None
    host: str
    port: int | None
    reason: str


class WriteRefused(StepNote, frozen=True, kw_only=True):
    """A worker tried to write what its role may only read, or did so where nothing stopped it."""

    attempt: int
    paths: tuple[str, ...]


class FilesLeftOut(StepNote, frozen=True, kw_only=True):
    """What a worker left could not be kept, as a whole or in part."""

    attempt: int
    paths: tuple[str, ...]
    """The first of them; none where nothing at all could be kept."""
    count: int
    reason: str
    report: ArtifactHash | None = None
