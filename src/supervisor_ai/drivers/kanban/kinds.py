"""The kinds of steps, answers and questions that only runs on kanbans have."""

from enum import StrEnum
from typing import Final

from supervisor_ai.domain.run.answers import AnswerWord, Meaning
from supervisor_ai.domain.run.definition import StepWord
from supervisor_ai.domain.run.values import ReasonWord

READ_FILES: Final = StepWord("kanban")
"""The kanban's files are read, and say which step comes next."""
UNREADABLE: Final = ReasonWord("kanban")
"""The files of a kanban cannot be read as they are."""
OF_AGENT: Final = AnswerWord("agent")
"""What those say who work on tasks that others have planned."""
OF_MANAGER: Final = AnswerWord("manager")
"""The same, with the list of tasks and the next of them."""


class AnswerStatus(StrEnum):
    """How an agent says that its task came out."""

    OK = "ok"
    BLOCKED = "blocked"
    ERROR = "error"
    ESCALATE = "escalate"


# How a task came out is for the Manager to read; the loop goes on in any case.
AGENT_MEANINGS: Final[dict[str, Meaning]] = dict.fromkeys(AnswerStatus, Meaning.PASS)
# What a Manager decides stands in its files.
MANAGER_MEANINGS: Final[dict[str, Meaning]] = {
    **dict.fromkeys(AnswerStatus, Meaning.BLOCK),
    AnswerStatus.OK: Meaning.PASS,
}
