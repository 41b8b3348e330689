"""One check of a supervisor's file: its name, or its name with what it needs.

`- goals_mapped`, `- artifact_exists: spec/brief.md`, `- self_scores: {drop: 5}`, and a question for
a worker, `- ask: Is it safe?` with an `id`. Each may have `id`, `title`, `group` and `blocking`
besides.
"""

from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.definitions.sources.findings import found
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown
from supervisor_ai.definitions.sources.yaml_document import Value
from supervisor_ai.drivers.checkpoint.checks.catalogue import ASK, CATALOGUE, CheckDefinition
from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, CheckSpec
from supervisor_ai.drivers.checkpoint.protocol.words import is_word

_LONGEST: Final = 500
_MOST: Final = 100_000
_BESIDES: Final = ("id", "title", "group", "blocking")
_GROUPS: Final = {group.value.lower(): group for group in CheckGroup}
_Params = dict[str, str | int]


def read_check(entry: Value, place: FilePlace, mistakes: FileMistakes) -> CheckSpec | None:
    """Read one check; None, with mistakes noted, where it cannot be made."""
    before = len(mistakes)
    reader = _Reader(entry, place, mistakes)
    check = reader.check()
    return check if len(mistakes) == before else None


class _Reader:
    def __init__(self, entry: Value, place: FilePlace, mistakes: FileMistakes) -> None:
        self._fields: dict[str, Value] = entry if isinstance(entry, dict) else {}
        self._entry = entry
        self._place = place
        self._mistakes = mistakes

    def check(self) -> CheckSpec | None:
        rule = self._rule()
        if rule is None:
            return None
        definition = CATALOGUE.get(rule)
        if definition is None:
            self._add(unknown("check", rule, tuple(CATALOGUE)))
            return None
        given = self._fields.get(rule)
        params = {} if rule == ASK else self._params(definition, given)
        group = self._group(definition)
        return CheckSpec(
            id=self._id(rule),
            rule=rule,
            title=self._title(definition, given),
            group=group,
            question=self._text(ASK, given) if rule == ASK else definition.question,
            params=params,
            is_blocking=self._is_blocking(definition),
        )

    def _add(self, problem: str) -> None:
        self._mistakes.add(self._place, problem)

    def _rule(self) -> str | None:
        if isinstance(self._entry, str):
            if self._entry == ASK:
                self._add(f"`{ASK}` needs a question: `- {ASK}: Is it safe?`")
                return None
            return self._entry
        named = [key for key in self._fields if key not in _BESIDES]
        if len(named) != 1:
            self._add(f"must name one check, found {', '.join(named) or found(self._entry)}")
            return None
        return named[0]

    def _id(self, rule: str) -> str:
        given = self._fields.get("id", "" if rule == ASK else rule)
        if not isinstance(given, str) or not is_word(given):
            self._add(f"`id` must be a word that names the check, found {found(given or None)}")
            return rule
        return given

    def _title(self, definition: CheckDefinition, given: Value) -> str:
        if "title" in self._fields:
            return self._text("title", self._fields["title"])
        if definition.rule == ASK:
            return self._text(ASK, given)
        return definition.title

    def _group(self, definition: CheckDefinition) -> CheckGroup:
        given = self._fields.get("group", definition.group.value)
        group = _GROUPS.get(given.lower()) if isinstance(given, str) else None
        if group is None:
            words = ", ".join(it.value for it in CheckGroup)
            self._add(f"`group` must be one of {words}, found {found(given)}")
        return group or definition.group

    def _is_blocking(self, definition: CheckDefinition) -> bool:
        given = self._fields.get("blocking", definition.is_blocking)
        if not isinstance(given, bool):
            self._add(f"`blocking` must be true or false, found {found(given)}")
        return given is True

    def _text(self, key: str, given: Value) -> str:
        text = " ".join(given.split()) if isinstance(given, str) else ""
        if not text or len(text) > _LONGEST or not text.isprintable():
            self._add(
                f"`{key}` must be a text of up to {_LONGEST} characters, found {found(given)}"
            )
        return text

    def _params(self, definition: CheckDefinition, given: Value) -> _Params:
        fields = self._param_fields(definition, given)
        if fields is None:
            known = ", ".join(definition.params)
            wanted = f"a mapping with {known}" if known else "nothing"
            self._add(f"`{definition.rule}` takes {wanted}, found {found(given)}")
            return {}
        for key in fields:
            if key not in definition.params:
                self._add(unknown("key", key, tuple(definition.params)))
        for key in definition.required:
            if fields.get(key) is None:
                self._add(f"`{definition.rule}` needs `{key}`")
        kinds = definition.params.items()
        read = {key: self._param(key, kind, fields.get(key)) for key, kind in kinds}
        return {key: value for key, value in read.items() if value is not None}

    def _param_fields(self, definition: CheckDefinition, given: Value) -> dict[str, Value] | None:
        """Return what is given by name; what stands alone is the only thing that a check knows."""
        if given is None or isinstance(given, dict):
            return given or {}
        return dict.fromkeys(definition.params, given) if len(definition.params) == 1 else None

    def _param(self, key: str, kind: type, given: Value) -> str | int | None:
        if given is None:
            return None
        if kind is int:
            return self._number(key, given)
        text = self._text(key, given)
        if key == "path" and text and not _is_inner(text):
            self._add(f"`path` must be a path inside the session, found {found(given)}")
        return text

    def _number(self, key: str, given: Value) -> int | None:
        is_number = isinstance(given, int) and not isinstance(given, bool)
        if isinstance(given, int) and is_number and 0 < given <= _MOST:
            return given
        self._add(f"`{key}` must be a whole number from 1 to {_MOST}, found {found(given)}")
        return None


def _is_inner(path: str) -> bool:
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and str(pure) == path
