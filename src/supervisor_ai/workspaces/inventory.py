"""The inventory of kept workspaces: listed without touching, restored, and removed."""

import errno
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import Final

from supervisor_ai.control.ports.workspace_inventory import (
    ExpiredWork,
    FileChange,
    KeptWork,
    LeftDirectory,
    RunDirectory,
    StepsOf,
    WorkOrigin,
)
from supervisor_ai.domain.errors import Busy, Conflict, InvalidInput, NotFound, Unavailable
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.tools.file_lock import held, open_lock_file
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.files.disk_errors import disk_failure
from supervisor_ai.workspaces.files.expiry_log import ExpiryLog
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.kept_work import KEPT, kept_works
from supervisor_ai.workspaces.layout import KeptSources, RunLayout, WorkspaceDirectory
from supervisor_ai.workspaces.repositories.bare_repository import READABLE, make_directory
from supervisor_ai.workspaces.repositories.git import OURS, Git, failure, signature
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.run_sources import check_out

_RUN: Final = re.compile(r"(?P<run>[A-Za-z0-9][A-Za-z0-9_-]{0,99})(?P<waste>\.[0-9a-f]+\.waste)?")
_DESK: Final = re.compile(
    r"(?P<words>[A-Za-z0-9_-]*)-(?P<visit>\d+)-(?P<slot>\d+)-(?P<deed>worker-(?P<attempt>\d+)|gate)"
    r"-(?P<digest>[0-9a-f]{12})\.(?P<fence>\d+)"
)
_ANY_DESK: Final = re.compile(r"[A-Za-z0-9_-]+\.(?P<fence>\d+)")
_STATUS: Final = ("status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all")
_NUMBERS: Final = ("-r", "-z", "--raw", "--numstat", "--no-renames", "--no-ext-diff")
_WORDS: Final = {"A": "added", "?": "added", "D": "deleted", "T": "changed type"}


