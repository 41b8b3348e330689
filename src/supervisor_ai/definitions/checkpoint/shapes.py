"""The shapes of a supervisor's front matter and of what the config says about supervision."""

from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    Field,
)

from supervisor_ai.definitions.config.merged import ConfigSection, MergedConfig, over
from supervisor_ai.definitions.schema.base import FileShape, SwitchShape
from supervisor_ai.drivers.checkpoint.decisions.settings import SupervisionSettings
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


class SupervisionShape(SwitchShape):
    """`supervision`: whether checkpoints are made, and how; `false` switches them off."""

    enabled: bool | None = None
    judge: bool | None = None


def read_supervision(config: MergedConfig) -> SupervisionSettings:
    """Make the settings of what the files say together."""
    return over(SupervisionSettings(), config.section("supervision", SupervisionShape))


SUPERVISION: Final = ConfigSection(
    key="supervision", shape=SupervisionShape, build=read_supervision
)
