"""A driver: a pure function from state to what happens next."""

from typing import Protocol, TypeVar

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.run import Decision, Run

State = TypeVar("State")
Pinned = TypeVar("Pinned")


class Driver(Protocol[State, Pinned]):
    """Decides for one kind of run; has no I/O, no clock and no chance."""

    @property
    def name(self) -> str:
        """Name the driver, as runs record it."""
        ...

    @property
    def state_type(self) -> type[State]:
        """Return the type of the state, for the cache."""
        ...

    @property
    def definition_type(self) -> type[Pinned]:
        """Return the type of the definition that runs pin."""
        ...

    def begin(self, birth: RunSubmitted, definition: Pinned) -> State:
        """Return the state before anything happened."""
        ...

    def evolve(self, state: State, event: Event) -> State:
        """Fold one recorded fact into the state."""
        ...

    def decide(self, run: Run, state: State) -> Decision:
        """Say what happens next; nothing while everything is under way."""
        ...

    def fork(self, state: State) -> State:
        """Return the state that a fork of the run begins with."""
        ...

    def migrate(self, state: State, definition: Pinned) -> State:
        """Go on under another definition."""
        ...

    def migration_problems(self, state: State, definition: Pinned) -> tuple[str, ...]:
        """List why the run cannot go on under another definition."""
        ...