class GitInventory:
    """The workspaces of one project: below its state directory, and in the user's repository."""

    def __init__(self, repository: GitRepository, state: Path) -> None:
        self._repository = repository
        self._git = repository.git
        self._deposit = ObjectImport(repository)
        self._state = state.resolve()
        self._expiry = ExpiryLog(path=self._state / "expired.jsonl")

    def directories(self, steps: StepsOf) -> tuple[LeftDirectory, ...]:
        """Return the workspaces that exist now, the newest first; nothing in them is touched."""
        found = [
            _describe(WorkspaceDirectory(path=path), found.run, steps(found.run))
            for found in self.runs()
            if found.path.name == found.run
            for path in _entries(RunLayout(path=found.path).desks)
            if _ANY_DESK.fullmatch(path.name)
        ]
        there = [directory for directory in found if directory is not None]
        return tuple(sorted(there, key=lambda it: (it.since, it.path), reverse=True))

    def runs(self) -> tuple[RunDirectory, ...]:
        """Return the runs that have files below the state directory."""
        named = [(path, _RUN.fullmatch(path.name)) for path in _entries(self._state)]
        return tuple(
            RunDirectory(path=path, run=RunId(name["run"]), since=_since(path))
            for path, name in named
            if name is not None and (name["waste"] or RunLayout(path=path).desks.is_dir())
        )

    def works(self) -> tuple[KeptWork, ...]:
        """Return what refs keep, the newest first."""
        return kept_works(self._git)

    def changed_files(self, found: LeftDirectory | KeptWork) -> tuple[FileChange, ...]:
        """Return how the files differ from those that the work began with."""
        if isinstance(found, LeftDirectory):
            return tuple(_changes_in(WorkspaceDirectory(path=found.path)))
        ends = ("--root", found.commit) if found.start is None else (found.start, found.commit)
        output = self._git.run("diff-tree", *_NUMBERS, "--no-commit-id", *ends, "--").output
        return tuple(_read_numbers(output))

    def can_make_branch(self, name: str) -> bool:
        """Tell whether a branch can have the name; False when there is one of it already."""
        self._require_name(name)
        above = [f"refs/heads/{it}" for it in PurePosixPath(name).parents if it.name]
        below = f"refs/heads/{name}/"
        taken = self._git.run("for-each-ref", "--format=%(refname)", below, *above).text.split()
        # A pattern finds what is below it as well.
        for other in (it for it in taken if it in above or it.startswith(below)):
            raise Conflict(f"The branch {name!r} cannot be beside {other!r}.")
        return self._repository.branch_tip(name) is None

    def make_branch(self, name: str, commit: CommitSha) -> bool:
        """Make a branch of the user's; False when there is one of that name already."""
        self._require_name(name)
        return self._deposit.swap(name, commit, old=None)

    def check_place(self, directory: Path) -> None:
        """Refuse a directory that nothing can be exported to."""
        place = directory.resolve()
        self._require_outside(place)
        _require_empty(place)
        if not place.parent.is_dir():
            raise NotFound(
                f"The directory {str(place.parent)!r} does not exist.",
                hint="Make it first, or name another.",
            )

    def export(self, commit: CommitSha, directory: Path) -> None:
        """Write the files of a commit into a directory that is new or empty; all or nothing."""
        self.check_place(directory)
        place = directory.resolve()
        unfinished = place.with_name(f".{place.name}-{token_hex(8)}")
        try:
            make_directory(unfinished, READABLE)
            with self._repository.mold.lend(self._state, borrows=self._repository.objects) as git:
                check_out(git, commit, unfinished)
            unfinished.rename(place)
        except OSError as error:
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST}:
                raise _occupied(place) from error
            raise disk_failure(error) from error
        finally:
            remove(unfinished)

    def unused_ref(self, directory: LeftDirectory) -> str:
        """Name a ref that is free for the work in a directory."""
        ref = _ref(directory.place)
        taken = self._git.run("for-each-ref", "--format=%(refname)", f"{KEPT}{directory.place.run}")
        names = taken.lines
        # Keeping lost work puts fences behind the name that it was given.
        wanted = (ref if number == 0 else f"{ref}-{number}" for number in count())
        return next(it for it in wanted if not any(_is_like(it, name) for name in names))

    def unite(self, ref: str, directory: LeftDirectory) -> str:
        """Drop the ref if the attempt's own keeps the same work; return the one that keeps it."""
        original = _ref(directory.place)
        if ref == original:
            return ref
        first, second = self._repository.tip(original), self._repository.tip(ref)
        if first is None or second is None or self._content(first) != self._content(second):
            return ref
        return original if self._delete(ref, second) else ref

    def drop(self, work: KeptWork) -> bool:
        """Remove the ref if it still stands where it was seen; False when it has moved."""
        return self._delete(work.ref, work.commit)

    def expire(self, works: Sequence[KeptWork], *, at: datetime) -> int:
        """Remove refs that still stand where they were seen, and remember them; return how many."""
        self._expiry.note(
            ExpiredWork(
                ref=work.ref, commit=work.commit, at=at, standing=work.standing, holder=work.holder
            )
            for work in works
        )
        wanted = "".join(f"delete {work.ref} {work.commit}\n" for work in works).encode()
        how = ("update-ref", "--no-deref", "--stdin")
        if self._git.ask(*how, stdin=wanted, environment=signature(OURS)).code == 0:
            return len(works)
        return sum(self.drop(work) for work in works)

    def expired(self) -> tuple[ExpiredWork, ...]:
        """Return the refs that expired, the newest first."""
        if not self._expiry.path.exists():
            return ()
        present = self._git.run("for-each-ref", "--format=%(refname)", KEPT).lines
        return self._expiry.read(frozenset(present))

    def drop_spare(self) -> None:
        """Remove what is kept for later runs only because it would cost time to make it again."""
        KeptSources(state=self._state).drop()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let nobody else clean up meanwhile; raises Busy while somebody does."""
        with held(open_lock_file(self._state / "clean.lock"), patience=0) as is_ours:
            if not is_ours:
                message = "Somebody else is cleaning up the workspaces of this project."
                raise Busy(message, hint="Try again when that has ended.")
            yield

    def _content(self, commit: CommitSha) -> str:
        return self._git.run("rev-parse", f"{commit}^{{tree}}", f"{commit}^@").text

    def _delete(self, ref: str, commit: CommitSha) -> bool:
        arguments = ("update-ref", "--no-deref", "-d", ref, commit)
        reply = self._git.ask(*arguments, environment=signature(OURS))
        if reply.code == 0:
            return True
        if self._repository.tip(ref) != commit:
            return False
        raise failure("update-ref", self._git.directory, reply)

    def _require_name(self, name: str) -> None:
        asked = self._git.ask("check-ref-format", f"refs/heads/{name}")
        if asked.code != 0 or name.startswith("-") or name == "HEAD":
            raise InvalidInput(f"A branch cannot be called {name!r}.")

    def _require_outside(self, place: Path) -> None:
        listed = self._git.run("worktree", "list", "--porcelain", "-z").output.split(b"\0")
        checkouts = [it.removeprefix(b"worktree ") for it in listed if it.startswith(b"worktree ")]
        for taken in (self._git.directory.resolve(), self._state, *map(_path, checkouts)):
            if place.is_relative_to(taken):
                raise InvalidInput(
                    f"The directory {str(place)!r} lies in {str(taken)!r}, which is left alone.",
                    hint="Name a directory outside the repository.",
                )


def _path(name: bytes) -> Path:
    return Path(os.fsdecode(name)).resolve()


def _describe(
    desk: WorkspaceDirectory, run: RunId, steps: Sequence[StepName]
) -> LeftDirectory | None:
    """Look at a workspace; None when it is gone meanwhile."""
    named = _DESK.fullmatch(desk.path.name)
    place, key = WorkOrigin(run=run), None
    if named is not None:
        words = named["words"].removeprefix(f"{run}-")
        for step in (*steps, StepName(words)):
            deed = named["deed"].replace("-", "/")
            tried = EffectKey(f"{run}/{step}/{named['visit']}/{named['slot']}/{deed}")
            if hashlib.sha256(tried.encode()).hexdigest().startswith(named["digest"]):
                place, key = _place(run, step, named), tried
                break
    with suppress(FileNotFoundError):
        return LeftDirectory(
            path=desk.path,
            place=place,
            key=key,
            fence=desk.fence,
            is_dirty=_is_dirty(desk),
            size=_size(desk.path),
            since=_since(desk.path),
        )
    return None


def _place(run: RunId, step: StepName, named: re.Match[str]) -> WorkOrigin:
    return WorkOrigin(
        run=run,
        step=step,
        visit=int(named["visit"]),
        slot=int(named["slot"]),
        attempt=int(named["attempt"]) if named["attempt"] else None,
    )


def _ref(place: WorkOrigin) -> str:
    deed = "gate" if place.attempt is None else str(place.attempt)
    return f"{KEPT}{place.run}/{place.step}/{place.visit}.{place.slot}.{deed}"


def _is_like(wanted: str, name: str) -> bool:
    return name == wanted or name.startswith(f"{wanted}-")


def _is_dirty(desk: WorkspaceDirectory) -> bool:
    """Tell whether there is work in it; what git cannot read may well be work."""
    try:
        return next(_changes_in(desk), None) is not None
    except Unavailable:
        return True


def _changes_in(desk: WorkspaceDirectory) -> Iterator[FileChange]:
    """Ask git what differs, by our own git directory and without writing to it."""
    if not desk.is_complete():
        return
    if desk.is_away:
        raise Unavailable(
            f"The files of {str(desk.path)!r} are not mounted since the machine was restarted.",
            hint="`supervisor resume` mounts them again, `supervisor workspace clean` keeps them; "
            "nothing is lost.",
        )
    git = Git(directory=desk.trusted_git, work_tree=desk.tree, is_scratch=True)
    for entry in git.run(*_STATUS).output.split(b"\0")[:-1]:
        letter = entry[:2].decode().strip()[0]
        yield FileChange(path=_text(entry[3:]), change=_WORDS.get(letter, "modified"))


def _read_numbers(output: bytes) -> Iterator[FileChange]:
    fields = iter(output.split(b"\0")[:-1])
    letters: dict[bytes, str] = {}
    for field in fields:
        if field.startswith(b":"):
            letters[next(fields)] = field[-1:].decode()
            continue
        added, deleted, path = field.split(b"\t", maxsplit=2)
        yield FileChange(
            path=_text(path),
            change=_WORDS.get(letters.get(path, ""), "modified"),
            added=int(added) if added.isdigit() else None,
            deleted=int(deleted) if deleted.isdigit() else None,
        )


def _text(path: bytes) -> str:
    return path.decode(errors="backslashreplace")


def _entries(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise disk_failure(error) from error


def _since(path: Path) -> datetime:
    """Return when it was made; a worker cannot touch this directory itself, only its files."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _size(path: Path) -> int:
    """Add up what the files take; what cannot be read, or is gone, takes nothing."""
    total, waiting = 0, [path]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
    return total


def _require_empty(place: Path) -> None:
    try:
        if any(place.iterdir()):
            raise _occupied(place)
    except FileNotFoundError:
        return
    except OSError as error:
        raise disk_failure(error) from error


def _occupied(place: Path) -> Conflict:
    return Conflict(
        f"The directory {str(place)!r} is not empty.", hint="Name a new or an empty directory."
    )
