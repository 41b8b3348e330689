"""Whether the work was done as a pipeline demands it: artifacts, scores, open questions."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from supervisor_ai.drivers.checkpoint.checks.model import (
    RuleOutcome,
    Undecided,
    failed,
    missing,
    passed,
    vacuous,
    warned,
)
from supervisor_ai.drivers.checkpoint.checks.view import CheckedSession, Params
from supervisor_ai.drivers.checkpoint.facts.model import Citation
from supervisor_ai.tools.text import counted

_DROP: Final = 10
_SHOWN: Final = 5


def artifacts_exist(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find tasks of the scope that left no artifact; a missing one is a warning."""
    del params
    gaps = [gap for task in view.material.scope for gap in _gaps(view, task)]
    if gaps:
        more = f" and {len(gaps) - _SHOWN} more" if len(gaps) > _SHOWN else ""
        return missing(f"Missing: {', '.join(gaps[:_SHOWN])}{more}.")
    cut = [path for path, facts in view.facts.items() if facts.is_cut]
    if cut:
        return warned(f"Too large to be read to the end: {', '.join(cut[:_SHOWN])}.")
    return passed(f"{counted(len(view.facts), 'artifact')} there.")


def _gaps(view: CheckedSession, task: str) -> Iterator[str]:
    """Name the artifacts of a task that are not there.

    What the task has to leave is known from its pipeline, or from the state of the role that did
    it; where neither says so, an artifact of the task, or one with its name, is enough.
    """
    states = (it.ref for it in view.material.roles.values() if it.task == task and it.ref)
    wanted = view.material.expected.get(task) or tuple(states)
    yield from (path for path in wanted if path not in view.facts)
    named = any(facts.task == task or task in path for path, facts in view.facts.items())
    if not wanted and not named:
        yield f"an artifact of {task} (no file **/{task}*, and no ref of its owner)"


def self_scores(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find an author's score that is worse than the one before it by more than a bit."""
    drop = int(params.get("drop", _DROP)) * 1000
    found = list(_scores(view))
    if not found:
        return vacuous("No artifact and no role state has a score of its own.")
    worse = [(old, new) for old, new in pairwise(found) if new[1] < old[1] - drop]
    if worse:
        (before, was, _), (name, now, places) = worse[0]
        return failed(f"{name} has {_text(now)} after {_text(was)} of {before}.", *places)
    return passed(f"{counted(len(found), 'score')}, none degrading.")


def _text(thousandths: int) -> str:
    return f"{thousandths / 1000:g}"


_Scored = tuple[str, int, tuple[Citation, ...]]


def _scores(view: CheckedSession) -> Iterator[_Scored]:
    """Return the last score of each artifact, or what a role state says of its task."""
    states = {it.task: it.score for it in view.material.roles.values() if it.score is not None}
    for path, facts in view.facts.items():
        if facts.scores:
            last = facts.scores[-1]
            place = Citation(file=path, line=last.line, quote=last.quote)
            yield path, last.thousandths, (place,)
        elif (stated := states.pop(facts.task, None)) is not None:
            yield path, stated, ()


def open_questions(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find critical questions that an artifact leaves open."""
    del params
    found = [(path, it) for path, facts in view.facts.items() for it in facts.questions]
    critical = [(path, it) for path, it in found if it.is_critical]
    if critical:
        places = (Citation(file=path, line=it.line, quote=it.quote) for path, it in critical)
        shown = "; ".join(it.text for _, it in critical[:_SHOWN])
        return failed(f"Critical and open: {shown}", *places)
    unclear = [it for _, it in found if it.is_critical is None]
    if unclear:
        shown = "; ".join(it.text for it in unclear[:_SHOWN])
        return Undecided(why=f"Open, and nothing says how much depends on it: {shown}")
    return passed("No critical question is open.")


def wisdom_agrees(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Leave what the wisdom says to a judge, if it says anything."""
    del params
    if any(text.strip() for text in view.material.wisdom.values()):
        return Undecided(why="")
    return vacuous("There is no wisdom yet.")
