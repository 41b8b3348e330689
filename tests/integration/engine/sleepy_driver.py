"""A toy driver that follows a script of decisions, whatever happens."""

from dataclasses import dataclass
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.run import Decision, Run

Nothing: Final = Decision()


@dataclass(frozen=True, slots=True, kw_only=True)
class Nap:
    """What a scripted run pins: nothing but its name."""

    name: str = "nap"


class ScriptedDriver:
    """Decides by a function of what is true of the run."""

    name: Final = "toy-scripted"
    fold_version: Final = 1
    state_type: Final = Nap
    definition_type: Final = Nap

    def begin(self, birth: e.RunSubmitted, definition: Nap) -> Nap:
        del birth
        return definition

    def evolve(self, state: Nap, event: Event) -> Nap:
        del event
        return state

    def decide(self, run: Run, state: Nap) -> Decision:
        raise NotImplementedError

    def fork(self, state: Nap) -> Nap:
        return state

    def migrate(self, state: Nap, definition: Nap) -> Nap:
        del state
        return definition

    def migration_problems(self, state: Nap, definition: Nap) -> tuple[str, ...]:
        del state, definition
        return ()
