"""A worker's answers, held against the files: what cites no line that is there is not believed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.checkpoint.checks.model import (
    MOST_CITATIONS,
    CheckResult,
    RuleOutcome,
    WorkerQuestion,
    result_of,
    vacuous,
    warned,
)
from supervisor_ai.drivers.checkpoint.facts.model import Citation
from supervisor_ai.drivers.checkpoint.score import CheckVerdict
from supervisor_ai.tools.json_value import JsonObject, mapping, parse_object, sequence
from supervisor_ai.tools.json_value import text as as_text

_MOST_ANSWERS: Final = 500
NOBODY: Final = "no worker to judge it"


class WorkerAnswer(Struct, frozen=True, kw_only=True):
    """What a worker says about one check."""

    check: str
    verdict: CheckVerdict
    evidence: tuple[Citation, ...] = ()
    note: str = ""


def read_answers(text: str) -> tuple[WorkerAnswer, ...]:
    """Read what a worker answered; an entry without the required form is no answer."""
    entries = sequence((parse_object(text) or {}).get("checks"))
    found = (_answer(mapping(entry)) for entry in entries[:_MOST_ANSWERS])
    return tuple(it for it in found if it is not None)


def _answer(entry: JsonObject) -> WorkerAnswer | None:
    verdict = as_text(entry.get("verdict"))
    if verdict not in set(CheckVerdict):
        return None
    cited = (_citation(mapping(it)) for it in sequence(entry.get("evidence"))[:MOST_CITATIONS])
    return WorkerAnswer(
        check=as_text(entry.get("check")),
        verdict=CheckVerdict(verdict),
        evidence=tuple(cited),
        note=as_text(entry.get("note")),
    )


def _citation(entry: JsonObject) -> Citation:
    line = entry.get("line")
    return Citation(
        file=as_text(entry.get("file")),
        line=line if isinstance(line, int) else 0,
        quote=as_text(entry.get("quote")).strip(),
    )


class Weighed(Struct, frozen=True, kw_only=True):
    """The results of the checks that were asked."""

    results: tuple[CheckResult, ...]
    refuted: int
    """How many answers cite what is not there, or nothing for what they find wrong."""


def weigh(
    questions: Sequence[WorkerQuestion],
    answers: Sequence[WorkerAnswer] | None,
    texts: Mapping[str, str],
    why: str = "",
) -> Weighed:
    """Make results of answers: one that does not hold is a warning, one that lacks undecided."""
    given = answers or ()
    lacking = f"nobody judged it: {why}" if why else NOBODY
    lacking = lacking if answers is None else "the worker did not answer it"
    counts = Counter(it.check for it in given)
    by_check = {it.check: it for it in given}
    outcomes = [
        _outcome(by_check.get(it.check), counts[it.check], texts, lacking) for it in questions
    ]
    results = tuple(
        result_of(question, outcome)
        for question, (outcome, _) in zip(questions, outcomes, strict=True)
    )
    return Weighed(results=results, refuted=sum(is_refuted for _, is_refuted in outcomes))


def _outcome(
    answer: WorkerAnswer | None, count: int, texts: Mapping[str, str], lacking: str
) -> tuple[RuleOutcome, bool]:
    if answer is None:
        return vacuous(lacking), False
    if count > 1:
        return warned(f"the worker answered it {count} times"), True
    wrong = [it for it in answer.evidence[:MOST_CITATIONS] if not exists(it, texts)]
    if wrong:
        places = ", ".join(f"{it.file}:{it.line}" for it in wrong[:3])
        return warned(f"the worker cites what is not there: {places}"), True
    if answer.verdict is not CheckVerdict.PASS and not answer.evidence:
        return warned(f"{answer.verdict.value} without evidence: {answer.note}"), True
    found = RuleOutcome(verdict=answer.verdict, note=answer.note, citations=answer.evidence)
    return found, False


def exists(citation: Citation, texts: Mapping[str, str]) -> bool:
    """Tell whether a file has the line, and the line the quotation."""
    if citation.file not in texts or citation.line < 1:
        return False
    lines = texts[citation.file].split("\n")
    return citation.line <= len(lines) and citation.quote in lines[citation.line - 1]
