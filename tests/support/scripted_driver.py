"""A toy driver whose decisions are a function of what is true of the run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.run import Decision, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """What a scripted run pins and remembers."""

    name: str = "nothing"


class ScriptedDriver:
    """Remembers nothing: the script has only the run itself to go by."""

    name: Final = "toy-scripted"
    state_type: Final = Nothing
    definition_type: Final = Nothing

    def __init__(self, script: Callable[[Run], Decision]) -> None:
        self._script = script

    def begin(self, birth: e.RunSubmitted, definition: Nothing) -> Nothing:
        del birth
        return definition

    def evolve(self, state: Nothing, event: Event) -> Nothing:
        del event
        return state

    def decide(self, run: Run, state: Nothing) -> Decision:
        del state
        return self._script(run)

    def fork(self, state: Nothing) -> Nothing:
        return state

    def migrate(self, state: Nothing, definition: Nothing) -> Nothing:
        del state
        return definition

    def migration_problems(self, state: Nothing, definition: Nothing) -> tuple[str, ...]:
        del state, definition
        return ()
