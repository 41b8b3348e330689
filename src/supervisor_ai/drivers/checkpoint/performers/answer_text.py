"""An answer of a worker as markdown: what a plan says becomes tasks that can be checked."""

from collections.abc import Iterator

from supervisor_ai.drivers.checkpoint.protocol.words import plain
from supervisor_ai.tools.json_value import Json, JsonObject, mapping, parse_object, sequence
from supervisor_ai.tools.json_value import text as as_text


def answer_text(step: str, answer: str) -> str:
    """Write an answer as headings and entries; what is no JSON object stands as it is."""
    fields = parse_object(answer)
    if fields is None:
        return f"# {step}\n\n{answer}\n"
    lines = [f"# {step}", ""]
    for key, value in fields.items():
        if key == "phases":
            lines += ["## Tasks", "", *_tasks(value), ""]
        else:
            lines += [f"## {_title(key)}", "", *_entries(value), ""]
    return "\n".join(lines)


def _title(key: str) -> str:
    return plain(key.replace("_", " ")).capitalize()


def _tasks(phases: Json) -> Iterator[str]:
    for phase in map(mapping, sequence(phases)):
        components = [mapping(it) for it in sequence(phase.get("components"))]
        for it in components or [phase]:
            yield _task(it)


def _task(component: JsonObject) -> str:
    needs = [as_text(it) for it in sequence(component.get("depends_on"))]
    after = f" (depends on {', '.join(needs)})" if needs else ""
    return plain(f"- {as_text(component.get('id'))}: {as_text(component.get('title'))}{after}")


def _entries(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        yield from (f"- {_told(it)}" for it in value)
    else:
        yield _told(value)


def _told(value: Json) -> str:
    if isinstance(value, dict):
        return plain("; ".join(f"{key}: {_told(it)}" for key, it in value.items()))
    return plain(str(value))
