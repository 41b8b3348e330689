"""Where the mistakes of one step are noted, and what may wait until its workflow is chosen."""

from collections.abc import Callable

from msgspec import Struct

from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace
from supervisor_ai.definitions.templates.draft import DraftStep


class MissingDefinition(Struct, frozen=True, kw_only=True):
    """What a built-in workflow needs and nobody has defined yet."""

    place: FilePlace
    what: str
    name: str
    problem: str


class StepNotes:
    """Collects what is wrong with one step."""

    def __init__(
        self, draft: DraftStep, mistakes: FileMistakes, role_hint: Callable[[str], str | None]
    ) -> None:
        self.draft = draft
        self._role_hint = role_hint
        self.missing: list[MissingDefinition] = []
        self.mistakes = mistakes
        place = draft.place()
        self._is_damaged = mistakes.any_below(place.file, place.key)

    def add(self, key: str, problem: str) -> None:
        """Note a mistake at a key of the step."""
        self.mistakes.add(self.draft.place(key), problem)

    def add_gap(self, key: str, problem: str) -> None:
        """Note a missing key, unless a key that could not be read explains it."""
        if not self._is_damaged:
            self.add(key, problem)

    def add_unknown(self, key: str, what: str, name: str, problem: str) -> None:
        """Note a name that nobody has defined; a template waits until it is chosen.

        That is a workflow of ours, and one of a project's templates that lacks a gate.
        """
        hint = self._role_hint(name) if what == "role" else None
        problem = f"unknown {what} {name!r}; {hint}" if hint else problem
        place = self.draft.place(key)
        is_template = what == "gate" and "/workflow_templates/" in place.file
        if self.draft.source(key).origin is not Origin.BUILT_IN and not is_template:
            self.add(key, problem)
            return
        self.missing.append(MissingDefinition(place=place, what=what, name=name, problem=problem))
