"""Finds the answer in a worker's output; the format is validated, never guessed."""

from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.engine.ports.workers import Answer, AnswerProblem


class StrictAnswerReader:
    """Takes the final json block; what validates it is imported only when there is an output."""

    def read(self, kind: AnswerWord, output: str, *, nonce: str) -> Answer | AnswerProblem:
        """Return the answer that the final fenced block holds and that repeats the nonce."""
        from supervisor_ai.definitions.worker_answers.parser import read_answer

        return read_answer(kind, output, nonce=nonce)


def schema_text(kind: AnswerWord) -> str:
    """Return the JSON Schema of an answer."""
    from supervisor_ai.definitions.worker_answers import forms

    return forms.schema_text(kind)
