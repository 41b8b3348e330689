"""Writes kanban and task files, in one form; what others wrote in them stays as it is."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.documents.fences import ITEMS_END, ITEMS_START
from supervisor_ai.documents.front_matter import Parts, chunks, normal_key, read_header, take_apart
from supervisor_ai.documents.outline import Outline
from supervisor_ai.documents.quotes import (
    bullet,
    one_line,
    passage,
    quoted,
    scalar,
    sequence,
)
from supervisor_ai.documents.work_logs import status_in
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.kanban.board.kanban import (
    Kanban,
    LogEntry,
    PlanEntry,
    TaskFile,
    WorkItem,
)

PLAN_LOG: Final = "Plan Adjustment Log"
_MAX_TIME: Final = 80
_NEWLINE: Final = "\n"
_SAME_AS: Final = {"assignee": "role"}
_KANBAN_KEYS: Final = ("type", "title", "created", "phase", "sub_phase", "current", "tasks")
_REVISED: Final = ("role", "state", "priority", "dependencies")

Fields = dict[str, str]
"""What stands behind each key of a header, ready to be written."""


def render_kanban(kanban: Kanban) -> str:
    """Write a whole kanban file."""
    body = [
        *_section("Request", passage(kanban.request)),
        *_section(PLAN_LOG, *map(_plan_entry, kanban.log)),
    ]
    return _document(_kanban_fields(kanban), body)


def render_task(task: TaskFile) -> str:
    """Write a whole task file."""
    body = [
        f"# Task: {one_line(task.title)}".rstrip(),
        *_section("Context", passage(task.context)),
        *_section("Files", "\n".join(map(bullet, task.files))),
        *_section("Description", passage(task.description)),
        *_section("Work Items", _work_items(task.work_items)),
        *_section("Work Log", *map(_log_entry, task.log)),
    ]
    return _document(_task_fields(task), body)


def revise_kanban(text: str, kanban: Kanban, entries: Sequence[PlanEntry]) -> str:
    """Rewrite the header, keep everything else, and add entries to the log of the plan."""
    parts = _parts(text, kanban.path)
    others = [
        raw if normal_key(key) not in _KANBAN_KEYS else _comments(raw)
        for key, raw in chunks(parts.header)
    ]
    header = _lines(_kanban_fields(kanban), parts.newline) + "".join(others)
    revised = parts.before + header + parts.after
    return _with_entries(revised, entries, parts.newline) if entries else revised


def revise_task(text: str, task: TaskFile) -> str:
    """Rewrite state, priority, dependencies and role in the header, and nothing else."""
    parts = _parts(text, task.path)
    fields = {key: value for key, value in _task_fields(task).items() if key in _REVISED}
    written: list[str] = []
    for key, raw in chunks(parts.header):
        name = _SAME_AS.get(normal_key(key), normal_key(key))
        if name not in _REVISED:
            written.append(raw)
            continue
        revised = {key: fields.pop(name)} if name in fields else {}
        written.append(_lines(revised, parts.newline) + _comments(raw))
    written.append(_lines(fields, parts.newline))
    return parts.before + "".join(written) + parts.after


def _parts(text: str, path: str) -> Parts:
    parts = take_apart(text)
    if parts is None:
        raise InvalidInput(f"The file {path!r} has no front matter that could be revised.")
    tree = read_header(parts)
    if tree.problems or not isinstance(tree.value, dict | None):
        raise InvalidInput(f"The front matter of {path!r} is no mapping that could be revised.")
    return parts


def _comments(raw: str) -> str:
    """Return the comments and empty lines at the end of a key's lines."""
    lines = raw.splitlines(keepends=True)
    kept = len(lines)
    while kept > 1 and (lines[kept - 1].startswith("#") or not lines[kept - 1].strip()):
        kept -= 1
    return "".join(lines[kept:])


def _kanban_fields(kanban: Kanban) -> Fields:
    fields = {
        "type": "kanban",
        "title": scalar(kanban.title),
        "created": _optional(kanban.created),
        "phase": str(kanban.phase),
        "sub_phase": _optional(kanban.sub_phase),
        "current": "null" if kanban.current is None else scalar(kanban.current),
        "tasks": "".join(f"\n  - {scalar(path)}" for path in kanban.tasks) or "[]",
    }
    return {key: value for key, value in fields.items() if value}


