"""The definition of a loop: what it pins besides its steps, roles and gates."""

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.drivers.loop.rules import LoopRules


class LoopDefinition(Definition, frozen=True, kw_only=True):
    """Everything that a loop needs, resolved and pinned."""

    rules: LoopRules
    """Where it stops by itself, and who looks how often."""


def expect_loop(definition: Definition) -> LoopDefinition:
    """Return the definition of a loop as what it is."""
    if isinstance(definition, LoopDefinition):
        return definition
    raise InternalError("The run's definition says nothing about a loop.")
