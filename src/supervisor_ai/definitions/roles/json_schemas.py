"""JSON Schemas of the definition files, for editors."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from supervisor_ai.definitions.config.merged import config_model
from supervisor_ai.definitions.config.slice_sections import slice_sections
from supervisor_ai.definitions.roles.packs import PackShape
from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.schema.retries import delay
from supervisor_ai.definitions.schema.roles import RoleFileShape, known_answer
from supervisor_ai.definitions.schema.strategies import StrategyShape
from supervisor_ai.definitions.schema.workflows import WorkflowShape, known_step
from supervisor_ai.definitions.sources.slice_words import answer_words, step_words
from supervisor_ai.tools.text import duration

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_DURATION: Final[JsonSchemaValue] = {
    "anyOf": [
        {"type": "string", "pattern": r"^(\d+d)?(\d+h)?(\d+m)?(\d+(\.\d+)?s)?(\d+ms)?$"},
        {"type": "number"},
    ],
    "description": "A duration such as 250ms, 30s, 45m, 2h or 14d, or a number of seconds.",
}
_WORDS: Final[JsonSchemaValue] = {
    "anyOf": [
        {"type": "array", "items": {"type": "string"}, "minItems": 1},
        {"type": "string"},
    ],
    "description": "A command: a list of words, or a text that is split without a shell.",
}
_SIZE: Final[JsonSchemaValue] = {
    "anyOf": [{"type": "string"}, {"type": "integer"}],
    "description": "A size such as 512MiB or 4GiB, or a number of bytes.",
}
_READ_BEFORE: Final[Mapping[object, JsonSchemaValue]] = {
    duration: _DURATION,
    delay: _DURATION,
    scalars.words: _WORDS,
    scalars.size: _SIZE,
}
"""What people may write where the model only knows what is made of it."""
_ONE_OF: Final[Mapping[object, Callable[[], tuple[str, ...]]]] = {
    known_step: step_words,
    known_answer: answer_words,
}
"""Words to which slices add."""
_SHAPES: Final[Mapping[str, type[FileShape]]] = {
    "role": RoleFileShape,
    "workflow": WorkflowShape,
    "config": config_model(slice_sections()),
    "strategy": StrategyShape,
    "pack": PackShape,
}


class _Written(GenerateJsonSchema):
    """Describes files as people write them, not what they become."""

    def function_before_schema(  # type: ignore[explicit-override]
        self, schema: core_schema.BeforeValidatorFunctionSchema
    ) -> JsonSchemaValue:
        """Describe what a reader accepts before the model does."""
        made = self.generate_inner(schema["schema"])
        function: Callable[..., object] = schema["function"]["function"]
        if function in _READ_BEFORE:
            return dict(_READ_BEFORE[function])
        if function in _ONE_OF:
            return {"enum": list(_ONE_OF[function]()), "type": "string"}
        if getattr(function, "__name__", "") in {"_one_or_many", "short_or_long"}:
            return {"anyOf": [{"type": "string"}, made]}
        return made


def schema_files() -> dict[str, str]:
    """Return the schemas by the name of their file."""
    return {f"{name}.schema.json": _text(name, shape) for name, shape in _SHAPES.items()}


def _text(name: str, shape: type[FileShape]) -> str:
    made = shape.model_json_schema(by_alias=True, schema_generator=_Written)
    whole = {"$schema": _DIALECT, "title": f"supervisor {name} file", **_cleaned(made)}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _cleaned(schema: Mapping[str, object]) -> dict[str, object]:
    found = _without(schema)
    return found if isinstance(found, dict) else {}


def _without(schema: object) -> object:
    """Leave out titles, which repeat names, and `null`, which no file needs to say."""
    if isinstance(schema, list):
        return [_without(item) for item in schema if item != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: _without(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
        and not (key == "default" and value is None)
    }
    choices = kept.get("anyOf")
    if isinstance(choices, list) and len(choices) == 1 and isinstance(choices[0], dict):
        del kept["anyOf"]
        kept = {**choices[0], **kept}
    return kept
