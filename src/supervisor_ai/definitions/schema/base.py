"""The base of all shapes of definition files, and the scalars that they share."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, ClassVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.sources.findings import found
from supervisor_ai.tools.text import duration

Name = Annotated[str, AfterValidator(scalars.name)]
AgentName = Annotated[str, AfterValidator(scalars.agent)]
Variable = Annotated[str, AfterValidator(scalars.variable)]
Text = Annotated[str, AfterValidator(scalars.text)]
HostPath = Annotated[str, AfterValidator(scalars.host_path)]
Duration = Annotated[timedelta, BeforeValidator(duration)]
Command = Annotated[list[str], BeforeValidator(scalars.words), AfterValidator(scalars.runnable)]
Retries = Annotated[int, Field(ge=0, le=100)]


def one_of(value: object, words: Sequence[str]) -> str:
    """Accept one of words to which slices may add."""
    if isinstance(value, str) and value in words:
        return value
    *others, last = map(repr, words)
    raise ValueError(f"must be {', '.join(others)} or {last}, found {found(value)}")


class FileShape(BaseModel):
    """A mapping with known keys; a key with no value counts as not written."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_empty_keys(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {
            key: inner
            for key, inner in value.items()
            if inner is not None or key not in cls.model_fields
        }


class SwitchShape(FileShape):
    """A mapping for which `true` or `false` alone will do: that is its `enabled`."""

    @model_validator(mode="before")
    @classmethod
    def _from_switch(cls, value: object) -> object:
        if isinstance(value, dict):
            return value
        if not isinstance(value, bool):
            raise ValueError(f"must be true, false or a mapping, found {found(value)}")  # noqa: TRY004 - pydantic's way
        return {"enabled": value}

    @classmethod
    def __get_pydantic_json_schema__(  # type: ignore[explicit-override]
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Tell editors that a switch alone will do."""
        mapping = handler.resolve_ref_schema(handler(core_schema))
        return {"anyOf": [{"type": "boolean"}, mapping]}
