"""The prompt templates of the package, each made into one text that needs no other file."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from supervisor_ai.control.registered_kinds import answer_meanings
from supervisor_ai.definitions.roles.prompt_files import INCLUDE
from supervisor_ai.definitions.worker_answers.forms import schema_text
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.failures.retry_notes import feedback_words
from supervisor_ai.domain.run.status import FailureCategory

_WANTED: Final[Mapping[FailureCategory, str]] = {
    FailureCategory.VALIDATION: "the one under `Answer`.",
    FailureCategory.PARSING: "the one that is described under `Answer`.",
    FailureCategory.LOGIC: "",
}
"""What the feedback points at; the prompt has it only once."""
_ERROR: Final = "{error}"
_BLOCKED: Final = "BLOCKED"


def template_text(name: str, answer: AnswerWord, texts: Mapping[str, str]) -> str:
    """Return a template with everything it includes, the schema of the answer as well.

    A run pins this text, so that a later version of a file does not change it. How much it can
    become was looked at when the files were read.
    """

    def included(match: re.Match[str]) -> str:
        part = match.group(1)
        return _MADE[part](answer) if part in _MADE else template_text(part, answer, texts)

    return INCLUDE.sub(included, texts[name])


def _schema(answer: AnswerWord) -> str:
    return _raw(json.dumps(json.loads(schema_text(answer)))) + "\n\n"


def _words_before(answer: AnswerWord) -> str:
    """Introduce what went wrong, by the category of the failure."""
    return _by_category((category, f"{before}\n\n") for category, before, _ in _feedback(answer))


def _words_after(answer: AnswerWord) -> str:
    """Say what to do about it, by the category of the failure."""
    return _by_category((category, f"\n{after}\n") for category, _, after in _feedback(answer))


def _feedback(answer: AnswerWord) -> Iterator[tuple[FailureCategory, str, str]]:
    for category, wanted in _WANTED.items():
        # Who cannot answer BLOCKED is not told to.
        if category is FailureCategory.LOGIC and _BLOCKED not in answer_meanings(answer):
            continue
        before, _, after = feedback_words(category, _ERROR, wanted).partition(_ERROR)
        yield category, before.strip(), after.strip()


def _by_category(cases: Iterator[tuple[FailureCategory, str]]) -> str:
    """Write a template that shows the words of one category, or none at all."""
    return "".join(
        f'{{% if told.category == "{category.value}" %}}\n{_raw(words)}{{% endif %}}\n'
        for category, words in cases
    )


def _raw(text: str) -> str:
    return f"{{% raw %}}{text}{{% endraw %}}"


_MADE: Final[Mapping[str, Callable[[AnswerWord], str]]] = {
    "schema.json": _schema,
    "words_before": _words_before,
    "words_after": _words_after,
}
"""What templates include that is no file."""
