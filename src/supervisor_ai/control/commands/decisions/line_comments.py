"""Comment on a line of the change that a run asks about."""

from hashlib import sha256
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.decisions.open_questions import pending_question, send_letter
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.inbox_commands import Comment

_LONGEST: Final = 4_000


class LinePlace(Struct, frozen=True, kw_only=True):
    """A line of a file."""

    file: str
    line: int


def read_place(text: str) -> LinePlace:
    """Read `FILE:LINE`."""
    file, _, number = text.rpartition(":")
    if not file or not (number.isascii() and number.isdigit()) or int(number) < 1:
        raise InvalidInput(
            f"{text!r} is no line of a file.", hint="Write FILE:LINE, as in src/shop.py:12"
        )
    return LinePlace(file=file, line=int(number))


def comment_on(
    project: OpenProject, name: str, place: LinePlace, words: str, *, dry_run: bool = False
) -> MutationView:
    """Say something about a line; it goes to the implementer with the next rejection."""
    words = words.strip()
    if not words or len(words) > _LONGEST:
        raise InvalidInput(f"A comment has 1 to {_LONGEST} characters; this one has {len(words)}.")
    row = project.records.find(name)
    asked = pending_question(project, row)
    _require_line(project, asked.commit, place)
    at = f"{place.file}:{place.line}"
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
    )
    mark = sha256(words.encode()).hexdigest()[:16]
    key = f"comment:{row.id}:{asked.tree}:{asked.asked_at.isoformat()}:{at}:{mark}"
    is_new = send_letter(project, row, key, command)
    detail = f"Commented on {at}." if is_new else f"The same was said about {at} before."
    return MutationView(target=row.id, applied=is_new, dry_run=False, detail=detail)


def _require_line(project: OpenProject, commit: CommitSha, place: LinePlace) -> None:
    text = project.repository.read(commit, place.file)
    if text is None:
        raise NotFound(
            f"The change has no file {place.file!r}.",
            hint="List its files: supervisor diff RUN --name-only",
        )
    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    if place.line > lines:
        raise NotFound(f"{place.file!r} has {lines} lines, so there is no line {place.line}.")
