"""The forms of answers by their kinds: the model and the JSON Schema that is made of it."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Final

from msgspec import Struct

from supervisor_ai.control.slice_names import import_value, registered_answer, unknown_word
from supervisor_ai.definitions.worker_answers.models import (
    ImplementationOutput,
    Output,
    PlanOutput,
    ReviewOutput,
)
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord

_NONCE: Final = "the nonce of this attempt, which the prompt tells"


class AnswerForm(Struct, frozen=True, kw_only=True):
    """How an answer of one kind looks."""

    model: type[Output]
    keeps_null: bool = False
    """Whether null says something, and is not the same as nothing."""


_SHARED: Final[Mapping[AnswerWord, AnswerForm]] = {
    AnswerKind.PLAN: AnswerForm(model=PlanOutput),
    AnswerKind.IMPLEMENTATION: AnswerForm(model=ImplementationOutput),
    AnswerKind.REVIEW: AnswerForm(model=ReviewOutput),
}


def answer_form(kind: AnswerWord) -> AnswerForm:
    """Find the form of an answer, wherever its kind comes from."""
    if kind in _SHARED:
        return _SHARED[kind]
    registered = registered_answer(kind)
    if registered is None:
        raise unknown_word("kind of answer", kind)
    return import_value(registered.form, AnswerForm, "form of an answer")


@cache
def schema_text(kind: AnswerWord) -> str:
    """Return the JSON Schema of an answer, as whoever answers has to fill it."""
    schema = answer_form(kind).model.model_json_schema(by_alias=True)
    schema["properties"]["nonce"] = {"type": "string", "description": _NONCE}
    schema["required"] = ["nonce", *schema["required"]]
    return json.dumps(_untitled(schema), indent=2)


def _untitled(schema: object) -> object:
    """Leave out titles, which only repeat the names of fields; a field may be called title."""
    if isinstance(schema, dict):
        return {
            key: _untitled(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    return [_untitled(item) for item in schema] if isinstance(schema, list) else schema
