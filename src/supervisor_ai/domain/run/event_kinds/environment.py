"""The facts around workers and gates."""

from dataclasses import dataclass

from supervisor_ai.domain.ids import (
    ArtifactHash,
)
from supervisor_ai.domain.run.event_kinds.placed import StepNote


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupEnded(StepNote):
    """A workspace was set up for an attempt or, without one, for a gate."""

    attempt: int | None
    is_cached: bool
    reason: str
    output: ArtifactHash | None = None
    exit_code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressRefused(StepNote):
    """A command tried to reach what it may not."""

    attempt: int | None
    host: str
    port: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRefused(StepNote):
    """A worker tried to write what its role may only read, or did so where nothing stopped it."""

    attempt: int
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesLeftOut(StepNote):
    """What a worker left could not be kept, as a whole or in part."""

    attempt: int
    paths: tuple[str, ...]
    """The first of them; none where nothing at all could be kept."""
    count: int
    reason: str
    report: ArtifactHash | None = None
