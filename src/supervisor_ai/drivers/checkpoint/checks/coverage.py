"""Whether what one artifact asks for is taken up by another."""

from collections.abc import Collection, Mapping
from typing import Final

from supervisor_ai.drivers.checkpoint.checks.model import (
    RuleOutcome,
    Undecided,
    failed,
    passed,
    vacuous,
    warned,
)
from supervisor_ai.drivers.checkpoint.checks.view import CheckedSession, Params, Placed, cite, names
from supervisor_ai.drivers.checkpoint.facts.model import Moscow, Statement
from supervisor_ai.drivers.checkpoint.facts.vocabulary import telling_words
from supervisor_ai.tools.text import counted

_ENOUGH: Final = 2
"""Words in common that say that two statements are about the same."""


def goals_mapped(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find goals that no requirement takes up."""
    del params
    goals, requirements = view.stated("goals"), view.stated("requirements")
    if not goals or not requirements:
        missing = "requirements" if goals else "goals"
        return vacuous(f"No {missing} were found in the artifacts.")
    links = _links(view, "goals", "requirements")
    return _mapped(goals, [it for _, it in requirements], links, "goal", "a requirement")


def must_haves_planned(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find must-have requirements that no task of the plan takes up."""
    del params
    musts = [it for it in view.stated("requirements") if it[1].priority is Moscow.MUST]
    tasks = [it for _, it in view.stated("tasks")]
    if not musts or not tasks:
        missing = "tasks of a plan" if musts else "must-have requirements"
        return vacuous(f"No {missing} were found in the artifacts.")
    links = _links(view, "requirements", "tasks")
    by_story = _links(view, "requirements", "stories")
    of_story = _links(view, "stories", "tasks")
    for id_, stories in by_story.items():
        links.setdefault(id_, set()).update(*(of_story.get(it, ()) for it in stories))
    return _mapped(musts, tasks, links, "must-have requirement", "a task")


def components_have_stories(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find components of the architecture that no story is about."""
    del params
    components, stories = view.stated("components"), view.stated("stories")
    if not components or not stories:
        missing = "stories" if components else "components"
        return vacuous(f"No {missing} were found in the artifacts.")
    links = _links(view, "components", "stories")
    named = [(path, _by_name(component)) for path, component in components]
    return _mapped(named, [it for _, it in stories], links, "component", "a story")


def _by_name(component: Statement) -> Statement:
    """Know a component by its name alone, and not by what is said about it."""
    name = component.text
    for mark in (":", " | ", " - ", " \u2013 ", " \u2014 "):
        name = name.partition(mark)[0]
    return Statement(
        id=component.id,
        text=component.text,
        line=component.line,
        quote=component.quote,
        refs=component.refs,
        words=telling_words(name),
    )


def _links(view: CheckedSession, *kinds: str) -> dict[str, set[str]]:
    """Return which id is connected with which, in both directions."""
    found: dict[str, set[str]] = {}
    known = {it.id for kind in kinds for it in view.everywhere(kind) if it.id}
    for statement in (it for kind in kinds for it in view.everywhere(kind)):
        for ref in known.intersection(statement.refs):
            found.setdefault(statement.id, set()).add(ref)
            found.setdefault(ref, set()).add(statement.id)
    return found


def _mapped(
    wanted: Collection[Placed],
    given: Collection[Statement],
    links: Mapping[str, set[str]],
    noun: str,
    other: str,
) -> RuleOutcome:
    """Say what of one kind has nothing of the other.

    Where ids connect the two kinds at all, one that is not connected is wrong; where they do not,
    words in common are enough. Their lack is wrong for what has an id, and else a warning.
    """
    targets = {it.id for it in given if it.id}
    open_ = [it for it in wanted if targets.isdisjoint(links.get(it[1].id, ()))]
    is_linked = len(open_) < len(wanted)
    alone = [it for it in open_ if (is_linked and it[1].id) or not _is_about(it[1], given)]
    lost = [it for it in alone if it[1].id]
    unsure = [it for it in alone if not it[1].id]
    if lost:
        note = f"No {other.removeprefix('a ')} for the {noun} {names(lost + unsure)}."
        return failed(note, *map(cite, lost + unsure))
    if unsure:
        note = f"Nothing tells of {other} for the {noun} {names(unsure)}."
        return warned(note, *map(cite, unsure))
    return passed(f"{counted(len(wanted), noun)}, each with {other}.")


def _is_about(wanted: Statement, given: Collection[Statement]) -> bool:
    words = set(wanted.words)
    enough = min(_ENOUGH, len(words)) or 1
    return any(len(words.intersection(it.words)) >= enough for it in given)
