"""Reads task files, in every form that people and agents have given them."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from supervisor_ai.documents.fields import Fields, Mistakes, shown
from supervisor_ai.documents.file_text import decode, read_fields
from supervisor_ai.documents.outline import Outline
from supervisor_ai.documents.paths import resolve
from supervisor_ai.documents.quoting import unquoted
from supervisor_ai.documents.words import AGENTS, KINDS, PRIORITIES, STATES
from supervisor_ai.documents.work_items import read_items
from supervisor_ai.documents.work_logs import work_log
from supervisor_ai.domain.kanban.kanban import (
    Agent,
    Priority,
    TaskFile,
    TaskKind,
    TaskState,
    folder_of,
)

_TITLE: Final = re.compile(r"(?:task|kanban)[ \t]{0,4}:[ \t]{0,4}(.*)|(.*)", re.IGNORECASE)
_LISTED: Final = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]{1,4}(?:\[[ xX]\][ \t]{1,4})?(.*)")
_LINK: Final = re.compile(r"\[([^\]]{1,500})\]\(.*")
_SPAN: Final = re.compile(r"`([^`]{1,4000})`.*")
_NAME: Final = re.compile(r"(\S+?)(?::?[ \t].*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTask:
    """A task file, and where it says what it depends on."""

    task: TaskFile
    lines: dict[str, int]
    """The line of every dependency."""


def read_task(
    path: str, content: bytes, present: Collection[str], mistakes: Mistakes
) -> ReadTask | None:
    """Read one task file among the files that are present; None where its header is unreadable."""
    text = decode(path, content, mistakes)
    if text is None:
        return None
    outline = Outline(text)
    items = read_items(path, outline, mistakes)
    fields = read_fields(path, text, mistakes)
    if fields is None:
        return None
    lines = _dependencies(fields, present)
    task = TaskFile(
        path=path,
        title=title(outline, fields, path),
        role=_role(fields),
        kind=fields.word("type", KINDS) or TaskKind.IMPLEMENT,
        state=fields.word("state", STATES) or TaskState.TODO,
        priority=fields.word("priority", PRIORITIES) or Priority.MEDIUM,
        dependencies=tuple(lines),
        refers=fields.texts("refers"),
        skills=fields.texts("skills"),
        expertise=fields.texts("expertise"),
        kanban=fields.name("kanban"),
        created=fields.text("created"),
        context=section(outline, "context"),
        files=(*fields.texts("files"), *_files(outline)),
        description=section(outline, "description"),
        work_items=items,
        log=work_log(outline),
    )
    return ReadTask(task=task, lines=lines)


def title(outline: Outline, fields: Fields, path: str) -> str:
    """Find out what a file calls itself: in its header, in its first heading, by its name."""
    given = fields.text("title")
    if given is not None:
        return given
    heading = next((block for block in outline.blocks if block.level == 1), None)
    match = _TITLE.fullmatch(heading.title) if heading else None
    if match is None:
        return posixpath.basename(path).removesuffix(".md")
    return match[1] if match[1] is not None else match[2]


def section(outline: Outline, *names: str) -> str:
    """Return the text of a section."""
    lines = [line for block in outline.sections(*names) for line in outline.below(block)]
    return unquoted(lines)


def _role(fields: Fields) -> Agent | None:
    role, assignee = fields.word("role", AGENTS), fields.word("assignee", AGENTS)
    if role and assignee and role is not assignee:
        problem = f"The assignee is {assignee} and the role is {role}; expected one of the two."
        fields.wrong("assignee", problem)
    return role or assignee


def _dependencies(fields: Fields, present: Collection[str]) -> dict[str, int]:
    folder = folder_of(fields.file)
    found: dict[str, int] = {}
    for named, line in fields.lined_texts("dependencies"):
        path = resolve(named, folder)
        if path is None:
            problem = f"The dependency {shown(named)} is no file in the folder {folder!r}."
            fields.mistakes.add(fields.file, line, problem)
        elif path not in present:
            problem = f"The dependency {shown(named)} is not there; expected the file {path!r}."
            fields.mistakes.add(fields.file, line, problem)
        else:
            found.setdefault(path, line)
    return found


def _files(outline: Outline) -> Iterator[str]:
    for block in outline.sections("files"):
        for line in outline.below(block):
            match = _LISTED.fullmatch(line.strip())
            name = _file_name(match[1].strip()) if match else None
            if name is not None:
                yield name


def _file_name(text: str) -> str | None:
    if text.startswith('"'):
        try:
            named = json.loads(text)
        except ValueError:
            return text
        return named if isinstance(named, str) else text
    match = _SPAN.fullmatch(text) or _LINK.fullmatch(text)
    if match is None and not text.endswith(":"):
        match = _NAME.fullmatch(text)
    return match[1] if match else None
