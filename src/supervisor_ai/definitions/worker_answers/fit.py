"""Whether what was said has the form of an answer, and all that is wrong where it has not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct, ValidationError, convert

from supervisor_ai.definitions.sources.findings import (
    MAX_FINDINGS,
    ModelFinding,
    counted,
    found,
    unknown_key,
)
from supervisor_ai.definitions.sources.mistakes import KeyPath, suggestion
from supervisor_ai.definitions.worker_answers.models import Output
from supervisor_ai.definitions.worker_answers.words import Words, word_orders

if TYPE_CHECKING:
    from msgspec import inspect

_MISSING: Final = "is missing"


class FittedAnswer(Struct, frozen=True, kw_only=True):
    """An answer, and what it says besides."""

    answer: Output
    ignored: Mapping[str, object]


def fit(said: object, model: type[Output]) -> FittedAnswer | Sequence[ModelFinding]:
    """Return the answer that was said, or all that is wrong with it."""
    if isinstance(said, dict):
        said = model.prepared(said)
    try:
        answer = convert(said, model)
    except ValidationError as error:
        return _findings(said, model) or (ModelFinding(path=(), problem=str(error)),)
    besides = said if isinstance(said, dict) else {}
    known = frozenset(model.__struct_encode_fields__)
    return FittedAnswer(answer=answer, ignored={k: v for k, v in besides.items() if k not in known})


def _findings(said: object, model: type[Output]) -> Sequence[ModelFinding]:
    # Only a worker that is mistaken makes it worth an import.
    from msgspec.inspect import type_info

    wrong = _Comparison(word_orders(model)).wrong(said, type_info(model), ())
    # What is there and wrong comes first: it is what the worker can find in its answer.
    return sorted(wrong, key=lambda finding: finding.problem == _MISSING)


class _Comparison(Struct, frozen=True):
    """What was said beside a form."""

    orders: Mapping[Words, Words]

    def wrong(self, value: object, kind: "inspect.Type", path: KeyPath) -> Iterator[ModelFinding]:
        from msgspec import inspect

        match kind:
            case inspect.Metadata(type=inner):
                yield from self.wrong(value, inner, path)
            case inspect.UnionType(types=types):
                yield from self._wrong_choice(value, types, path)
            case inspect.StructType() if isinstance(value, dict):
                yield from self._wrong_keys(value, kind, path)
            case inspect.ListType(item_type=item) if isinstance(value, list):
                problem = _wrong_length(len(value), kind)
                yield from _told(path, problem)
                for number, inner in enumerate(() if problem else value):
                    yield from self.wrong(inner, item, (*path, number))
            case _:
                wanted = self._wanted(value, kind)
                yield from _told(path, wanted and f"must be {wanted}, found {found(value)}")

    def _wrong_choice(
        self, value: object, types: Sequence["inspect.Type"], path: KeyPath
    ) -> Iterator[ModelFinding]:
        """Hold a value against what it was most likely meant for: null, a text, or the first."""
        from msgspec import inspect

        plain: dict[type, type[inspect.Type]] = {
            type(None): inspect.NoneType,
            str: inspect.StrType,
        }
        meant = [kind for kind in types if isinstance(kind, plain.get(type(value), ()))]
        others = [kind for kind in types if not isinstance(kind, inspect.NoneType)]
        yield from self.wrong(value, (meant or others)[0], path)

    def _wrong_keys(
        self, value: Mapping[str, object], kind: "inspect.StructType", path: KeyPath
    ) -> Iterator[ModelFinding]:
        known = {field.encode_name: field for field in kind.fields}
        strange = [name for name in value if kind.forbid_unknown_fields and name not in known]
        # To find out what was meant takes time; nobody reads so many.
        meant = {name: suggestion(name, known) for name in strange[:MAX_FINDINGS]}
        for name, field in known.items():
            if name in value:
                yield from self.wrong(value[name], field.type, (*path, name))
            elif field.required and name not in meant.values():
                # A key that was misspelled is not missing as well.
                yield ModelFinding(path=(*path, name), problem=_MISSING)
        for name in strange:
            problem = unknown_key(meant.get(name), tuple(known))
            yield ModelFinding(path=(*path, name), problem=problem)

    def _wanted(self, value: object, kind: "inspect.Type") -> str | None:
        from msgspec import inspect

        match kind:
            case inspect.LiteralType(values=values):
                return None if value in values else _one_of(self.orders[values])
            case inspect.StrType():
                return _wanted_text(value, kind)
            case inspect.IntType() | inspect.FloatType():
                return _wanted_number(value, kind)
            case inspect.BoolType():
                return None if isinstance(value, bool) else "true or false"
            case inspect.NoneType():
                return None
            case _:
                return "a list" if isinstance(kind, inspect.ListType) else "a mapping"


def _told(path: KeyPath, problem: str | None) -> Iterator[ModelFinding]:
    if problem is not None:
        yield ModelFinding(path=path, problem=problem)


def _wrong_length(length: int, kind: "inspect.ListType") -> str | None:
    if kind.min_length is not None and length < kind.min_length:
        return counted("at least", kind.min_length, length)
    if kind.max_length is not None and length > kind.max_length:
        return counted("at most", kind.max_length, length)
    return None


def _one_of(words: Words) -> str:
    *others, last = map(repr, words)
    return f"{', '.join(others)} or {last}" if others else last


def _wanted_text(value: object, kind: "inspect.StrType") -> str | None:
    if not isinstance(value, str):
        return "text"
    if kind.min_length is not None and len(value) < kind.min_length:
        return f"at least {kind.min_length} characters long"
    if kind.max_length is not None and len(value) > kind.max_length:
        return f"at most {kind.max_length} characters long"
    return None


def _wanted_number(value: object, kind: "inspect.IntType | inspect.FloatType") -> str | None:
    from msgspec import inspect

    is_whole = isinstance(kind, inspect.IntType)
    if isinstance(value, bool) or not isinstance(value, int if is_whole else int | float):
        return "a whole number" if is_whole else "a number"
    if kind.ge is not None and value < kind.ge:
        return f"at least {kind.ge}"
    if kind.gt is not None and value <= kind.gt:
        return f"more than {kind.gt}"
    return f"at most {kind.le}" if kind.le is not None and value > kind.le else None
