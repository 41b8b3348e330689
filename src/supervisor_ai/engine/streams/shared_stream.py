"""A stream that several processes add to, one after the other."""

from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from supervisor_ai.domain.envelope import Actor, Envelope, Event, NewEvent
from supervisor_ai.domain.errors import Busy, StaleVersion
from supervisor_ai.domain.run.inbox_commands import InboxCommand
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.engine.streams.folded_stream import FoldedStream

State = TypeVar("State")
Fact = TypeVar("Fact", bound=Event)
_RACES: Final = 50
_KEEP_EVERY: Final = 500


class SharedStream(FoldedStream[State], Generic[State, Fact]):
    """A folded stream; whoever adds to it has seen all of it."""

    noun = "stream"

    def add(
        self,
        decide: Callable[[State], Sequence[Fact]],
        actor: Actor,
        letters: Callable[[State, Sequence[Fact]], Sequence[InboxCommand]] | None = None,
    ) -> tuple[Envelope, ...]:
        """Record what follows from how things stand; others may be faster, then again.

        `letters` says which runs have to hear of what is added.
        """
        for _ in range(_RACES):
            state, version = self.read_on()
            events = tuple(decide(state))
            if not events:
                return ()
            new = tuple(NewEvent(event=event, actor=actor) for event in events)
            append = StreamAppend(stream=self._stream, expected=version, events=new)
            sent = () if letters is None else tuple(letters(state, events))
            try:
                added = self._log.append(Batch(appends=(append,), sent=sent))
            except StaleVersion:
                continue
            self.refresh()
            self.keep(every=_KEEP_EVERY)
            return added
        raise Busy(f"Others add to the {self.noun} without a pause.", hint="Try again.")
