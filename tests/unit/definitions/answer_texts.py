"""Answers of agents as text, and how they are read."""

import json
from collections.abc import Mapping

from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.engine.ports.workers import Answer, AnswerProblem, AnswerReader

AGENT: Mapping[str, object] = {"status": "ok", "message": "Done."}


KANBAN: Mapping[str, object] = {**AGENT, "next_task": None, "tasks": []}


NONCE = "kvmq-tzrb-xwph"


def block(document: object, fence: str = "```") -> str:
    """Write a block; an answer has the nonce, a text is taken as it is."""
    if isinstance(document, Mapping):
        document = {"nonce": NONCE, **document}
    text = document if isinstance(document, str) else json.dumps(document)
    return f"{fence}json\n{text}\n{fence}\n"


def quoted(document: object) -> str:
    return block(json.dumps(document))


def read(kind: AnswerWord, output: str) -> Answer:
    reader: AnswerReader = StrictAnswerReader()
    answer = reader.read(kind, output, nonce=NONCE)
    assert isinstance(answer, Answer), answer
    return answer


def problem(kind: AnswerWord, output: str) -> AnswerProblem:
    answer = StrictAnswerReader().read(kind, output, nonce=NONCE)
    assert isinstance(answer, AnswerProblem), answer
    return answer


def unparsed(output: str, kind: AnswerWord = AnswerKind.REVIEW) -> str:
    found = problem(kind, output)
    assert found.category is FailureCategory.PARSING
    return found.message


def invalid(kind: AnswerWord, document: object) -> str:
    found = problem(kind, block(document))
    assert found.category is FailureCategory.VALIDATION
    return found.message
