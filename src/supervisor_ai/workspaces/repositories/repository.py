"""The user's repository: found once, read often, never disturbed."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import (
    Denied,
    InvalidInput,
    NotFound,
    SupervisorError,
    Unavailable,
)
from supervisor_ai.domain.git_flow.own_state import DIRECTORY, is_own_state
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.values import Base, Identity
from supervisor_ai.workspaces.repositories.bare_repository import Mold
from supervisor_ai.workspaces.repositories.distributions import distributions
from supervisor_ai.workspaces.repositories.git import (
    NO_ATTRIBUTES,
    OURS,
    Git,
    GitReply,
    ask_as_user,
    failure,
    printable,
)
from supervisor_ai.workspaces.repositories.repository_mark import hold_mark, make_mark, read_mark
from supervisor_ai.workspaces.repositories.submodules import SubmodulePlaces
from supervisor_ai.workspaces.repositories.tree_cautions import tree_cautions

_QUESTIONS: Final = (
    "--is-bare-repository",
    "--show-object-format",
    "--git-dir",
    "--git-common-dir",
    "--show-toplevel",
)
_BRANCHES: Final = "refs/heads/"
_SYMBOLIC_LINK: Final = b"120000"
_OTHER_OBJECT: Final = b"expected commit type"
_OTHER_DIRECTORIES: Final = "Name others with SUPERVISOR_CONFIG and SUPERVISOR_STATE."
"""Git's words for the name of a file or a folder where a commit was asked for."""


class _Found(Struct, frozen=True, kw_only=True):
    """Where git found what."""

    object_format: str
    git_directory: Path
    shared_directory: Path
    checkout: Path


