"""The words of kanban and task files, as they are spelled and as people spell them too."""

from enum import StrEnum
from typing import Final, TypeVar

from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Effort,
    Phase,
    Priority,
    TaskKind,
    TaskState,
)

Word = TypeVar("Word", bound=StrEnum)


def _spelled(words: type[Word], **others: Word) -> dict[str, Word]:
    return {**{str(word).lower(): word for word in words}, **others}


AGENTS: Final = _spelled(Agent, implementer=Agent.IMPLEMENTOR)
PHASES: Final = _spelled(
    Phase,
    done=Phase.COMPLETE,
    completed=Phase.COMPLETE,
    finished=Phase.COMPLETE,
    explore=Phase.EXPLORATION,
    planning=Phase.PLAN,
    execution=Phase.EXECUTE,
    executing=Phase.EXECUTE,
    implement=Phase.EXECUTE,
    implementation=Phase.EXECUTE,
    validation=Phase.VALIDATE,
    verification=Phase.VALIDATE,
)
KINDS: Final = _spelled(TaskKind, implementation=TaskKind.IMPLEMENT)
STATES: Final = _spelled(
    TaskState,
    closed=TaskState.DONE,
    complete=TaskState.DONE,
    completed=TaskState.DONE,
    finished=TaskState.DONE,
    canceled=TaskState.CANCELLED,
    open=TaskState.TODO,
    pending=TaskState.TODO,
    in_progress=TaskState.TODO,
)
PRIORITIES: Final = _spelled(Priority)
EFFORTS: Final = _spelled(Effort)
