"""Reads a script; all mistakes are told at once, each with its key."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.lab.shapes import FreeCall, LabCall, Scenario, Script, Tokens, Turn
from supervisor_ai.tools.text import excerpt, nearest

KeyPath = tuple[str | int, ...]

_MAX_FLAWS: Final = 200
_MAX_SHOWN: Final = 60
_ANSWERS: Final = ("text", "thinking", "tool", "tools", "custom")
_TROUBLES: Final = ("status", "fault", "hang")
_ONLY_WITH: Final[Mapping[str, tuple[str, ...]]] = {
    "times": _TROUBLES,
    "body": ("status",),
    "reset": ("status",),
    "stop": _ANSWERS,
    "drip": _ANSWERS,
}
_WANTED: Final[Mapping[str, str]] = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}
_BOUNDS: Final[Mapping[str, tuple[str, str]]] = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than_equal": ("at most", "le"),
}
_PLAIN: Final[Mapping[str, str]] = {"missing": "is missing", "too_short": "must not be empty"}
_BELOW: Final[Mapping[str, type[BaseModel]]] = {
    "scenarios": Scenario,
    "turns": Turn,
    "side": Turn,
    "tool": LabCall,
    "tools": LabCall,
    "custom": FreeCall,
    "usage": Tokens,
}


class Flaw(Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a script, and at which key."""

    path: KeyPath
    problem: str

    @property
    def text(self) -> str:
        """Write the flaw as one line."""
        return f"{_key(self.path) or 'the script'}: {self.problem}"


class BadScript(InvalidInput):
    """A script that cannot be played."""

    def __init__(self, flaws: tuple[Flaw, ...]) -> None:
        listed = "\n".join(f"  {flaw.text}" for flaw in flaws)
        super().__init__(
            f"The script has {'a mistake' if len(flaws) == 1 else f'{len(flaws)} mistakes'}:\n"
            f"{listed}",
            hint="See: supervisor lab example",
        )
        self.flaws = flaws


def read_script(value: object) -> Script:
    """Make a script of what a file says: a mapping with scenarios, or a plain list of turns."""
    is_short = isinstance(value, list)
    whole: object = {"scenarios": [{"turns": value}]} if is_short else value
    above = 3 if is_short else 0
    flaws = [Flaw(path=flaw.path[above:], problem=flaw.problem) for flaw in _mixtures(whole)]
    try:
        script = Script.model_validate(whole)
    except ValidationError as error:
        found = error.errors(include_url=False)[:_MAX_FLAWS]
        flaws += [_flaw(details, above) for details in found]
    else:
        if not flaws:
            return script
    raise BadScript(tuple(flaws))


def _mixtures(whole: object) -> Iterator[Flaw]:
    """Find turns that say nothing or too many things; pydantic looks at single keys only."""
    for path, turn in _turns(whole):
        given = {key for key, inner in turn.items() if inner is not None}
        yield from (Flaw(path=path, problem=problem) for problem in _kinds(given))
        for key, owners in _ONLY_WITH.items():
            if key in given and not given.intersection(owners):
                yield Flaw(path=(*path, key), problem=f"is only for a turn with {_or(owners)}")


def _kinds(given: set[str]) -> Iterator[str]:
    troubles = [key for key in _TROUBLES if key in given]
    # Where a key is misspelled, that is all there is to say.
    is_empty = not troubles and not given.intersection(_ANSWERS)
    if is_empty and given <= Turn.model_fields.keys():
        yield f"a turn needs {_or((*_ANSWERS, *_TROUBLES))}"
    if len(troubles) > 1:
        yield f"a turn does one thing, but this one has {' and '.join(troubles)}"
    # The words of a turn with a fault are those that come before it.
    extra = [key for key in _ANSWERS if key in given and (key != "text" or "status" in given)]
    if troubles and extra:
        yield f"a turn with {troubles[0]} cannot have {' and '.join(extra)}"


def _turns(whole: object) -> Iterator[tuple[KeyPath, dict[str, object]]]:
    if not isinstance(whole, dict):
        return
    if isinstance(whole.get("side"), dict):
        yield ("side",), whole["side"]
    for number, scenario in enumerate(_listed(whole.get("scenarios"))):
        turns = _listed(scenario.get("turns")) if isinstance(scenario, dict) else []
        for at, turn in enumerate(turns):
            if isinstance(turn, dict):
                yield ("scenarios", number, "turns", at), turn


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _flaw(details: ErrorDetails, above: int) -> Flaw:
    path = tuple(part for part in details["loc"] if part != "[key]")
    return Flaw(path=path[above:], problem=_problem(details, path))


def _problem(details: ErrorDetails, path: KeyPath) -> str:
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind == "extra_forbidden":
        return _unknown_key(path)
    if kind in _WANTED:
        return f"must be {_WANTED[kind]}, found {_shown(value)}"
    if kind in _BOUNDS:
        word, bound = _BOUNDS[kind]
        return f"must be {word} {context[bound]:g}, found {_shown(value)}"
    if kind == "literal_error":
        return f"must be {context['expected']}, found {_shown(value)}"
    return str(context["error"]) if kind == "value_error" else details["msg"]


def _unknown_key(path: KeyPath) -> str:
    owner = next((part for part in reversed(path[:-1]) if isinstance(part, str)), "")
    shape = _BELOW.get(owner, Script)
    known = [field.alias or name for name, field in shape.model_fields.items()]
    near = nearest(str(path[-1]), known)
    return (
        f"unknown key; did you mean {near!r}?"
        if near
        else (f"unknown key (known: {', '.join(known)})")
    )


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    return excerpt(value, _MAX_SHOWN)


def _key(path: KeyPath) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


def _or(words: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