class GitRepository:
    """The repository around a directory, at the checkout in which that directory lies."""

    def __init__(self, start: Path) -> None:
        found = _discover(_absolute(start))
        self._checkout = found.checkout
        self.here = Git(directory=found.git_directory)
        self.git = Git(directory=found.shared_directory)
        main = _main_work_tree(found)
        self._root = found.checkout if main is None else main
        # A bare repository with linked work trees only: what they share is its git directory.
        self._state = (found.shared_directory if main is None else main) / DIRECTORY
        self._is_state_checked_out = main is not None
        self._last_listing: tuple[tuple[str, str], tuple[tuple[bytes, str], ...]] = ("", ""), ()
        self.mold = Mold(
            object_format=found.object_format, shallow=found.shared_directory / "shallow"
        )

    @property
    def root(self) -> Path:
        """Return the top of the main work tree."""
        return self._root

    @property
    def state_directory(self) -> Path:
        """Return `.supervisor` of the main work tree."""
        return self._state

    @property
    def place(self) -> str:
        """Return where the git directory is that all work trees share, without any link."""
        return os.path.realpath(self.git.directory)

    def mark(self) -> str | None:
        """Return what the repository is known by, or None where nobody made a mark yet."""
        return read_mark(self.git.directory)

    def make_mark(self) -> str:
        """Return what the repository is known by from now on."""
        return make_mark(self.git.directory)

    def alone(self) -> AbstractContextManager[None]:
        """Be the only one of all processes who does something with the repository's mark."""
        return hold_mark(self.git.directory)

    def refuse_inside(self, *places: Path, hint: str = _OTHER_DIRECTORIES) -> None:
        """Refuse a place of the user's in which the repository's own files could stand."""
        for place in map(os.path.realpath, places):
            for top in map(os.path.realpath, (self._root, self._checkout)):
                if os.path.commonpath((place, top)) == top:
                    raise Denied(
                        f"What should be yours, {place!r}, lies inside the repository {top!r},"
                        " whose files are not your word.",
                        hint=hint,
                    )

    def tracked_state(self) -> tuple[str, ...]:
        """Name what the index or the commit of the main work tree holds where our state is."""
        return tuple(self._tracked_state()) if self._is_state_checked_out else ()

    def _tracked_state(self) -> Iterator[str]:
        loosely = {"GIT_LITERAL_PATHSPECS": "0", "GIT_ICASE_PATHSPECS": "1"}
        listing = ("ls-files", "-z", "--cached", "--full-name")
        below = ("--", f":(top){DIRECTORY}")
        reply = self.git.ask(*listing, "--with-tree=HEAD", *below, environment=loosely)
        if reply.code != 0:  # there is no commit yet
            reply = self.git.run(*listing, *below, environment=loosely)
        paths = (os.fsdecode(path) for path in reply.output.split(b"\0") if path)
        # The folder is enough: it may hold thousands of texts.
        yield from sorted({"/".join(it.split("/")[:2]) for it in paths if is_own_state(it)})

    @property
    def checkout(self) -> Path:
        """Return the top of the work tree in which we stand."""
        return self._checkout

    def files(self) -> tuple[str, ...]:
        """List the checkout's files: the tracked ones, and others that are not ignored."""
        return self._listed_here("--cached", "--others", "--exclude-standard", "--deduplicate")

    def ignored_files(self) -> tuple[str, ...]:
        """List the files that are ignored in directories of which others are not."""
        found = self._listed_here("--others", "--ignored", "--exclude-standard", "--directory")
        return tuple(path for path in found if not path.endswith("/"))

    def _listed_here(self, *which: str) -> tuple[str, ...]:
        reply = ask_as_user(self._checkout, "ls-files", "-z", *which)
        if reply.code != 0:
            raise failure("ls-files", self._checkout, reply)
        paths = (path for path in reply.output.split(b"\0") if path)
        return tuple(path.decode(errors="surrogateescape") for path in paths)

    @property
    def objects(self) -> Path:
        """Return where the repository keeps its objects."""
        return self.git.directory / "objects"

    def file_count(self) -> int:
        """Return about how many files there are: as many as git remembers of the checkout."""
        try:
            with (self.git.directory / "index").open("rb") as index:
                return int.from_bytes(index.read(12)[8:])
        except OSError:
            return 0

    def resolve(self, ref: str | None) -> Base:
        """Find a commit (None: where the checkout stands)."""
        if ref is not None and ref.startswith("-"):
            raise InvalidInput(f"A commit cannot be called {ref!r}.")
        asked = "HEAD" if ref is None else ref
        reply = self.here.ask("rev-parse", "--verify", "--quiet", f"{asked}^{{commit}}")
        if reply.code != 0:
            raise self._unresolved(ref, reply)
        commit = CommitSha(reply.text)
        name = ref or self.current_branch() or "HEAD"
        return Base(ref=name, sha=commit, tree=self.tree(commit))

    def tree(self, commit: CommitSha) -> TreeSha:
        """Return the tree of a commit."""
        return TreeSha(self.git.run("rev-parse", "--verify", f"{commit}^{{tree}}").text)

    def read(self, commit: CommitSha, path: str) -> str | None:
        """Return a file of a commit, or None."""
        plain = PurePosixPath(path)
        if "\n" in path or ".." in plain.parts or plain.is_absolute():
            return None
        question = f"{commit}:{plain}\n".encode(errors="surrogateescape")
        output = self.git.run("cat-file", "--batch", stdin=question).output
        header, _, content = output.partition(b"\n")
        if b" blob " not in header:
            return None
        try:
            return content.removesuffix(b"\n").decode()
        except UnicodeDecodeError as error:
            message = f"The file {path!r} of commit {commit!r} is not UTF-8 text."
            raise InvalidInput(message) from error

    def list(self, commit: CommitSha, directory: str) -> tuple[str, ...]:
        """Return the paths of the files below a directory of a commit."""
        found = self._listed(commit, directory)
        return tuple(path for mode, path in found if path != directory and mode != _SYMBOLIC_LINK)

    def entries(self, commit: CommitSha, *paths: str) -> str:
        """Name what stands in places of a commit; a file or a tree is named by its content."""
        return self.git.run("ls-tree", "-z", "--full-tree", commit, "--", *paths).text

    def links(self, commit: CommitSha, directory: str) -> tuple[str, ...]:
        """Return the paths of the links below a directory of a commit, or its own if it is one."""
        found = self._listed(commit, directory)
        return tuple(path for mode, path in found if mode == _SYMBOLIC_LINK)

    def _listed(self, commit: CommitSha, directory: str) -> tuple[tuple[bytes, str], ...]:
        """List files and links with their modes; the last answer is kept, for it never changes."""
        asked, known = self._last_listing
        if asked == (commit, directory):
            return known
        below = PurePosixPath(directory)
        pathspec = ("--", f"{below}") if below.parts else ()
        output = self.git.run("ls-tree", "-r", "-z", "--full-tree", commit, *pathspec).output
        entries = (entry.partition(b"\t") for entry in output.split(b"\0") if entry)
        found = tuple(
            (described.partition(b" ")[0], path.decode(errors="surrogateescape"))
            for described, _, path in entries
            if b" blob " in described
        )
        self._last_listing = (commit, directory), found
        return found

    def identity(self) -> Identity:
        """Return the name under which commits are made here."""
        reply = ask_as_user(self._checkout, "config", "-z", "--get-regexp", r"^user\.(name|email)$")
        entries = (entry.partition("\n") for entry in reply.text.split("\0") if entry)
        configured = {key: value.strip() for key, _, value in entries}
        return Identity(
            name=configured.get("user.name") or OURS.name,
            email=configured.get("user.email") or OURS.email,
        )

    def distributions(self, commit: CommitSha) -> frozenset[str]:
        """Return the names under which a commit's Python projects are installed."""
        return distributions(self.git, self.read, commit)

    def cautions(self, commit: CommitSha) -> tuple[str, ...]:
        """Say what of a commit is not in a workspace as people expect it."""
        return tree_cautions(self.git, commit, self.submodule_places)

    @property
    def submodule_places(self) -> SubmodulePlaces:
        """Return where git keeps the submodules of the checkout; a linked one has its own."""
        directories = dict.fromkeys((self.here.directory, self.git.directory))
        return SubmodulePlaces(directories=tuple(directories), checkout=self._checkout)

    def head_cautions(self) -> tuple[str, ...]:
        """Say the same of the checkout's commit, and whether git would leave out our settings."""
        try:
            found = self.cautions(self.resolve(None).sha)
        except SupervisorError:
            return ()
        return (*found, *self._ignored_definitions())

    def is_ignored(self, path: str) -> bool:
        """Tell whether the user's git leaves a path out where it is not named by force."""
        return ask_as_user(self._checkout, "check-ignore", "--quiet", path).code == 0

    def is_committed(self, path: str) -> bool:
        """Tell whether the commit that is checked out has something at a path of the checkout."""
        return ask_as_user(self._checkout, "cat-file", "-e", f"HEAD:./{path}").code == 0

    def _ignored_definitions(self) -> Iterator[str]:
        if self.is_ignored(f"{DIRECTORY}/config.yaml"):
            yield (
                f"Git ignores {DIRECTORY!r} in this project, and settings count only from a commit:"
                " they need `git add --force`, as `supervisor init --commit` does it."
            )

    def is_dirty(self) -> bool:
        """Tell whether the checkout has changes that no commit holds."""
        status = ("status", "--porcelain", "-z", "--ignore-submodules=dirty")
        reply = ask_as_user(self._checkout, *status)
        if reply.code != 0:
            raise failure("status", self._checkout, reply)
        return bool(reply.output)

    def diff_stat(self, base: CommitSha, head: CommitSha) -> str:
        """Return git's summary of the change between two commits."""
        return difference(self.git, _STAT, base, head)

    def patch(self, base: CommitSha, head: CommitSha) -> str:
        """Return the change between two commits line by line."""
        return difference(self.git, "--patch", base, head)

    def changed_lines(self, base: CommitSha, head: CommitSha) -> str:
        """Return how many lines of each file changed, as git's `--numstat -z` does."""
        return difference(self.git, "--numstat", base, head, "-z", "--no-renames")

    def branch_tip(self, branch: str) -> CommitSha | None:
        """Return where a branch stands."""
        return self.tip(f"refs/heads/{branch}")

    def has_commit(self, sha: CommitSha) -> bool:
        """Tell whether a commit exists; what no ref keeps may go at any time."""
        return self.git.ask("cat-file", "-e", f"{sha}^{{commit}}").code == 0

    def tip(self, ref: str) -> CommitSha | None:
        """Return where a ref stands."""
        reply = self.git.ask("show-ref", "--verify", "--hash", "--", ref)
        if reply.code == 0:
            return CommitSha(reply.text)
        if b"not a valid ref" in reply.complaint:
            return None
        raise failure("show-ref", self.git.directory, reply)

    def current_branch(self) -> str | None:
        """Name the branch that is checked out, if one is."""
        # A short name is another one where a tag is called like the branch.
        reply = self.here.ask("symbolic-ref", "--quiet", "HEAD")
        is_branch = reply.code == 0 and reply.text.startswith(_BRANCHES)
        return reply.text.removeprefix(_BRANCHES) if is_branch else None

    def _unresolved(self, ref: str | None, reply: GitReply) -> SupervisorError:
        if reply.complaint and _OTHER_OBJECT not in reply.complaint:
            return failure("rev-parse", self.git.directory, reply)
        if ref is None:
            return InvalidInput(
                f"The repository {str(self._root)!r} has no commit yet.",
                hint="Commit something first: `git add -A && git commit -m start`.",
            )
        return NotFound(
            f"No commit is called {ref!r} in {str(self._root)!r}.",
            hint="Name a branch, a tag or a commit; `git branch --all` lists the branches.",
        )


