"""Takes the final json block of an output, and only when no other block could have been meant."""

import json
import re
from collections.abc import Sequence
from typing import Final

from pydantic import ValidationError

from supervisor_ai.definitions.answer_models import MODELS, AnyOutput, KanbanOutput
from supervisor_ai.definitions.answer_notes import notes
from supervisor_ai.definitions.concerns import concerns, contradictions
from supervisor_ai.definitions.fences import Block, json_blocks
from supervisor_ai.definitions.mistakes import key_text, shown
from supervisor_ai.definitions.model_errors import Finding, findings
from supervisor_ai.definitions.strict_json import BadJson, read_json
from supervisor_ai.domain.run.answers import MEANINGS, AnswerKind
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.engine.ports.workers import Answer, AnswerProblem

_MAX_BLOCKS: Final = 1_000
_MAX_LENGTH: Final = 1024 * 1024
_MAX_LISTED: Final = 10
_MAX_MESSAGE: Final = 2_000
_TAIL: Final = 200
_STATUS_KEY: Final = '"status"'
_QUOTE: Final = r"""\\?["'\u201c\u201d\u2018\u2019]"""
_STATUS: Final = re.compile(
    rf"{_QUOTE}status{_QUOTE}\s*+:\s*+{_QUOTE}(\w{{1,40}}){_QUOTE}", re.IGNORECASE
)
_FORM: Final = "End the output with one fenced block: a line ```json, one JSON object, a line ```."


def read_answer(kind: AnswerKind, output: str) -> Answer | AnswerProblem:
    """Return the answer that the final fenced block holds."""
    blocks: list[Block] = []
    for block in json_blocks(output):
        blocks.append(block)
        if len(blocks) > _MAX_BLOCKS:
            return _unparsed(f"The output has more than {_MAX_BLOCKS} fenced json blocks.")
    if not blocks:
        return _unparsed(f"The output has no fenced json block; it {_ending(output)}.")
    *others, final = blocks
    if not final.is_closed:
        return _unparsed("The final fenced json block is never closed.")
    answer = _fit(kind, final.text)
    if isinstance(answer, AnswerProblem):
        return answer
    for block in others:
        problem = _rivalry(kind, block.text, answer)
        if problem is not None:
            return _unparsed(problem)
    problem = _doubt(kind, answer, before=output[: final.start], after=output[final.end :])
    return _answer(kind, answer) if problem is None else _unparsed(problem)


def _answer(kind: AnswerKind, answer: AnyOutput) -> Answer:
    # That there is no next task is what a Manager says with null.
    says_null = isinstance(answer, KanbanOutput)
    document = answer.model_dump(mode="json", by_alias=True, exclude_none=not says_null)
    return Answer(
        said=answer.status,
        meaning=MEANINGS[kind][answer.status],
        document=json.dumps(document, ensure_ascii=False, indent=2),
        notes=notes(answer),
        concerns=concerns(answer),
    )


def _fit(kind: AnswerKind, text: str) -> AnyOutput | AnswerProblem:
    if len(text) > _MAX_LENGTH:
        return _unparsed(f"The final json block is longer than {_MAX_LENGTH} characters.")
    model = MODELS[kind]
    try:
        answer = model.model_validate(read_json(text))
    except BadJson as error:
        return _unparsed(f"The final json block is not valid JSON: {error}.")
    except ValidationError as error:
        return _invalid(kind, tuple(findings(error, model)), error.error_count())
    wrong = tuple(contradictions(answer))
    return _invalid(kind, wrong, len(wrong)) if wrong else answer


def _invalid(kind: AnswerKind, wrong: Sequence[Finding], count: int) -> AnswerProblem:
    listed = "; ".join(
        shown(f"{key_text(finding.path) or 'the answer'}: {finding.problem}")
        for finding in wrong[:_MAX_LISTED]
    )
    more = f"; and {count - _MAX_LISTED} more" if count > _MAX_LISTED else ""
    message = f"The final json block is no valid {kind.value} answer: {listed}{more}."
    return _problem(FailureCategory.VALIDATION, message)


def _rivalry(kind: AnswerKind, text: str, answer: AnyOutput) -> str | None:
    """Say why another block makes it unclear what the answer is."""
    if len(text) > _MAX_LENGTH:
        return None
    try:
        other = MODELS[kind].model_validate(read_json(text))
    except ValidationError:
        return None
    except BadJson as error:
        # A quoted approval inside a broken answer must not become the answer.
        if _STATUS_KEY not in text:
            return None
        return (
            "The output is ambiguous: before the final json block stands another one with a "
            f"status that is not valid JSON: {error}."
        )
    if other == answer:
        return None
    return (
        f"The output is ambiguous: it has two different json blocks that are valid {kind.value} "
        f"answers, first {other.status}, then {answer.status}."
    )


def _doubt(kind: AnswerKind, answer: AnyOutput, *, before: str, after: str) -> str | None:
    """Say why the final block may be quoted and not meant: a quotation ends after what it quotes.

    What stands before is looked at without fences and strictness, because a worker whose own
    answer is malformed must not be taken to mean the answer that it quotes.
    """
    if after.strip():
        return f"Something stands after the final json block; the output {_ending(after)}."
    for match in _STATUS.finditer(before):
        # A verdict counts however it is written; code that an implementer shows has its own words.
        word = match[1].upper() if kind is AnswerKind.REVIEW else match[1]
        if word in MEANINGS[kind] and word != answer.status:
            return (
                f"The output is ambiguous: it says {word} before the final json block, "
                f"which says {answer.status}."
            )
    return None


def _unparsed(message: str) -> AnswerProblem:
    return _problem(FailureCategory.PARSING, f"{message} {_FORM}")


def _problem(category: FailureCategory, message: str) -> AnswerProblem:
    if len(message) > _MAX_MESSAGE:
        message = f"{message[:_MAX_MESSAGE]}…"
    return AnswerProblem(category=category, message=message)


def _ending(output: str) -> str:
    tail = output[-_TAIL:].strip()
    return f"ends with {shown(repr(tail))}" if tail else "is empty"
