"""Puts the files of several projects together in one commit, and takes them apart again."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.domain.errors import Conflict, InternalError, InvalidInput
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.feature.plan.claims import overlap
from supervisor_ai.drivers.feature.plan.projects import OUTSIDE, FeatureProject, TreeCopy
from supervisor_ai.drivers.feature.projects.values import ProjectOrigin
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.in_thread import perform
from supervisor_ai.workspaces.repositories.bare_repository import write
from supervisor_ai.workspaces.repositories.git import OURS, Git, signature
from supervisor_ai.workspaces.repositories.repository import GitRepository

_MESSAGE: Final = b"Projects\n"
_FOLDER: Final = OUTSIDE.encode()
_ALTERNATES: Final = ("objects", "info", "alternates")
_MANY: Final = 1_000_000
"""What is brought in stays in its pack."""

Entries = dict[bytes, bytes]
"""What a directory has: kind and object by name, as git lists it."""


def open_project_trees(project: Callable[[], SliceProject]) -> "GitProjectTrees":
    """Open what puts the files of a project and of others together."""
    return GitProjectTrees(git_repository(project()), project().state)


def git_repository(opened: SliceProject) -> GitRepository:
    """Return the repository of a project."""
    if not isinstance(opened.repository, GitRepository):
        raise InternalError("Only git repositories can be put together.")
    return opened.repository


class GitProjectTrees:
    """Makes such commits in a git directory that is gone afterwards."""

    def __init__(self, repository: GitRepository, state: Path) -> None:
        self._repository = repository
        self._deposit = ObjectImport(repository)
        self._state = state.resolve()

    async def gather(
        self, onto: CommitSha, projects: Sequence[FeatureProject], *, at: datetime
    ) -> tuple[Snapshot, tuple[ProjectOrigin, ...]]:
        """Add the files of other repositories; raises SupervisorError where that cannot be."""
        return await perform(self._gather, onto, projects, at)

    async def copy(
        self, onto: CommitSha, copies: Sequence[TreeCopy], *, at: datetime
    ) -> Snapshot | None:
        """Copy files from place to place; None where a project has nothing that it publishes."""
        return await perform(self._copy, onto, copies, at)

    def _gather(
        self, onto: CommitSha, projects: Sequence[FeatureProject], at: datetime
    ) -> tuple[Snapshot, tuple[ProjectOrigin, ...]]:
        found = [(it, self._find(it)) for it in projects]
        origins = tuple(_origin(project, repository) for project, repository in found)
        borrowed = [repository.objects for _, repository in found]
        with scratch_of(self._repository, self._state, *borrowed) as scratch:
            top = _entries(scratch, onto)
            inner = _entries(scratch, f"{onto}:{OUTSIDE}") if _FOLDER in top else {}
            for origin in origins:
                name = origin.project.encode()
                if name in inner:
                    raise Conflict(f"There is something at {origin.place!r} already.")
                found_tree = scratch.run("rev-parse", f"{origin.sha}^{{tree}}").text
                inner[name] = b"040000 tree " + found_tree.encode()
            tree = _with_folder(scratch, top, inner)
            return self._deliver(scratch, tree, onto, at), origins

    def _find(self, project: FeatureProject) -> GitRepository:
        path = (self._repository.root / Path(project.path).expanduser()).resolve()
        found = GitRepository(path)
        if found.checkout.resolve() != path:
            raise InvalidInput(
                f"The project {project.name!r} lies at {str(path)!r}, which is inside another"
                f" repository: {str(found.checkout)!r}.",
                hint="Name the top of the repository.",
            )
        if found.place == self._repository.place:
            raise InvalidInput(f"The project {project.name!r} is this repository itself.")
        if found.mold.object_format != self._repository.mold.object_format:
            raise InvalidInput(f"The project {project.name!r} names its objects in another way.")
        return found

    def _copy(self, onto: CommitSha, copies: Sequence[TreeCopy], at: datetime) -> Snapshot | None:
        with scratch_of(self._repository, self._state) as scratch:
            scratch.run("read-tree", onto)
            listed = dict(_staged(scratch))
            put: dict[str, bytes | None] = {}
            for it in copies:
                files = dict(_published(listed, it))
                if not files:
                    return None
                old = (path for path in listed if path.startswith(f"{it.target}/"))
                put |= dict.fromkeys(old)
                put |= {f"{it.target}/{name}": listed[path] for name, path in files.items()}
            changes = b"".join(_change(onto, path, about) for path, about in put.items())
            scratch.run("update-index", "-z", "--add", "--replace", "--index-info", stdin=changes)
            return self._deliver(scratch, scratch.run("write-tree").text, onto, at)

    def _deliver(self, scratch: Git, tree: str, onto: CommitSha, at: datetime) -> Snapshot:
        how = ("commit-tree", tree, "-p", onto)
        made = scratch.run(*how, stdin=_MESSAGE, environment=signature(OURS, at))
        commit = CommitSha(made.text)
        if self._deposit.bring(scratch, commit, known=[onto], size=_MANY):
            raise InvalidInput(f"Git refuses the files of these projects on top of {onto!r}.")
        return Snapshot(commit=commit, tree=TreeSha(tree))


@contextmanager
def scratch_of(repository: GitRepository, state: Path, *others: Path) -> Iterator[Git]:
    """Make a git directory that reads the objects of several repositories."""
    state.mkdir(parents=True, exist_ok=True)
    with repository.mold.lend(state, borrows=repository.objects) as scratch:
        places = (repository.objects, *others)
        text = "".join(f"{place}\n" for place in places)
        write(scratch.directory.joinpath(*_ALTERNATES), text)
        yield scratch


def own_tree(scratch: Git, commit: CommitSha, origin: ProjectOrigin, others: Sequence[str]) -> str:
    """Return the files of one repository alone, out of a commit that has those of others, too."""
    if origin.place:
        return scratch.run("rev-parse", f"{commit}:{origin.place}").text
    top = _entries(scratch, commit)
    inner = _entries(scratch, f"{commit}:{OUTSIDE}") if _FOLDER in top else {}
    kept = {name: about for name, about in inner.items() if name.decode() not in others}
    return _with_folder(scratch, top, kept)


def _with_folder(scratch: Git, top: Entries, inner: Entries) -> str:
    rest = {name: about for name, about in top.items() if name != _FOLDER}
    if inner:
        rest[_FOLDER] = b"040000 tree " + _tree(scratch, inner).encode()
    return _tree(scratch, rest)


def _tree(scratch: Git, entries: Entries) -> str:
    listed = b"".join(b"%b\t%b\0" % (about, name) for name, about in entries.items())
    return scratch.run("mktree", "-z", stdin=listed).text


def _entries(scratch: Git, tree: str) -> Entries:
    listed = scratch.run("ls-tree", "-z", tree).output.split(b"\0")
    parts = (entry.partition(b"\t") for entry in listed if entry)
    return {name: about for about, _, name in parts}


def _origin(project: FeatureProject, repository: GitRepository) -> ProjectOrigin:
    branch = repository.current_branch()
    if branch is None:
        raise Conflict(
            f"No branch is checked out in {str(repository.checkout)!r}, the project"
            f" {project.name!r}, so that nothing could land there.",
            hint="Check one out: git switch BRANCH",
        )
    return ProjectOrigin(
        project=project.name,
        place=project.place,
        repository=str(repository.checkout),
        branch=branch,
        sha=repository.resolve(None).sha,
    )


def _staged(scratch: Git) -> Iterator[tuple[str, bytes]]:
    for entry in scratch.run("ls-files", "--stage", "-z").output.split(b"\0"):
        if entry:
            about, _, path = entry.partition(b"\t")
            mode, name, _ = about.split()
            yield path.decode(errors="surrogateescape"), mode + b" " + name


def _published(listed: dict[str, bytes], copy: TreeCopy) -> Iterator[tuple[str, str]]:
    """Name the files that a project publishes, below it and as a whole."""
    start = f"{copy.within}/" if copy.within else ""
    for path in listed:
        name = path.removeprefix(start)
        if path.startswith(start) and any(overlap(claim, name) for claim in copy.files):
            yield name, path


def _change(onto: CommitSha, path: str, about: bytes | None) -> bytes:
    """Say what lies at a path from now on; nothing: any object's name will do."""
    told = b"0 " + onto.encode() if about is None else about
    return told + b"\t" + path.encode(errors="surrogateescape") + b"\0"