_STAT: Final = "--stat=1000,900"
"""Wide: half of a name that is a secret is not known for one."""


def difference(git: Git, form: str, base: CommitSha, head: CommitSha, *more: str) -> str:
    """Return the change between two commits, without a program of anybody's choice."""
    harmless = ("--no-ext-diff", "--no-textconv", "--no-color", "--find-renames")
    reply = git.run(
        *("diff-tree", form, *harmless, *more, "-r", base, head, "--"), environment=NO_ATTRIBUTES
    )
    return reply.output.decode(errors="replace")


def _absolute(start: Path) -> Path:
    try:
        return start.absolute()
    except FileNotFoundError as error:
        raise NotFound(
            "The directory in which you stand is not there any more.",
            hint="Change into another one, or name one with `-C DIR`.",
        ) from error


def _discover(start: Path) -> _Found:
    reply = ask_as_user(start, "rev-parse", "--path-format=absolute", *_QUESTIONS)
    answers = reply.text.split("\n", maxsplit=len(_QUESTIONS) - 1)
    if reply.code != 0:
        raise _undiscovered(start, reply, is_bare=answers[0] == "true")
    _, object_format, git_directory, shared_directory, checkout = answers
    return _Found(
        object_format=object_format,
        git_directory=Path(git_directory),
        shared_directory=Path(shared_directory),
        checkout=Path(checkout),
    )


