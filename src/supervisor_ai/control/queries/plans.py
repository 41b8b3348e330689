"""What was planned, for whoever is asked before anything is changed."""

from collections.abc import Iterator, Mapping

from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import RunId
from supervisor_ai.tools.json_value import parse_object

_CHANGES = ("files_created", "files_modified", "files_deleted")


def find_plan(records: Records, run: RunId) -> str | None:
    """Return the last answer of each step, where none of them has changed a file yet."""
    found: dict[tuple[str, str], Mapping[str, object]] = {}
    for it in records.queries.attempts(run):
        if it.answer is not None and it.said is not None:
            found[it.step, it.role] = parse_object(records.text(it.answer)) or {}
    if any(answer.get(key) for answer in found.values() for key in _CHANGES):
        return None
    parts = (f"{step} ({role}):\n{_outlined(answer)}" for (step, role), answer in found.items())
    return "\n".join(parts) or None


def _outlined(answer: Mapping[str, object]) -> str:
    return "\n".join(f"  {line}" for line in _lines(answer))


def _lines(value: object) -> Iterator[str]:
    """Write a value as an outline: a line for each text, and what belongs to it further right."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                yield from (f"{key}:", *(f"  {line}" for line in _lines(inner))) if inner else ()
            elif inner is not None:
                first, *more = str(inner).strip().split("\n")
                yield from (f"{key}: {first}", *(f"  {line}" for line in more))
    elif isinstance(value, list):
        for item in value:
            first, *more = (*_lines(item), "")
            yield from (f"- {first}", *(f"  {line}" for line in more if line))
    else:
        yield str(value)
