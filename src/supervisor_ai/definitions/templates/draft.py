"""A workflow while it is put together: its steps, and which file said what about them."""

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from supervisor_ai.definitions.config.gates import ConfiguredGate
from supervisor_ai.definitions.overlay.layers import WrittenFile
from supervisor_ai.definitions.overlay.tree import Location
from supervisor_ai.definitions.schema.workflows import (
    HooksShape,
    SettingsShape,
    StepShape,
    WorkflowShape,
)
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.sources.mistakes import FilePlace, Note
from supervisor_ai.definitions.templates.approvers import everybody, levels
from supervisor_ai.domain.structs import replace


class StepSource(Struct, frozen=True, kw_only=True):
    """Who said something about a step: a file, and the part of it."""

    written: WrittenFile[WorkflowShape]
    path: tuple[str, ...]

    @property
    def origin(self) -> Origin:
        """Say whose word it is."""
        return self.written.origin

    def place(self, *key: str) -> FilePlace:
        """Find a key in the file."""
        return self.written.place(*self.path, *key)

    def location(self, *key: str) -> Location:
        """Say where in the file a key stands."""
        return self.written.location.below(*self.path, *key)


class GateTerms(Struct, frozen=True, kw_only=True):
    """What is asked of a gate besides its command."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    """What stands for `{NAME}` in the gate's command."""
    min_tests_each: int | None = None
    """How many new tests each component must have."""
    judges: str | None = None
    """The step that has to write them."""


class DraftStep(Struct, frozen=True, kw_only=True):
    """A step as all files together describe it."""

    name: str
    shape: StepShape
    home: StepSource
    said: Mapping[str, StepSource] = field(default_factory=dict)
    terms: GateTerms = field(default_factory=GateTerms)
    cause: tuple[str, ...] | None = None
    """The key below `home` that brought the step about, where no file describes it."""
    words: tuple[str, ...] = ()
    """What its role is told besides the task."""

    def source(self, key: str) -> StepSource:
        """Say who had the last word on a key."""
        return self.said.get(key, self.home)

    def place(self, *key: str) -> FilePlace:
        """Find a key of the step in the files."""
        if self.cause is not None:
            return self.home.place(*self.cause)
        return self.source(key[0] if key else "").place(*key)

    def changed(self, **values: object) -> "DraftStep":
        """Return the step with other values of its shape."""
        return replace(self, shape=self.shape.model_copy(update=values))

    def on_terms(self, terms: GateTerms) -> "DraftStep":
        """Return the step with other terms for its gate."""
        return replace(self, terms=terms)

    def telling(self, *words: str) -> "DraftStep":
        """Return the step with more to tell its role."""
        return replace(self, words=(*self.words, *words))

    @property
    def crew(self) -> tuple[str, ...]:
        """Name the roles that do the step."""
        shape = self.shape
        if shape.approvers is not None:
            return everybody(levels(shape.approvers))
        return tuple(shape.roles or ([shape.role] if shape.role else []))

    @property
    def checks(self) -> tuple[str, ...]:
        """Name the gates that the step runs."""
        return tuple(self.shape.gates or ([self.shape.gate] if self.shape.gate else []))


class WorkflowDraft(Struct, frozen=True, kw_only=True):
    """A workflow as all files together describe it."""

    name: str
    description: str
    initial_step: str
    steps: dict[str, DraftStep]
    written: WrittenFile[WorkflowShape]
    settings: SettingsShape
    settings_from: Mapping[str, StepSource]
    hooks: HooksShape
    hooks_from: StepSource | None
    files: tuple[str, ...]
    """The files that it is made of."""
    known: tuple[str, ...]
    """Its steps as written, so that a mistake inside a step does not hide its name."""
    dropped: frozenset[str] = frozenset()
    """The steps that a file has disabled."""
    is_inherited: bool = False
    gates: Mapping[str, ConfiguredGate] = field(default_factory=dict)
    """The gates that its steps can name: the config's, and over them its own."""
    notes: tuple[Note, ...] = ()

    def with_steps(self, steps: Iterable[DraftStep]) -> "WorkflowDraft":
        """Return the draft with other steps."""
        return replace(self, steps={step.name: step for step in steps})

    def with_step(self, step: DraftStep) -> "WorkflowDraft":
        """Return the draft with one step instead of the one of that name."""
        return replace(self, steps={**self.steps, step.name: step})

    def noting(self, place: FilePlace, text: str) -> "WorkflowDraft":
        """Return the draft with one more note."""
        return replace(self, notes=(*self.notes, Note(place=place, text=text)))

    @property
    def path(self) -> list[DraftStep]:
        """List the steps in the order in which a run without setbacks takes them."""
        found: dict[str, DraftStep] = {}
        at: str | None = self.initial_step
        while at is not None and at in self.steps and at not in found:
            found[at] = self.steps[at]
            at = self.steps[at].shape.next
        return list(found.values())
