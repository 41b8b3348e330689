"""The forms of answers by their kinds: the model and the JSON Schema that is made of it."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct
from msgspec.json import schema_components

from supervisor_ai.control.slice_names import import_value, registered_answer, unknown_word
from supervisor_ai.definitions.worker_answers.models import (
    ImplementationOutput,
    Output,
    PlanOutput,
    ReviewOutput,
)
from supervisor_ai.definitions.worker_answers.words import Words, word_orders
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord

_NONCE: Final = "the nonce of this attempt, which the prompt tells"


class AnswerForm(Struct, frozen=True, kw_only=True):
    """How an answer of one kind looks."""

    model: type[Output]
    keeps_null: bool = False
    """Whether null says something, and is not the same as nothing."""
    asked: tuple[str, ...] = ()
    """Keys that are asked for, though an answer without them has the right form."""


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
    form = answer_form(kind)
    _, parts = schema_components([form.model], ref_template="#/$defs/{name}")
    orders = word_orders(form.model)
    schema = {name: _exact(part, orders) for name, part in parts.items()}
    whole = schema.pop(form.model.__name__)
    whole["properties"]["nonce"] = {"type": "string", "description": _NONCE}
    whole["required"] = ["nonce", *whole["required"], *form.asked]
    return json.dumps({**({"$defs": schema} if schema else {}), **whole}, indent=2)


def short_form(kind: AnswerWord) -> str:
    """Say in a line for each key what an answer looks like; `?` stands behind what may be left out.

    It is for people: a log that repeats the whole schema hides what was received.
    """
    whole = json.loads(schema_text(kind))
    needed, fields = set(whole["required"]), whole["properties"]
    said = {name if name in needed else f"{name}?": _short(it) for name, it in fields.items()}
    return json.dumps(said, indent=2)


def _short(part: Mapping[str, Any]) -> str:
    choices = [_short(it) for it in part.get("anyOf", ()) if it != {"type": "null"}]
    words = [str(it) for it in part.get("enum", ())] or choices
    return " | ".join(words) or str(part.get("type", "object"))


def _exact(schema: Any, orders: Mapping[Words, Words]) -> Any:  # noqa: ANN401 - any part of it
    """Say no more and no less than is asked for: some CLIs hold their model to the schema."""
    if not isinstance(schema, dict):
        return [_exact(item, orders) for item in schema] if isinstance(schema, list) else schema
    exact = {
        key: _exact(value, orders)
        for key, value in schema.items()
        # Titles only repeat the names of fields; a field may be called title.
        if not (key == "title" and isinstance(value, str))
    }
    if exact.get("type") == "object":
        exact["additionalProperties"] = False
    if "enum" in exact:
        exact |= {"type": "string", "enum": orders[tuple(exact["enum"])]}
    return exact
