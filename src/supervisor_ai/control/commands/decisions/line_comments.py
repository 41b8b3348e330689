"""Comment on a line of the change that a run asks about, or on one that the change removes."""

import re
from hashlib import sha256
from typing import Final

from supervisor_ai.control.commands.decisions.open_questions import pending_question, send_letter
from supervisor_ai.control.ports.queries import ApprovalRow, RunRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.inbox_commands import Comment
from supervisor_ai.domain.run.line_places import LinePlace, LineSide
from supervisor_ai.tools.text import counted

_LONGEST: Final = 4_000
_QUOTED: Final = 1_000
"""So much is repeated of the line itself."""
_PLACE: Final = re.compile(r"(?:\./)*(?P<file>.+):(?P<sign>-?)(?P<line>[0-9]{1,9})", re.DOTALL)
_WITH_WORDS: Final = re.compile(r"(?P<place>.+?:-?[0-9]{1,9})\s+(?P<words>.+)", re.DOTALL)


def read_place(text: str) -> LinePlace:
    """Read `FILE:LINE`, or `FILE:-LINE` for a line of the file as it was before the change."""
    found = _PLACE.fullmatch(text)
    if found is None or int(found["line"]) < 1:
        raise InvalidInput(
            f"{text!r} is no line of a file.",
            hint="Write FILE:LINE, as in src/shop.py:12; a line that is gone has a minus:"
            " src/shop.py:-12",
        )
    side = LineSide.OLD if found["sign"] else LineSide.NEW
    return LinePlace(file=found["file"], line=int(found["line"]), side=side)


def read_comment(text: str) -> tuple[LinePlace, str]:
    """Read a place with the words about it behind it."""
    found = _WITH_WORDS.fullmatch(text.strip())
    if found is None:
        raise InvalidInput(
            f"{text!r} is no comment on a line.",
            hint="Write FILE:LINE TEXT, in this order; FILE:-LINE for a line that is gone.",
        )
    return read_place(found["place"]), found["words"]


def comment_on(
    project: OpenProject, name: str, place: LinePlace, words: str, *, dry_run: bool = False
) -> MutationView:
    """Say something about a line; it goes to the implementer with the next rejection."""
    words = words.strip()
    if not words or len(words) > _LONGEST:
        raise InvalidInput(f"A comment has 1 to {_LONGEST} characters; this one has {len(words)}.")
    row = project.records.find(name)
    asked = pending_question(project, row)
    said = _line(project, _commit(row, asked, place), place)
    at = shown_name(str(place))
    if dry_run:
        detail = f"Would comment on {at} of tree {asked.tree}."
        return MutationView(target=row.id, applied=False, dry_run=True, detail=detail)
    command = Comment(
        step=asked.step,
        visit=asked.visit,
        tree=asked.tree,
        file=place.file,
        line=place.line,
        text=project.keep(words),
        side=place.side,
        quote=project.keep(said[:_QUOTED]) if said.strip() else None,
    )
    mark = sha256(words.encode()).hexdigest()[:16]
    key = f"comment:{row.id}:{asked.tree}:{asked.asked_at.isoformat()}:{place}:{mark}"
    is_new = send_letter(project, row, key, command)
    detail = f"Commented on {at}." if is_new else f"The same was said about {at} before."
    return MutationView(target=row.id, applied=is_new, dry_run=False, detail=detail)


def _commit(row: RunRow, asked: ApprovalRow, place: LinePlace) -> CommitSha:
    """Return the files among which the line is looked for."""
    if place.side is LineSide.NEW:
        return asked.commit
    if row.base is None:
        raise Conflict(f"Run {row.id!r} has no commit that it started from.")
    return row.base.sha


def _line(project: OpenProject, commit: CommitSha, place: LinePlace) -> str:
    """Return what the line says; raise NotFound where there is none."""
    text = project.repository.read(commit, place.file)
    if text is None:
        raise _no_file(place)
    lines = text.removesuffix("\n").split("\n") if text else []
    if place.line > len(lines):
        has = "had" if place.side is LineSide.OLD else "has"
        count = counted(len(lines), "line")
        raise NotFound(f"{place.file!r} {has} {count}, so there is no line {place.line}.")
    return lines[place.line - 1].removesuffix("\r")


def _no_file(place: LinePlace) -> NotFound:
    if place.side is LineSide.OLD:
        return NotFound(
            f"There was no file {place.file!r} before the change.",
            hint="A line that is gone is named by the name that its file had then.",
        )
    return NotFound(
        f"The change has no file {place.file!r}.",
        hint="List its files: supervisor diff RUN --name-only; a line of a file that is gone has"
        " a minus: FILE:-LINE",
    )
