"""Plans that are JSON: `tasks` with their ids and dependencies, `complexity`, `modules`.

A task has its id in `id` or `task_id`, its words in `title` or `subject`, what comes before it in
`depends_on`, `dependencies` or `blocked_by`; every other text in it may name requirements. Its line
is the first that has the id in quotes.
"""

from typing import Final

from supervisor_ai.drivers.checkpoint.facts import ids
from supervisor_ai.drivers.checkpoint.facts.markdown import LONGEST, MOST_CHARACTERS, MOST_LINES
from supervisor_ai.drivers.checkpoint.facts.model import (
    ArtifactFacts,
    ComplexityLabel,
    PlanComplexity,
    Statement,
)
from supervisor_ai.drivers.checkpoint.facts.remarks import quote
from supervisor_ai.drivers.checkpoint.facts.statements import MOST_STATEMENTS
from supervisor_ai.drivers.checkpoint.facts.vocabulary import telling_words
from supervisor_ai.tools.json_value import Json, JsonObject, json_line, parse_object, sequence
from supervisor_ai.tools.json_value import text as as_text

_BEFORE: Final = ("depends_on", "dependencies", "blocked_by")
_LONGEST_TEXT: Final = 200
_LONGEST_TASK: Final = 4_000


def read_json_plan(text: str, *, task: str) -> ArtifactFacts:
    """Read what a plan says; a text that is no JSON object says nothing."""
    lines = text.split("\n")[:MOST_LINES]
    is_cut = len(text) > MOST_CHARACTERS or text.count("\n") >= MOST_LINES
    plan = (None if is_cut else parse_object(text)) or {}
    places = _places(lines)
    return ArtifactFacts(
        task=task,
        lines=len(lines),
        is_cut=is_cut,
        tasks=tuple(_tasks(plan, lines, places)),
        module_count=_modules(plan),
        complexity=_complexity(plan, lines),
        mentions={id_: number for number, line in _numbered(lines) for id_ in ids.find_ids(line)},
    )


def _numbered(lines: list[str]) -> list[tuple[int, str]]:
    """Number lines from the last to the first, so that of two with the same id the first counts."""
    return [(number, lines[number - 1][:LONGEST]) for number in range(len(lines), 0, -1)]


def _places(lines: list[str]) -> dict[str, int]:
    """Find the lines of quoted words, each by the first that has it."""
    return {word: number for number, line in _numbered(lines) for word in line.split('"')[1::2]}


def _tasks(plan: JsonObject, lines: list[str], places: dict[str, int]) -> list[Statement]:
    found: list[Statement] = []
    for entry in sequence(plan.get("tasks"))[:MOST_STATEMENTS]:
        fields = entry if isinstance(entry, dict) else {}
        named = as_text(fields.get("id")) or as_text(fields.get("task_id"))
        if named:
            found.append(_task(named, fields, lines, places))
    return found


def _task(named: str, fields: JsonObject, lines: list[str], places: dict[str, int]) -> Statement:
    title = as_text(fields.get("title")) or as_text(fields.get("subject"))
    needs = tuple(_id(it) for key in _BEFORE for it in sequence(fields.get(key)) if as_text(it))
    rest = json_line({key: it for key, it in fields.items() if key not in _BEFORE})[:_LONGEST_TASK]
    line = places.get(named, 1)
    own = _id(named)
    return Statement(
        id=own,
        text=title[:_LONGEST_TEXT],
        line=line,
        quote=quote(lines[line - 1][:LONGEST]),
        refs=tuple(dict.fromkeys(ref for ref in ids.find_ids(rest) if ref != own)),
        words=telling_words(rest),
        needs=tuple(dict.fromkeys(needs)),
    )


def _id(value: Json) -> str:
    found = next(ids.find_ids(as_text(value)), "")
    return found or as_text(value)[:_LONGEST_TEXT]


def _modules(plan: JsonObject) -> int | None:
    modules = plan.get("modules")
    if isinstance(modules, bool):
        return None
    return modules if isinstance(modules, int) else len(sequence(modules)) or None


def _complexity(plan: JsonObject, lines: list[str]) -> ComplexityLabel | None:
    label = as_text(plan.get("complexity")).lower()
    if label not in set(PlanComplexity):
        return None
    line = next((number for number, it in enumerate(lines, 1) if '"complexity"' in it.lower()), 1)
    return ComplexityLabel(
        complexity=PlanComplexity(label), line=line, quote=quote(lines[line - 1][:LONGEST])
    )