def _undiscovered(start: Path, reply: GitReply, *, is_bare: bool) -> SupervisorError:
    place = str(start)
    if b"not a git repository" in reply.complaint:
        for top in (start, *start.parents):
            if os.path.lexists(top / ".git"):
                return Unavailable(
                    f"Git cannot read the repository at {str(top)!r}, where there is a '.git'.",
                    hint="Try again; if it fails again, check the disk and `git fsck`.",
                )
        return InvalidInput(
            f"{place!r} is not inside a git repository.",
            hint="Run `git init` and commit something, or name a repository with `-C DIR`.",
        )
    if b"dubious ownership" in reply.complaint:
        return Denied(
            f"Git refuses the repository at {place!r} because another user owns it.",
            hint=f"If you trust it: `git config --global --add safe.directory {place}`.",
        )
    if is_bare:
        return InvalidInput(
            f"{place!r} is a bare repository, which has no checkout.",
            hint="Run the command in a clone or in a work tree of it.",
        )
    if b"must be run in a work tree" in reply.complaint:
        return InvalidInput(f"{place!r} is inside a git directory, not inside a work tree.")
    if b"cannot change to" in reply.complaint:
        return NotFound(f"The directory {place!r} cannot be entered: {printable(reply.complaint)}")
    return failure("rev-parse", start, reply)


def _main_work_tree(found: _Found) -> Path | None:
    if found.git_directory == found.shared_directory:
        return found.checkout
    if found.shared_directory.name == ".git":
        return found.shared_directory.parent
    shared = Git(directory=found.shared_directory)
    reply = shared.ask("config", "--local", "--get", "core.worktree")
    return (found.shared_directory / reply.text).resolve() if reply.code == 0 else None
