"""The operations table: what can be under way in a run, how it begins and how it can end.

Its rows follow from the facts that drivers register: each fact says itself what it begins or ends.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import EffectKey, RunId
from supervisor_ai.domain.run import events as e

UnderWay = e.Intent | e.PermitRequested
"""Facts that say: this has begun, and has no end yet."""
_OF_WORKERS: Final = (e.LaunchRequested, e.AttemptStarted)


class OperationKind(Struct, frozen=True, kw_only=True):
    """A kind of operation: the word in its key, how it begins and how it can end."""

    key: str
    started: type[e.Intent]
    ended: tuple[type[e.IntentEnded], ...]

    @property
    def is_performed(self) -> bool:
        """Tell whether the engine does it; what it does not do is somebody else's to answer."""
        return issubclass(self.started, e.OperationStarted)


def operations_of(kinds: Iterable[type[Event]]) -> tuple[OperationKind, ...]:
    """Make the table of the kinds of facts that there are."""
    known = tuple(kinds)
    ends = tuple(kind for kind in known if issubclass(kind, e.IntentEnded))
    return tuple(
        OperationKind(
            key=started.operation,
            started=started,
            ended=tuple(end for end in ends if end.ends is started),
        )
        for started in known
        if issubclass(started, e.Intent)
    )


def operation_key(run: RunId, intent: UnderWay) -> EffectKey:
    """Name the deed; only what is about a worker contains the attempt."""
    if isinstance(intent, e.PermitRequested):
        return EffectKey(f"{run}/permit/{intent.permit}")
    place = f"{intent.step}/{intent.visit}/{intent.slot}/{intent.operation}"
    if isinstance(intent, _OF_WORKERS):
        return EffectKey(f"{run}/{place}/{intent.attempt}")
    return EffectKey(f"{run}/{place}")


def attempt_key(run: RunId, intent: e.LaunchRequested | e.AttemptStarted) -> EffectKey:
    """Name the attempt, also before it has permission to start."""
    place = f"{intent.step}/{intent.visit}/{intent.slot}"
    return EffectKey(f"{run}/{place}/{e.AttemptStarted.operation}/{intent.attempt}")


def is_outcome(event: e.PlacedEvent, intent: UnderWay) -> bool:
    """Tell whether a fact is the end of what is under way."""
    if not isinstance(event, e.IntentEnded) or not isinstance(intent, e.Intent):
        return False
    return event.place == intent.place and isinstance(intent, event.ends)


def wait_of(intent: UnderWay) -> str | None:
    """Say what the run waits for; None: the engine is at it."""
    if isinstance(intent, e.PermitRequested):
        return "a permit"
    return intent.waits_for if isinstance(intent, e.RequestMade) else None
