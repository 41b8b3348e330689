"""The definition of a run on a kanban: what it pins besides its steps, roles and gates."""

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.drivers.kanban.board.policy import KanbanPolicy


class KanbanDefinition(Definition, frozen=True, kw_only=True):
    """Everything that a run on a kanban needs, resolved and pinned."""

    kanban: KanbanPolicy
    """How the kanban is worked on."""

    @property
    def expected_steps(self) -> tuple[StepName, ...]:  # type: ignore[explicit-override]
        """Name the steps that the run may come to; one that creates a kanban ends after that."""
        if not self.kanban.instruction:
            return tuple(self.workflow.steps)
        first = self.workflow.steps[self.workflow.initial_step]
        return (first.name, *((first.next,) if first.next else ()))


def expect_kanban(definition: Definition) -> KanbanDefinition:
    """Return the definition of a run on a kanban as what it is."""
    if isinstance(definition, KanbanDefinition):
        return definition
    raise InternalError("The run's definition says nothing about a kanban.")
