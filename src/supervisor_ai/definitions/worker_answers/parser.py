"""Takes the final json block of an output, and only where it was meant: it repeats the nonce."""

import json
import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from msgspec import to_builtins

from supervisor_ai.control.registered_kinds import answer_meanings, is_approving
from supervisor_ai.definitions.sources.findings import ModelFinding
from supervisor_ai.definitions.sources.mistakes import key_text, shown
from supervisor_ai.definitions.worker_answers.concerns import concerns, weighed
from supervisor_ai.definitions.worker_answers.fit import FittedAnswer, fit
from supervisor_ai.definitions.worker_answers.forms import answer_form
from supervisor_ai.definitions.worker_answers.json_blocks import JsonBlock, json_blocks
from supervisor_ai.definitions.worker_answers.models import Output
from supervisor_ai.definitions.worker_answers.notes import notes
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.terminal import stripped
from supervisor_ai.engine.ports.workers import Answer, AnswerProblem
from supervisor_ai.tools.json_value import BadJson, read_json

_MAX_BLOCKS: Final = 1_000
_MAX_LENGTH: Final = 1024 * 1024
_MAX_LISTED: Final = 10
_MAX_MESSAGE: Final = 2_000
_TAIL: Final = 200
_QUOTE: Final = r"""\\?["'\u201c\u201d\u2018\u2019]"""
_STATUS: Final = re.compile(
    rf"{_QUOTE}status{_QUOTE}\s*+:\s*+{_QUOTE}(\w{{1,40}}){_QUOTE}", re.IGNORECASE
)
_FORM: Final = (
    "End the output with one fenced block: a line ```json, one JSON object that repeats the nonce, "
    "a line ```."
)


def read_answer(kind: AnswerWord, output: str, *, nonce: str) -> Answer | AnswerProblem:
    """Return the answer that the final fenced block holds and that repeats the nonce.

    Nothing in a repository knows the nonce, so a block without it is a quotation.
    """
    output = stripped(output)
    blocks: list[JsonBlock] = []
    for block in json_blocks(output):
        blocks.append(block)
        if len(blocks) > _MAX_BLOCKS:
            return _unparsed(f"The output has more than {_MAX_BLOCKS} fenced json blocks.")
    if not blocks:
        return _unparsed(f"The output has no fenced json block; it {_ending(output)}.")
    final = blocks[-1]
    if not final.is_closed:
        return _unparsed("The final fenced json block is never closed.")
    own = [block for block in blocks if nonce and nonce in block.text]
    if final not in own and (own or is_approving(kind)):
        return _unparsed("The final json block does not repeat the nonce of this attempt.")
    fitted = _fit(kind, final.text)
    if isinstance(fitted, AnswerProblem):
        return fitted
    answer = fitted.answer
    before, after = output[: final.start], output[final.end :]
    if answer.nonce != (nonce if own else None):
        problem: str | None = f"The final json block has {shown(repr(answer.nonce))} for a nonce."
    elif after.strip():
        problem = f"Something stands after the final json block; the output {_ending(after)}."
    elif own:
        problem = _dispute(kind, fitted, own[:-1])
    else:
        problem = _doubt(kind, answer, before, len(blocks))
    return _answer(kind, fitted) if problem is None else _unparsed(problem)


def read_document(kind: AnswerWord, text: str) -> Answer | AnswerProblem:
    """Return the answer that a text holds: a JSON object, or words with one fenced block of it."""
    text = stripped(text)
    if not text.lstrip().startswith("{"):
        blocks = [it for it in islice(json_blocks(text), 2) if it.is_closed]
        if len(blocks) != 1:
            found = (
                f"The answer is no JSON object and has no single fenced block; it {_ending(text)}."
            )
            return _problem(FailureCategory.PARSING, found)
        text = blocks[0].text
    fitted = _fit(kind, text)
    return fitted if isinstance(fitted, AnswerProblem) else _answer(kind, fitted)


def _answer(kind: AnswerWord, fitted: FittedAnswer) -> Answer:
    answer = weighed(fitted.answer)
    document = to_builtins(answer)
    del document["nonce"]
    said = document if answer_form(kind).keeps_null else _without_nulls(document)
    return Answer(
        said=answer.status,
        meaning=answer_meanings(kind)[answer.status],
        document=json.dumps(said, ensure_ascii=False, indent=2),
        notes=notes(answer, fitted.ignored),
        concerns=concerns(answer),
    )


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _fit(kind: AnswerWord, text: str) -> FittedAnswer | AnswerProblem:
    if len(text) > _MAX_LENGTH:
        return _unparsed(f"The final json block is longer than {_MAX_LENGTH} characters.")
    try:
        said = read_json(text)
    except BadJson as error:
        return _unparsed(f"The final json block is not valid JSON: {error}.")
    fitted = fit(said, answer_form(kind).model)
    return fitted if isinstance(fitted, FittedAnswer) else _invalid(kind, fitted)


def _invalid(kind: AnswerWord, wrong: Sequence[ModelFinding]) -> AnswerProblem:
    listed = "; ".join(
        shown(f"{key_text(finding.path) or 'the answer'}: {finding.problem}")
        for finding in wrong[:_MAX_LISTED]
    )
    left = len(wrong) - _MAX_LISTED
    more = f"; and {left} more" if left > 0 else ""
    message = f"The final json block is no valid {kind} answer: {listed}{more}."
    return _problem(FailureCategory.VALIDATION, message)


def _dispute(kind: AnswerWord, mine: FittedAnswer, others: Sequence[JsonBlock]) -> str | None:
    """Say why what the worker wrote itself is not one answer."""
    for block in others:
        other = _fit(kind, block.text)
        if isinstance(other, AnswerProblem):
            return f"The output is ambiguous: another block repeats the nonce. {other.message}"
        if other != mine:
            return (
                "The output is ambiguous: it has two different answers that repeat the nonce, "
                f"first {other.answer.status}, then {mine.answer.status}."
            )
    return None


def _doubt(kind: AnswerWord, answer: Output, before: str, blocks: int) -> str | None:
    """Say why a block without a nonce may be quoted and not meant.

    What stands before is looked at without fences and strictness, because a worker whose own
    answer is malformed must not be taken to mean the answer that it quotes.
    """
    if blocks > 1:
        return f"The output has {blocks} json blocks, and none repeats the nonce."
    for match in _STATUS.finditer(before):
        if match[1] in answer_meanings(kind) and match[1] != answer.status:
            return (
                f"The output is ambiguous: it says {match[1]} before the final json block, "
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
