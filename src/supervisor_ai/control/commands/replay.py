"""Replay of a run: its events folded again, to see what was decided and why."""

import json
from collections.abc import Iterator
from typing import cast

from msgspec import Struct

from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.envelope import Envelope, Event
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import EffectKey, RunId, run_stream
from supervisor_ai.domain.run.events import CancelRequested, RunContinued
from supervisor_ai.domain.run.run import Decision, cancelled
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.playback import Playback

Json = dict[str, object]


class ReplayedChange(Struct, frozen=True, kw_only=True):
    """A place of the state that a fact moved."""

    path: str
    before: object
    after: object


class ReplayedEvent(Struct, frozen=True, kw_only=True):
    """A fact, and what it moved."""

    envelope: Envelope
    changes: tuple[ReplayedChange, ...]


class Replay(Struct, frozen=True, kw_only=True):
    """A run as it stood after a fact, and what its driver then decided."""

    run: RunId
    events: tuple[ReplayedEvent, ...]
    status: RunStatus
    under_way: tuple[EffectKey, ...]
    state: Json
    decision: Decision


def replay(project: OpenProject, name: str, *, upto: int | None = None) -> Replay:
    """Fold a run's facts up to a sequence number and ask its driver what follows."""
    run = project.records.find(name).id
    stream = project.records.log.read(run_stream(run))
    envelopes = [envelope for envelope in stream if upto is None or envelope.seq <= upto]
    if not envelopes:
        raise InvalidInput(
            f"Run {run!r} has no event up to {upto}.",
            hint=f"See its events: supervisor events {run}",
        )
    playback, _ = project.player.play(run, upto=1)
    fold = _Fold(playback)
    first = ReplayedEvent(envelope=envelopes[0], changes=())
    events = (first, *map(fold.apply, envelopes[1:]))
    return Replay(
        run=run,
        events=events,
        status=playback.run.status,
        under_way=tuple(playback.run.open),
        state=fold.state,
        decision=fold.decision,
    )


class _Fold:
    """A playback that keeps in mind which facts its driver's last decision still leads to."""

    def __init__(self, playback: Playback) -> None:
        self._playback = playback
        self.state = _state(playback)
        self.decision = playback.decide()

    def apply(self, envelope: Envelope) -> ReplayedEvent:
        """Fold one fact."""
        self._playback.apply(envelope.event)
        self._decide(envelope.event)
        before, self.state = self.state, _state(self._playback)
        return ReplayedEvent(envelope=envelope, changes=tuple(_changes(before, self.state)))

    def _decide(self, event: Event) -> None:
        """Ask the driver, unless the fact is only one of several that it decided together."""
        expected = self.decision.events
        if expected and event == expected[0]:
            self.decision = replace(self.decision, events=expected[1:])
            if self.decision.events or self.decision.ending:
                return
        if not isinstance(event, RunContinued):
            self.decision = self._asked(event)

    def _asked(self, event: Event) -> Decision:
        if self._playback.run.is_ended:
            return Decision()
        if isinstance(event, CancelRequested):
            return Decision(ending=cancelled())
        return self._playback.decide()


def _state(playback: Playback) -> Json:
    run, _, driver = playback.encode().partition(b"\n")
    return {"run": json.loads(run), "driver": json.loads(driver)}


def _changes(before: object, after: object, path: str = "") -> Iterator[ReplayedChange]:
    if before == after:
        return
    if not (isinstance(before, dict) and isinstance(after, dict)):
        yield ReplayedChange(path=path, before=before, after=after)
        return
    old, new = cast("Json", before), cast("Json", after)
    for name in dict.fromkeys([*old, *new]):
        yield from _changes(old.get(name), new.get(name), f"{path}.{name}" if path else name)
