"""The shape of the front matter of a supervisor's file."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.drivers.checkpoint.protocol.replies import MessageTypes
from supervisor_ai.drivers.checkpoint.protocol.words import is_word

BUILTIN: Literal["builtin"] = "builtin"


def message_type(value: str) -> str:
    """Accept what can be the type of a message."""
    if not is_word(value):
        raise ValueError(f"must be a word such as supervision_report, found {value!r}")
    return value


Word = Annotated[str, AfterValidator(message_type)]


class MessageTypesShape(FileShape):
    """`message_types`: of which type messages are on the bus."""

    success: Word = MessageTypes().success
    alert: Word = MessageTypes().alert
    warning: Word = MessageTypes().warning
    error: Word = MessageTypes().error

    @property
    def value(self) -> MessageTypes:
        """Return what it says."""
        return MessageTypes(
            success=self.success, alert=self.alert, warning=self.warning, error=self.error
        )


class SupervisorShape(FileShape):
    """The keys of the front matter."""

    role: Literal["supervisor"]
    prefix: Literal["CHECKPOINT"]
    inner_loop: Literal[False] = False
    message_types: MessageTypesShape = Field(default_factory=MessageTypesShape)
    extends: Literal["builtin"] | None = None
    """With it, its checks are made besides those of the built-in file."""
