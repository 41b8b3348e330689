"""Telling a loop something while it runs; its owner takes it in."""

from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.ids import LetterKey
from supervisor_ai.domain.run.inbox_commands import InboxCommand, Signal
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.drivers.loop.briefs import encoded
from supervisor_ai.drivers.loop.queries.view import state_of
from supervisor_ai.drivers.loop.signals import LoopWish, Pause, write_wish
from supervisor_ai.drivers.quality.directives import (
    DirectivePriority,
    DirectiveText,
    DirectiveType,
    NewDirective,
)

_LONGEST: Final = 400
_HEARD: Final = "whoever drives it hears it at once, else when somebody goes on with it"


class DirectiveWish(Struct, frozen=True, kw_only=True):
    """What a person wants done in a loop."""

    description: str
    type: DirectiveType = DirectiveType.FUNCTIONAL
    priority: DirectivePriority = DirectivePriority.NORMAL
    rationale: str = ""
    files: tuple[str, ...] = ()


def pause_loop(
    project: OpenProject, row: RunRow, pause: Pause, *, dry_run: bool = False
) -> MutationView:
    """Let a loop rest where nothing is under way, or go on."""
    _require_open(row)
    is_known = state_of(project.records, row.id).pause is pause
    if is_known and not project.records.queries.letters(row.id):
        already = "rests already" if pause is Pause.ON else "does not rest"
        return MutationView(target=row.id, applied=False, dry_run=dry_run, detail=f"it {already}")
    if not dry_run:
        _send(project, row, pause.value)
    told = "rests as soon as nothing is under way" if pause is Pause.ON else "goes on"
    return MutationView(target=row.id, applied=not dry_run, dry_run=dry_run, detail=f"it {told}")


def add_directive(
    project: OpenProject, row: RunRow, wish: DirectiveWish, *, dry_run: bool = False
) -> MutationView:
    """Let the planner of a loop hear what a person wants done."""
    _require_open(row)
    new = kept_wish(project, wish, dry_run=dry_run)
    if new is not None:
        _send(project, row, write_wish(LoopWish(add=new)))
    detail = f"a {wish.type.value} directive is added; {_HEARD}"
    return MutationView(target=row.id, applied=not dry_run, dry_run=dry_run, detail=detail)


def kept_wish(project: OpenProject, wish: DirectiveWish, *, dry_run: bool) -> NewDirective | None:
    """Keep the words of what a person wants, without secrets; None: nothing is to be changed."""
    for what, text in (("directive", wish.description), ("reason", wish.rationale)):
        if len(text) > _LONGEST:
            raise InvalidInput(
                f"The {what} has {len(text)} characters; at most {_LONGEST} are allowed."
            )
    if not wish.description.strip():
        raise InvalidInput("The directive is empty.", hint='Say what is wanted: --add "…"')
    words = DirectiveText(
        description=project.redacted(wish.description),
        rationale=project.redacted(wish.rationale),
        files=wish.files,
    )
    if dry_run:
        return None
    text = project.keep(encoded(words))
    return NewDirective(type=wish.type, priority=wish.priority, text=text)


def drop_directive(
    project: OpenProject, row: RunRow, number: int, *, dry_run: bool = False
) -> MutationView:
    """Let a directive be forgotten."""
    _require_open(row)
    pending = state_of(project.records, row.id).book.pending_directives
    if number not in {it.number for it in pending}:
        known = ", ".join(str(it.number) for it in pending) or "none"
        raise NotFound(
            f"Run {row.id!r} has no pending directive {number}; pending: {known}.",
            hint=f"List them: supervisor loop directives {row.id}",
        )
    if not dry_run:
        _send(project, row, write_wish(LoopWish(drop=number)))
    detail = f"directive {number} is dropped; {_HEARD}"
    return MutationView(target=row.id, applied=not dry_run, dry_run=dry_run, detail=detail)


def _require_open(row: RunRow) -> None:
    if row.status in ENDED:
        raise Conflict(
            f"The loop {row.id!r} is {row.status.value}; nobody would hear it.",
            hint='Start another one: supervisor loop run "…"',
        )


def _send(project: OpenProject, row: RunRow, signal: str) -> None:
    world = project.world
    letter = InboxCommand(
        key=LetterKey(f"loop:{row.id}:{world.ids.nonce()}"),
        run=row.id,
        command=Signal(signal=signal),
        actor=project.actor,
        sent_at=world.clock.now(),
    )
    world.inbox.put(letter)
