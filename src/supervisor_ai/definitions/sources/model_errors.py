"""What pydantic found wrong, in words for the person or the agent who wrote it."""

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Final, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from supervisor_ai.definitions.sources.findings import (
    MAX_FINDINGS,
    ModelFinding,
    counted,
    found,
    unknown_key,
)
from supervisor_ai.definitions.sources.mistakes import KeyPath, suggestion

_KEY_MARK: Final = "[key]"
_WANTED: Final[Mapping[str, str]] = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_WORDS: Final = frozenset({"literal_error", "enum"})
_BOUNDS: Final[Mapping[str, tuple[str, str]]] = {
    "greater_than_equal": ("at least", "ge"),
    "less_than_equal": ("at most", "le"),
}
_LENGTHS: Final[Mapping[str, tuple[str, str]]] = {
    "too_short": ("at least", "min_length"),
    "too_long": ("at most", "max_length"),
}


def findings(error: ValidationError, model: type[BaseModel]) -> Iterator[ModelFinding]:
    """Say what the model does not accept, as far as a reader can follow."""
    meant: set[KeyPath] = set()
    missing: list[KeyPath] = []
    for details in error.errors(include_url=False)[:MAX_FINDINGS]:
        path = tuple(part for part in details["loc"] if part != _KEY_MARK)
        if details["type"] == "missing":
            missing.append(path)
            continue
        if details["type"] == "extra_forbidden":
            known = _fields(model, path)
            near = suggestion(str(path[-1]), known)
            meant.add((*path[:-1], near or ""))
            yield ModelFinding(path=path, problem=unknown_key(near, known))
        else:
            yield ModelFinding(path=path, problem=_problem(details))
    # A key that was misspelled is not missing as well.
    for path in missing:
        if path not in meant:
            yield ModelFinding(path=path, problem="is missing")


def _problem(details: ErrorDetails) -> str:
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    if kind in _WANTED:
        return f"must be {_WANTED[kind]}, found {found(value)}"
    if kind in _BOUNDS:
        word, bound = _BOUNDS[kind]
        return f"must be {word} {context[bound]}, found {found(value)}"
    if kind in _LENGTHS:
        word, bound = _LENGTHS[kind]
        return counted(word, context[bound], context["actual_length"])
    if kind in _WORDS:
        return f"must be {context['expected']}, found {found(value)}"
    if kind == "value_error":
        return str(context["error"])
    return f"{details['msg']}, found {found(value)}"


def _fields(model: type[BaseModel], path: KeyPath) -> tuple[str, ...]:
    """List the keys that the model knows at the place of an unknown one."""
    kind: object = model
    for part in path[:-1]:
        kind = _below(_plain(kind), part)
    kind = _plain(kind)
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return ()
    return tuple(entry.alias or name for name, entry in kind.model_fields.items())


def _below(kind: object, part: str | int) -> object:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = {entry.alias or name: entry for name, entry in kind.model_fields.items()}
        return fields[str(part)].annotation if part in fields else None
    return get_args(kind)[-1] if get_origin(kind) in {dict, list} else None


def _plain(kind: object) -> object:
    """Take `X` out of `X | None` and `Annotated[X, ...]`."""
    while get_origin(kind) in {Union, UnionType, Annotated}:
        kind = next(argument for argument in get_args(kind) if argument is not NoneType)
    return kind
