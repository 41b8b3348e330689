"""What a template may use of what is configured, and where its mistakes are noted."""

from collections.abc import Mapping

from msgspec import Struct

from supervisor_ai.definitions.config.gates import ConfiguredGate
from supervisor_ai.definitions.schema.config import RoleShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.templates.draft import DraftStep, WorkflowDraft
from supervisor_ai.definitions.templates.step_kinds import kind_of
from supervisor_ai.domain.run.definition import StepKind, StepWord


class Kit(Struct, frozen=True, kw_only=True):
    """The roles and gates that there are."""

    roles: Mapping[str, RoleShape]
    gates: Mapping[str, ConfiguredGate]
    mistakes: FileMistakes
    are_gates_known: bool = True

    def has_gate(self, name: str) -> bool:
        """Tell whether a gate is configured and not turned off."""
        return name in self.gates and self.gates[name].is_enabled

    def writes(self, step: DraftStep) -> bool:
        """Tell whether a step changes files."""
        return any(name in self.roles and self.roles[name].writes for name in step.crew)

    def reviews(self, step: DraftStep) -> bool:
        """Tell whether a step judges what others made."""
        roles = [self.roles[name] for name in step.crew if name in self.roles]
        return any(role.answer == "review" for role in roles)

    def way_back(self, draft: WorkflowDraft, name: str) -> str | None:
        """Name the step that mends what is found wrong before another one.

        That is where the nearest gate or review before it goes back to, where that writes, and
        otherwise the last step before it that writes.
        """
        found: str | None = None
        for step in draft.path:
            if step.name == name:
                return found
            back = draft.steps.get(step.shape.on_fail or step.shape.on_reject or "")
            if self.writes(step):
                found = step.name
            elif back is not None and self.writes(back):
                found = back.name
        return found

    def least_tests(self, step: DraftStep) -> int | None:
        """Return how many tests the roles of a step write at least, by their own files."""
        roles = [self.roles[name] for name in step.crew if name in self.roles]
        asked = [role.config.min_tests_per_component or 0 for role in roles]
        return max(asked, default=0) or None

    def least_coverage(self, step: DraftStep) -> int | None:
        """Return how much of the code the roles of a step cover at least, by their own files."""
        roles = [self.roles[name] for name in step.crew if name in self.roles]
        return max((role.config.coverage or 0 for role in roles), default=0) or None


def is_kind(step: DraftStep, kind: StepWord) -> bool:
    """Tell whether a step is of a kind."""
    return kind_of(step.name, step.shape) == kind


def commit_of(draft: WorkflowDraft) -> str | None:
    """Name the step that commits."""
    commits = (name for name, step in draft.steps.items() if is_kind(step, StepKind.COMMIT))
    return next(commits, None)
