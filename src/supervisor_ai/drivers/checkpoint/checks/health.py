"""Whether the team works: errors of roles, signs of life, and work that was started twice."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from supervisor_ai.drivers.checkpoint.checks.model import (
    MESSAGES_FILE,
    BusMessage,
    CheckedTask,
    RuleOutcome,
    Undecided,
    failed,
    passed,
    vacuous,
)
from supervisor_ai.drivers.checkpoint.checks.view import CheckedSession, Params
from supervisor_ai.drivers.checkpoint.facts.model import Citation
from supervisor_ai.drivers.checkpoint.protocol.words import COORDINATOR, SUPERVISOR, is_checkpoint
from supervisor_ai.tools.text import counted

_SILENT: Final = "no messages to analyze"
_ERRORS: Final = 3
_MINUTES: Final = 60
_SHOWN: Final = 5
_SPAWN: Final = "spawn"
_NOBODY_WORKS: Final = "no task is in progress"
_OURS: Final = frozenset({SUPERVISOR, COORDINATOR})
_IN_PROGRESS: Final = "in_progress"
_AGAIN: Final = ("respawn", "recover", "reset", "retry")


def role_errors(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find roles with too many errors."""
    if not view.material.messages:
        return vacuous(_SILENT)
    limit = int(params.get("limit", _ERRORS))
    errors = [it for it in view.material.messages if _is_error(it) and it.sender != SUPERVISOR]
    counts = Counter(it.sender for it in errors)
    many = {role: number for role, number in counts.items() if number >= limit}
    if many:
        told = ", ".join(f"{role} has {counted(number, 'error')}" for role, number in many.items())
        return failed(f"{told}.", *(_cite(it) for it in errors if it.sender in many))
    return _heard(view, f"{counted(len(errors), 'error')}, and no role with {limit}.")


def _heard(view: CheckedSession, note: str) -> RuleOutcome:
    """Say that all is well, if anybody of the team has said anything at all."""
    messages = view.material.messages or ()
    is_silent = all(it.sender in _OURS and _SPAWN not in it.kind.lower() for it in messages)
    return vacuous(_SILENT) if is_silent else passed(note)


def _is_error(message: BusMessage) -> bool:
    kind = message.kind.lower()
    return kind == "error" or kind.endswith(("_error", "_failed"))


def _cite(message: BusMessage) -> Citation:
    return Citation(file=MESSAGES_FILE, line=message.number)


def recent_activity(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find tasks in progress that nobody has moved or spoken of for a while."""
    if not view.material.messages:
        return vacuous(_SILENT)
    minutes = int(params.get("minutes", _MINUTES))
    since = view.material.now - timedelta(minutes=minutes)
    newer = [it for it in view.material.messages if it.at >= since]
    spoken = {it.task for it in newer} | {it.sender for it in newer}
    running = [it for it in view.material.tasks if _is_running(it)]
    if not running:
        return vacuous(_NOBODY_WORKS)
    silent = [it.id for it in running if not _is_alive(it, spoken, since)]
    if silent:
        return failed(f"Nothing for {minutes} minutes: {', '.join(silent[:_SHOWN])}.")
    return passed(f"{counted(len(running), 'task')} in progress, each with recent activity.")


def _is_running(task: CheckedTask) -> bool:
    return task.status == _IN_PROGRESS and not is_checkpoint(task.id)


def _is_alive(task: CheckedTask, spoken: set[str], since: datetime) -> bool:
    is_moved = task.moved_at is not None and task.moved_at >= since
    return is_moved or task.id in spoken or (task.owner != "" and task.owner in spoken)


def duplicate_spawns(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find work that was started twice without a reason between."""
    del params
    if not view.material.messages:
        return vacuous(_SILENT)
    twice = list(_spawned_twice(view.material.messages))
    doubled = [*_claimed_twice(view), *_asked_twice(view.material.tasks)]
    if twice or doubled:
        told = [f"{it.task} was started again" for it in twice] + doubled
        return failed(f"{'; '.join(told[:_SHOWN])}.", *map(_cite, twice))
    return _heard(view, "Nothing was started twice.")


def _spawned_twice(messages: tuple[BusMessage, ...]) -> Iterator[BusMessage]:
    """Find a second spawn for a task; after an error or a reset it is no duplicate."""
    started: set[str] = set()
    for message in sorted(messages, key=lambda it: it.number):
        kind = message.kind.lower()
        if _is_error(message) or any(word in kind for word in _AGAIN):
            started.discard(message.task)
        elif _SPAWN in kind and message.task:
            if message.task in started:
                yield message
            started.add(message.task)


def _claimed_twice(view: CheckedSession) -> Iterator[str]:
    """Find two roles that both say that they are at the same task."""
    at = Counter(
        it.task for it in view.material.roles.values() if it.task and it.status == _IN_PROGRESS
    )
    yield from (
        f"{task} is in the hands of {number} roles" for task, number in at.items() if number > 1
    )


def _asked_twice(tasks: tuple[CheckedTask, ...]) -> Iterator[str]:
    """Find two tasks in progress that ask the same owner for the same."""
    running = Counter(
        (it.owner, it.subject) for it in tasks if _is_running(it) and it.owner and it.subject
    )
    for (owner, subject), number in running.items():
        if number > 1:
            yield f"{owner} has {number} tasks {subject!r} in progress"
