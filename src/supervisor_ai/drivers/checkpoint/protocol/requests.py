"""What the coordinator may say: a checkpoint request or the wish to shut down, nothing else."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from supervisor_ai.drivers.checkpoint.protocol.words import (
    COORDINATOR,
    is_checkpoint,
    is_request_id,
    is_word,
)
from supervisor_ai.tools.json_value import parse_object
from supervisor_ai.tools.text import excerpt

HEADING: Final = "## Checkpoint Request"
SHUTDOWN: Final = "shutdown_request"
MOST_SCOPE: Final = 100
LONGEST_REQUEST: Final = 16_384
_FIELDS: Final = {
    "task_id": "CHECKPOINT-NNN",
    "scope": "[TASK-A, TASK-B, ...]",
    "pipeline_progress": "M/N tasks completed",
}
_PROGRESS: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6}) tasks completed")


class Incoming(Struct, frozen=True, kw_only=True):
    """A message for the supervisor, as the bus has it."""

    sender: str
    kind: str
    text: str
    """The content; where a message has none, its summary."""
    fields: Mapping[str, object] = field(default_factory=dict)
    """What else its data says."""


class PipelineProgress(Struct, frozen=True, kw_only=True):
    """How far a pipeline has come."""

    done: int
    total: int

    @property
    def text(self) -> str:
        """Write it as requests and reports do."""
        return f"{self.done}/{self.total} tasks completed"


class CheckpointRequest(Struct, frozen=True, kw_only=True):
    """The coordinator wants a checkpoint."""

    task: str
    scope: tuple[str, ...]
    progress: PipelineProgress | None = None
    """None: the coordinator did not say."""


class ShutdownRequest(Struct, frozen=True, kw_only=True):
    """The coordinator wants the supervisor to end."""

    request_id: str


class MessageProblems(Struct, frozen=True, kw_only=True):
    """Why a message cannot be followed: what was asked for, and what was found."""

    problems: tuple[str, ...]

    @property
    def text(self) -> str:
        """Say all of it on one line."""
        return " ".join(self.problems)


def read_message(message: Incoming) -> CheckpointRequest | ShutdownRequest | MessageProblems:
    """Read a message strictly; what has not the fixed form is never guessed."""
    if message.sender != COORDINATOR:
        return _problem(f"a message from {COORDINATOR!r}", message.sender)
    if len(message.text) > LONGEST_REQUEST:
        found = f"{len(message.text)} characters"
        return _problem(f"at most {LONGEST_REQUEST} characters", found)
    quoted = parse_object(message.text) if message.text.startswith("{") else None
    if message.kind == SHUTDOWN:
        return _shutdown({**(quoted or {}), **message.fields})
    if quoted is not None and quoted.get("type") == SHUTDOWN:
        return _shutdown(quoted)
    return read_request(message.text)


def _problem(asked: str, found: object) -> MessageProblems:
    return MessageProblems(problems=(f"Asked for {asked}; found {excerpt(found)}.",))


def _shutdown(fields: Mapping[str, object]) -> ShutdownRequest | MessageProblems:
    request = fields.get("request_id")
    if isinstance(request, str) and is_request_id(request):
        return ShutdownRequest(request_id=request)
    return _problem(f"a {SHUTDOWN} with its 'request_id'", request)


def format_request(request: CheckpointRequest) -> str:
    """Write a checkpoint request as the coordinator does."""
    lines = [HEADING, f"task_id: {request.task}", f"scope: [{', '.join(request.scope)}]"]
    if request.progress is not None:
        lines.append(f"pipeline_progress: {request.progress.text}")
    return "\n".join(lines)


def read_request(text: str) -> CheckpointRequest | MessageProblems:
    """Read the block of a checkpoint request; blank lines count for nothing."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    if lines[:1] != [HEADING]:
        return _problem(f"{HEADING!r} as the first line", lines[0] if lines else "")
    problems: list[str] = []
    values = _values(lines[1:], problems)
    task = _task(values.get("task_id"), problems)
    scope = _scope(values.get("scope"), problems)
    progress = _progress(values.get("pipeline_progress"), problems)
    if problems:
        return MessageProblems(problems=tuple(problems))
    return CheckpointRequest(task=task, scope=scope, progress=progress)


def _values(lines: list[str], problems: list[str]) -> dict[str, str]:
    """Take the fields in their order; the last of them may be left out."""
    values: dict[str, str] = {}
    for name, form in _FIELDS.items():
        place = len(values)
        is_last = name == "pipeline_progress"
        if is_last and place == len(lines):
            continue
        line = lines[place] if place < len(lines) else ""
        key, colon, value = line.partition(": ")
        if key != name or not colon:
            problems.append(_mismatch(f"'{name}: {form}' as line {place + 2}", line))
            return values
        values[name] = value.strip()
    if len(lines) > len(values):
        problems.append(_mismatch(f"nothing after line {len(values) + 1}", lines[len(values)]))
    return values


def _mismatch(asked: str, found: str) -> str:
    return f"Asked for {asked}; found {excerpt(found) if found else 'nothing'}."


def _task(value: str | None, problems: list[str]) -> str:
    if value is not None and not is_checkpoint(value):
        problems.append(_mismatch("CHECKPOINT-NNN as 'task_id'", value))
    return value or ""


def _scope(value: str | None, problems: list[str]) -> tuple[str, ...]:
    if value is None:
        return ()
    inside = value[1:-1].strip() if value.startswith("[") and value.endswith("]") else ""
    tasks = tuple(part.strip() for part in inside.split(","))
    is_list = all(map(is_word, tasks)) and len(set(tasks)) == len(tasks)
    if not is_list or len(tasks) > MOST_SCOPE:
        asked = f"1 to {MOST_SCOPE} different tasks in brackets as 'scope'"
        problems.append(_mismatch(asked, value))
    return tasks


def _progress(value: str | None, problems: list[str]) -> PipelineProgress | None:
    if value is None:
        return None
    match = _PROGRESS.fullmatch(value)
    if match is None or not int(match[1]) <= int(match[2]) or not int(match[2]):
        problems.append(_mismatch("M/N tasks completed as 'pipeline_progress'", value))
        return None
    return PipelineProgress(done=int(match[1]), total=int(match[2]))
