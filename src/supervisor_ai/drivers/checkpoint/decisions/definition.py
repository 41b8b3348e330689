"""The definition of a resident supervisor: what it pins besides its steps, roles and limits."""

from msgspec import Struct

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.drivers.checkpoint.spec import RoleSpec


class Residence(Struct, frozen=True, kw_only=True):
    """Which session a supervisor watches over, and how."""

    session: SessionId
    spec: RoleSpec
    """Which checkpoints there are, and what is checked at each."""
    recovery: bool = False
    """Whether what an earlier supervisor of the session knew is put together again."""


class ResidentDefinition(Definition, frozen=True, kw_only=True):
    """Everything that a resident supervisor needs, resolved and pinned."""

    residence: Residence


def expect_resident(definition: Definition) -> ResidentDefinition:
    """Return the definition of a resident supervisor as what it is."""
    if isinstance(definition, ResidentDefinition):
        return definition
    raise InternalError("The run's definition says nothing about a session.")


def permit_of(session: SessionId) -> str:
    """Name what only one supervisor of a session may have."""
    return f"session:{session}"
