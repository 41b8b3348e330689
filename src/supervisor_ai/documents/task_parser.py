"""Reads task files, in every form that people and agents have given them."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator
from typing import Final

from msgspec import Struct, field

from supervisor_ai.documents.fields import Fields, Mistakes
from supervisor_ai.documents.file_text import decode, read_fields
from supervisor_ai.documents.outline import Outline
from supervisor_ai.documents.paths import is_shown, resolve
from supervisor_ai.documents.quotes import unquoted
from supervisor_ai.documents.words import AGENTS, KINDS, PRIORITIES, STATES
from supervisor_ai.documents.work_items import read_items
from supervisor_ai.documents.work_logs import work_log
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import (
    TERMINAL,
    Agent,
    LogEntry,
    Mistake,
    Priority,
    TaskFile,
    TaskKind,
    TaskState,
    folder_of,
)
from supervisor_ai.tools.text import excerpt

_TITLE: Final = re.compile(r"(?:task|kanban)[ \t]{0,4}:[ \t]{0,4}(.*)|(.*)", re.IGNORECASE)
_LISTED: Final = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]{1,4}(?:\[[ xX]\][ \t]{1,4})?(.*)")
_LINK: Final = re.compile(r"\[([^\]]{1,500})\]\(.*")
_SPAN: Final = re.compile(r"`([^`]{1,4000})`.*")
_NAME: Final = re.compile(r"(\S+?)(?::?[ \t].*)?")

Named = tuple[str, int]
"""A path as a file names it, and the line in which it does."""


class ReadTask(Struct, frozen=True, kw_only=True):
    """A task file by itself: what it says, and what is wrong with it."""

    task: TaskFile | None = None
    """None where its header is unreadable."""
    log: tuple[LogEntry, ...] = ()
    """Its work log, which can be there without a header."""
    named: dict[str, Named] = field(default_factory=dict)
    """How it names every dependency, by path."""
    mistakes: tuple[Mistake, ...] = ()

    def missing(self, file: str, present: Collection[str]) -> Iterator[Mistake]:
        """Find the dependencies that are not among the files that are present."""
        if self.task is not None and self.task.state in TERMINAL:
            return
        for path, (named, line) in self.named.items():
            if path not in present:
                problem = f"The dependency {excerpt(named)} is not there{instead(named, path)}."
                yield Mistake(file=file, line=line, problem=problem)


def instead(named: str, path: str) -> str:
    """Say which file a name means, where the name does not say it."""
    return "" if named.strip() == path else f"; expected the file {excerpt(path)}"


def read_task(path: str, content: bytes) -> ReadTask:
    """Read one task file."""
    mistakes = Mistakes()
    text = decode(path, content, mistakes)
    if text is None:
        return ReadTask(mistakes=tuple(mistakes.found))
    outline = Outline(text)
    items = read_items(path, outline, mistakes)
    fields = read_fields(path, text, mistakes)
    log = work_log(outline)
    named = {} if fields is None else _dependencies(fields)
    task = None
    if fields is not None:
        task = replace(_task(fields, outline), dependencies=(*named,), work_items=items, log=log)
    if task is not None and task.state in TERMINAL:
        # Nobody works on it any more: what it says wrongly harms nobody.
        return ReadTask(task=task, log=log, named=named)
    return ReadTask(task=task, log=log, named=named, mistakes=tuple(mistakes.found))


def _task(fields: Fields, outline: Outline) -> TaskFile:
    path = fields.file
    return TaskFile(
        path=path,
        title=title(outline, fields, path),
        role=_role(fields),
        kind=fields.word("type", KINDS) or TaskKind.IMPLEMENT,
        state=fields.word("state", STATES) or TaskState.TODO,
        priority=fields.word("priority", PRIORITIES) or Priority.MEDIUM,
        refers=fields.texts("refers"),
        skills=fields.texts("skills"),
        expertise=fields.texts("expertise"),
        kanban=fields.name("kanban"),
        created=fields.text("created"),
        context=section(outline, "context"),
        files=(*fields.texts("files"), *_files(outline)),
        description=section(outline, "description"),
    )


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


def _dependencies(fields: Fields) -> dict[str, Named]:
    folder = folder_of(fields.file)
    found: dict[str, Named] = {}
    for named, line in fields.lined_texts("dependencies"):
        path = resolve(named, folder)
        if path is not None:
            found.setdefault(path, (named, line))
        elif is_shown(named):
            problem = f"The dependency {excerpt(named)} is no file in the folder {folder!r}."
            fields.mistakes.add(fields.file, line, problem)
        else:
            problem = f"The dependency {excerpt(named)} has characters that cannot be printed."
            fields.mistakes.add(fields.file, line, problem)
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
