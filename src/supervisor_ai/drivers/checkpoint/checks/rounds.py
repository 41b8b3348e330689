"""One round of checks: what the text decides, what a worker is asked, what it is told."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.checkpoint.checks.catalogue import CATALOGUE
from supervisor_ai.drivers.checkpoint.checks.model import (
    CheckGroup,
    CheckMaterial,
    CheckResult,
    CheckSpec,
    Kept,
    Undecided,
    WorkerQuestion,
    result_of,
    vacuous,
    warned,
)
from supervisor_ai.drivers.checkpoint.checks.view import CheckedSession
from supervisor_ai.drivers.checkpoint.facts.model import ArtifactFacts
from supervisor_ai.drivers.checkpoint.protocol.words import key_findings, plain
from supervisor_ai.drivers.checkpoint.score import CheckVerdict

_STATED: Final = {
    Kept.GOALS: "goal",
    Kept.REQUIREMENTS: "requirement",
    Kept.COMPONENTS: "component",
    Kept.STORIES: "story",
    Kept.TASKS: "task",
    Kept.DECISIONS: "decision",
    Kept.MODULES: "module",
}
_LONGEST_LINE: Final = 240
_SHOWN: Final = 5
_MOST_LINES: Final = 2_000


class CheckRound(Struct, frozen=True, kw_only=True):
    """What came of the checks that need no judgement."""

    results: tuple[CheckResult, ...]
    questions: tuple[WorkerQuestion, ...]
    facts: dict[str, ArtifactFacts]
    """What was read of new artifacts; it is kept for later checkpoints."""


def run_checks(material: CheckMaterial, specs: Iterable[CheckSpec]) -> CheckRound:
    """Make the checks of a checkpoint, as far as the text decides them."""
    view = CheckedSession(material)
    results: list[CheckResult] = []
    questions: list[WorkerQuestion] = []
    for spec in specs:
        found = _run(view, spec)
        if isinstance(found, WorkerQuestion):
            questions.append(found)
        else:
            results.append(found)
    return CheckRound(
        results=(*results, *_authority(material)),
        questions=tuple(questions),
        facts=dict(view.new_facts),
    )


def _authority(material: CheckMaterial) -> Iterator[CheckResult]:
    """Say what somebody left out or tried to put in; a warning lifts no verdict."""
    found = (
        (
            "whole_scope",
            "All that the checkpoint guards is asked for",
            "Left out",
            material.unasked,
        ),
        (
            "proven_refs",
            "Artifacts are named by whose task it is",
            "Not looked at",
            material.diverted,
        ),
    )
    for check, title, what, named in found:
        if named:
            more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
            note = f"{what}: {', '.join(named[:_SHOWN])}{more}."
            spec = CheckSpec(id=check, rule=check, title=title, group=CheckGroup.HEALTH)
            yield result_of(spec, warned(note))


def _run(view: CheckedSession, spec: CheckSpec) -> CheckResult | WorkerQuestion:
    decide = CATALOGUE[spec.rule].decide
    if decide is None:
        if not view.facts:
            return result_of(spec, vacuous("There is no artifact to judge."))
        return _question(spec, "")
    found = decide(view, spec.params)
    if not isinstance(found, Undecided):
        return result_of(spec, found)
    return _question(spec, found.why) if view.facts else result_of(spec, vacuous(found.why))


def _question(spec: CheckSpec, why: str) -> WorkerQuestion:
    return WorkerQuestion(
        check=spec.id,
        title=spec.title,
        group=spec.group,
        question=spec.question,
        why=plain(why),
        needs=CATALOGUE[spec.rule].needs,
        is_blocking=spec.is_blocking,
    )


def needed(questions: Iterable[WorkerQuestion]) -> frozenset[Kept]:
    """Say what a worker has to know of earlier wakes to answer questions."""
    return frozenset(kind for it in questions for kind in it.needs)


def kept_lines(
    older: dict[str, ArtifactFacts], kinds: frozenset[Kept] = frozenset(Kept)
) -> tuple[str, ...]:
    """Tell a worker what is known of artifacts that it need not read again, line by line."""
    told = (line for path, facts in sorted(older.items()) for line in _told(path, facts, kinds))
    lines = [plain(line, _LONGEST_LINE) for line in told]
    more = len(lines) - _MOST_LINES
    return (*lines[:_MOST_LINES], *((f"[{more} more lines were left out]",) if more > 0 else ()))


def _told(path: str, facts: ArtifactFacts, kinds: frozenset[Kept]) -> Iterator[str]:
    for kind, noun in _STATED.items():
        for it in getattr(facts, kind) if kind in kinds else ():
            named = f" {it.id}" if it.id else ""
            yield f"{path}:{it.line}: {noun}{named}: {it.text}"
    if facts.complexity is not None and Kept.COMPLEXITY in kinds:
        label = facts.complexity
        yield f"{path}:{label.line}: complexity: {label.complexity.value}"
    for term in facts.terms if Kept.TERMS in kinds else ():
        yield f"{path}:{term.line}: term: {term.term}"
    for question in facts.questions if Kept.QUESTIONS in kinds else ():
        yield f"{path}:{question.line}: open question: {question.text}"


def findings(results: Sequence[CheckResult]) -> tuple[str, ...]:
    """Say in a few words what was found: what is wrong first, and else what is fine."""
    ranked = sorted(results, key=_rank)
    words = key_findings(_finding(result) for result in ranked)
    return tuple(
        word[:1].upper() + word[1:] if place == 0 else word for place, word in enumerate(words)
    )


def _rank(result: CheckResult) -> int:
    """Put what is wrong first, then what nobody knows of the work."""
    is_silent = result.verdict is CheckVerdict.UNDECIDED and result.group is CheckGroup.HEALTH
    order = (*(CheckVerdict.FAIL, CheckVerdict.WARN), CheckVerdict.UNDECIDED, CheckVerdict.PASS)
    return len(order) if is_silent else order.index(result.verdict)


def _finding(result: CheckResult) -> str:
    if result.verdict is not CheckVerdict.PASS:
        return f"{result.title}: {result.note}" if result.note else result.title
    definition = CATALOGUE.get(result.check)
    return definition.fine if definition and definition.fine else result.title
