"""`init`: write a project's first config files; nothing that is there is touched."""

import os
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.control.commands.gates.gate_trials import GateTrials
from supervisor_ai.control.ports.project_survey import ProjectSurvey
from supervisor_ai.domain.errors import Denied, NotFound, Unavailable
from supervisor_ai.domain.ids import CommitSha

_MESSAGE: Final = "Add supervisor\n"


class NewProject(Struct, frozen=True, kw_only=True):
    """A project that may have no definitions yet.

    `drafts` returns the files, by their path from the top, for a survey, the chosen packs and what
    came of trying the gates.
    """

    top: Path
    survey: Callable[[], ProjectSurvey]
    drafts: Callable[[ProjectSurvey, Sequence[str], GateTrials | None], Mapping[str, str]]
    has_program: Callable[[str], object]
    is_ignored: Callable[[str], bool]
    """Tells whether the user's git leaves a path out where it is not named by force."""
    is_committed: Callable[[str], bool]
    """Tells whether the newest commit has a file at a path, whatever its content."""


class FileCommits(Protocol):
    """Commits files of the user's checkout at the user's word."""

    def commit_files(self, files: Mapping[str, bytes], message: str) -> tuple[str, CommitSha]:
        """Commit these files alone on the branch that is checked out; return both.

        Raises Conflict, with the branch as it was, where that cannot be done.
        """
        ...


class FileState(StrEnum):
    """What became of a file."""

    WRITTEN = "written"
    WOULD_BE_WRITTEN = "would be written"
    KEPT = "kept"


class FileView(Struct, frozen=True, kw_only=True):
    """One file of the project's definitions."""

    path: str
    state: FileState


class CommittedFiles(Struct, frozen=True, kw_only=True):
    """The commit that holds a project's first settings."""

    branch: str
    commit: CommitSha


def suggested(survey: ProjectSurvey) -> tuple[str, ...]:
    """Name the packs that suit the project."""
    return tuple(advice.name for advice in survey.packs if advice.is_suggested)


def check_packs(survey: ProjectSurvey, chosen: Sequence[str]) -> None:
    """Refuse packs that do not exist."""
    known = [advice.name for advice in survey.packs]
    for name in chosen:
        if name not in known:
            message = f"Pack {name!r} was asked for, but there is no such pack."
            raise NotFound(message, hint=f"Packs: {', '.join(known)}.")


def initialise(
    project: NewProject, drafts: Mapping[str, str], *, dry_run: bool
) -> tuple[FileView, ...]:
    """Write the files that are not there yet; say what became of each."""
    views: list[FileView] = []
    for path, text in drafts.items():
        place = project.top / path
        _refuse_link(place.parent)
        if dry_run:
            is_there = os.path.lexists(place)
            state = FileState.KEPT if is_there else FileState.WOULD_BE_WRITTEN
        else:
            state = FileState.WRITTEN if _write_new(place, text) else FileState.KEPT
        views.append(FileView(path=path, state=state))
    return tuple(views)


def uncommitted(project: NewProject, files: Sequence[FileView]) -> tuple[str, ...]:
    """Name the files that no run sees, because no commit has them: new ones, and earlier ones."""
    return tuple(it.path for it in files if not project.is_committed(it.path))


def commit_new(top: Path, commits: FileCommits, paths: Sequence[str]) -> CommittedFiles | None:
    """Commit files of a project; None where there are none."""
    places = {path: top / path for path in paths}
    contents = {path: it.read_bytes() for path, it in places.items() if not it.is_symlink()}
    if not contents:
        return None
    branch, commit = commits.commit_files(contents, _MESSAGE)
    return CommittedFiles(branch=branch, commit=commit)


def _refuse_link(directory: Path) -> None:
    """Stay inside the project: a link that came with the repository may lead anywhere."""
    if directory.is_symlink():
        raise Denied(
            f"The directory {str(directory)!r} is a symbolic link.",
            hint="Definitions are kept in real directories only: remove the link.",
        )


def _write_new(place: Path, text: str) -> bool:
    """Write a file unless there is one, and leave none behind that is not whole."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("x", encoding="utf-8") as file:
            try:
                file.write(text)
            except BaseException:
                place.unlink()
                raise
    except FileExistsError:
        return False
    except OSError as error:
        raise Unavailable(
            f"The file {str(place)!r} cannot be written: {error.strerror}.",
            hint="Make the directory writable for you and try again.",
        ) from error
    return True
