"""What people see of a project's directives, and say about them, beside any run."""

from typing import Final

from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.loop.briefs import directive_text
from supervisor_ai.drivers.loop.commands.letters import DirectiveWish, kept_wish
from supervisor_ai.drivers.loop.queries.view import DirectiveView
from supervisor_ai.drivers.quality.standing_facts import (
    FOLD,
    PROJECT,
    StandingDirectiveAdded,
    StandingDirectiveDropped,
    StandingFact,
    StandingState,
)
from supervisor_ai.engine.effects.knowledge import urgency_of
from supervisor_ai.engine.streams.shared_stream import SharedStream

_TARGET: Final = "directives"
_NO_COMMIT: Final = CommitSha("")
_SHOWN: Final = "whoever plans next in a run that hears of directives has to answer it"


class StandingStream(SharedStream[StandingState, StandingFact]):
    """What people said about a project's directives, and the only way to add to it."""

    noun = "project's directives"


def standing_views(records: Records) -> tuple[DirectiveView, ...]:
    """List the directives of a project that nobody has answered, the most urgent first."""
    stock = records.quality.stock(_NO_COMMIT)
    found = ((it, directive_text(records.text(it.text))) for it in stock.pending)
    views = [
        DirectiveView(
            number=it.number,
            type=it.type,
            source=it.source,
            description=words.description,
            rationale=words.rationale,
            priority=it.priority,
            files=words.files,
            age=stock.commits - it.since,
        )
        for it, words in found
    ]
    order = {it.number: urgency_of(it) for it in stock.pending}
    return tuple(sorted(views, key=lambda it: order[it.number]))


def add_standing(
    project: OpenProject, wish: DirectiveWish, *, dry_run: bool = False
) -> MutationView:
    """Let whoever plans in the project hear what a person wants done."""
    new = kept_wish(project, wish, dry_run=dry_run)
    if new is not None:
        since = project.records.quality.stock(_NO_COMMIT).commits
        fact = StandingDirectiveAdded(
            type=new.type, priority=new.priority, text=new.text, since=since
        )
        _add(project, fact)
    detail = f"a {wish.type.value} directive of the project is added; {_SHOWN}"
    return MutationView(target=_TARGET, applied=not dry_run, dry_run=dry_run, detail=detail)


def drop_standing(project: OpenProject, number: int, *, dry_run: bool = False) -> MutationView:
    """Let a directive of the project be forgotten."""
    pending = [it.number for it in project.records.quality.pending()]
    if number not in pending:
        known = ", ".join(map(str, pending)) or "none"
        raise NotFound(
            f"The project has no pending directive {number}; pending: {known}.",
            hint="List them: supervisor directives",
        )
    if not dry_run:
        _add(project, StandingDirectiveDropped(number=number))
    detail = f"directive {number} of the project is dropped"
    return MutationView(target=_TARGET, applied=not dry_run, dry_run=dry_run, detail=detail)


def _add(project: OpenProject, fact: StandingFact) -> None:
    StandingStream(project.records.log, PROJECT, FOLD).add(lambda _: (fact,), project.actor)
