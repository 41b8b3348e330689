"""An answer in words, for whoever comes next."""

from collections.abc import Iterable, Iterator
from typing import Final

from supervisor_ai.definitions.sources.mistakes import shown
from supervisor_ai.definitions.worker_answers.models import (
    ImplementationOutput,
    Output,
    PlanOutput,
    ReviewIssue,
    ReviewOutput,
)

_MAX_LENGTH: Final = 50_000
_CONTROL: Final = {code: None for code in (*range(32), *range(127, 160)) if code not in {9, 10}}


def notes(answer: Output, ignored: Iterable[str] = ()) -> str:
    """Return what an answer says, as lines of text; `ignored` are keys that nobody looked at."""
    text = "\n".join(_lines(answer, tuple(ignored))).translate(_CONTROL).strip()
    return (
        text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}\n(cut: the rest is left out)"
    )


def _lines(answer: Output, ignored: tuple[str, ...]) -> Iterator[str]:
    yield answer.told or f"The worker answered {answer.status}."
    if ignored:
        yield f"Nobody looked at {', '.join(map(shown, ignored))}."
    match answer:
        case PlanOutput():
            yield from _plan_lines(answer)
        case ImplementationOutput():
            yield from _listed("Blockers", answer.blockers)
            if answer.next_step:
                yield f"Next: {answer.next_step}"
        case ReviewOutput():
            yield from _listed("Issues", (_issue(issue) for issue in answer.issues))
            yield from _listed("Security concerns", map(_issue, answer.concerns))
            yield from _listed("Suggestions", answer.suggestions)
        case _:
            pass


def _plan_lines(plan: PlanOutput) -> Iterator[str]:
    for phase in plan.phases or ():
        yield f"Phase {phase.id}: {phase.title}"
        if phase.description:
            yield phase.description
        for component in phase.components or ():
            files = f" ({', '.join(component.files)})" if component.files else ""
            yield f"- {component.id}: {component.title}{files}"
    yield from _listed("Files", plan.file_targets)
    yield from _listed("Risks", plan.risks)
    yield from _listed("Blockers", plan.blockers)


def _listed(title: str, items: Iterable[str] | None) -> Iterator[str]:
    lines = [f"- {item}" for item in items or ()]
    if lines:
        yield f"{title}:"
        yield from lines


def _issue(issue: ReviewIssue) -> str:
    line = f":{issue.line}" if issue.file and issue.line is not None else ""
    place = f"{issue.file}{line} " if issue.file else ""
    advice = f" Suggestion: {issue.suggestion}" if issue.suggestion else ""
    return f"{place}{issue.severity}: {issue.message}{advice}"