def _task_fields(task: TaskFile) -> Fields:
    fields = {
        "role": str(task.role or ""),
        "type": str(task.kind),
        "state": str(task.state),
        "priority": str(task.priority),
        "dependencies": sequence(task.dependencies),
        "refers": sequence(task.refers),
        "skills": sequence(task.skills),
        "expertise": sequence(task.expertise),
        "kanban": _optional(task.kanban),
        "created": _optional(task.created),
    }
    return {key: value for key, value in fields.items() if value}


def _optional(text: str | None) -> str:
    return "" if text is None else scalar(text)


def _lines(fields: Fields, newline: str = "\n") -> str:
    lines = (
        f"{key}:{'' if value[0] == _NEWLINE else ' '}{value}\n" for key, value in fields.items()
    )
    return "".join(lines).replace("\n", newline)


def _document(fields: Fields, body: Sequence[str]) -> str:
    header = f"---\n{_lines(fields)}---"
    return "\n\n".join([header, *body]) + "\n"


def _section(title: str, *passages: str) -> list[str]:
    return [f"## {title}", *(text for text in passages if text)]


def _plan_entry(entry: PlanEntry) -> str:
    heading = f"### [{_time(entry.at)}] {one_line(entry.event)}".rstrip()
    return f"{heading}\n\n{passage(entry.details)}".rstrip("\n")


def _time(at: str) -> str:
    return one_line(at).replace("]", "")[:_MAX_TIME].strip()


def _log_entry(entry: LogEntry) -> str:
    conclusion = passage(entry.conclusion)
    if entry.status is None and status_in(conclusion.split("\n")) is not None:
        conclusion = quoted(entry.conclusion)
    pieces = [
        f"### [{_time(entry.at)}] {one_line(entry.title)}".rstrip(),
        *_part("**Facts:**", passage(entry.facts)),
        *_part("**Analysis:**", passage(entry.analysis)),
        *_part(f"**Conclusion:** {entry.status or ''}".rstrip(), conclusion),
    ]
    return "\n\n".join(pieces)


def _part(label: str, text: str) -> list[str]:
    return [label, text] if text else [label]


def _work_items(items: Sequence[WorkItem]) -> str:
    lines = [line for item in items for line in _work_item(item)]
    block = ["```yaml", "work_items:", *lines, "```"] if items else []
    return "\n".join([ITEMS_START, *block, ITEMS_END])


def _work_item(item: WorkItem) -> list[str]:
    fields = {
        "description": scalar(item.description),
        "files": sequence(item.files),
        "related_domains": sequence(item.related_domains),
        "expertise_required": sequence(item.expertise_required),
        "dependencies": f"[{', '.join(map(str, item.dependencies))}]",
        "priority": str(item.priority),
        "estimated_effort": str(item.estimated_effort or ""),
        "notes": scalar(item.notes) if item.notes else "",
    }
    lines = [f"{key}: {value}" for key, value in fields.items() if value]
    return [f"  {'  ' if number else '- '}{line}" for number, line in enumerate(lines)]


def _with_entries(text: str, entries: Sequence[PlanEntry], newline: str) -> str:
    """Put entries at the end of the plan's log, which is made where there is none."""
    outline = Outline(text)
    lines = text.split("\n")
    own = [*outline.sections(PLAN_LOG.lower()), *outline.entries(PLAN_LOG.lower())]
    end = max((block.last for block in own), default=len(lines))
    pieces = [] if own else [f"## {PLAN_LOG}"]
    added = "\n\n".join([*pieces, *map(_plan_entry, entries)]).replace("\n", newline)
    head = "\n".join(lines[:end])
    gap = newline if head.endswith("\n") else newline * 2
    tail = lines[end:]
    after = f"{newline}{newline}" + "\n".join(tail) if tail else newline
    return f"{head}{gap}{added}{after}"
