"""The user's checkout, moved at the user's word: no program of anybody's choice is run by it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.workspaces.repositories.git import Git, ask_as_user, printable
from supervisor_ai.workspaces.repositories.repository import GitRepository

_UNDER_WAY: Final = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}
_PROGRAMS: Final = (
    r"^(filter|merge|diff)\..*\.(clean|smudge|process|required|driver|command|textconv)$"
)
_SHOWN: Final = 8
UNTOUCHED: Final = "Nothing was touched."
_QUIET: Final = ("--name-only", "-z", "--ignore-submodules=all")


class PathChange(Struct, frozen=True):
    """A file that another tree adds (A), changes (M, T) or takes away (D)."""

    status: str
    path: str


class GitCheckout(Struct, frozen=True, kw_only=True):
    """The work tree in which the user stands, with its index."""

    repository: GitRepository

    @property
    def _git(self) -> Git:
        directory = self.repository.here.directory
        return Git(directory=directory, work_tree=self.repository.checkout)

    def require_clean(self, tree: TreeSha) -> None:
        """Refuse what a merge could mix with changes that no commit holds.

        Files that are those of the merge already are what a merge left that was killed.
        """
        self.require_idle()
        changed = self._changed(tree)
        if changed:
            raise _refusal(
                f"Your checkout has changes that no commit holds: {_named(changed)}.",
                "Commit or stash them first: git stash",
            )

    def require_idle(self) -> None:
        """Refuse to move a branch in the middle of something that git itself is doing."""
        top = self.repository.checkout
        if not (top / ".git").exists():
            raise _refusal(f"The files of this repository lie elsewhere, in {str(top)!r}.")
        for name, deed in _UNDER_WAY.items():
            if (self.repository.here.directory / name).exists():
                raise _refusal(f"A {deed} is under way in {str(top)!r}.", "Finish it first.")

    def stage(self, entries: Sequence[str]) -> Sequence[str]:
        """Let the index know files as a commit has them, and return how it knew them.

        The rest of it stays as it is.
        """
        before = self._known(entries)
        self._index(entries)
        return before

    def unstage(self, entries: Sequence[str], before: Sequence[str]) -> None:
        """Take back what was staged, unless somebody staged something else since."""
        if set(self._known(entries)) == set(entries):
            known = {entry.partition("\t")[2] for entry in before}
            paths = (entry.partition("\t")[2] for entry in entries)
            absent = "0" * len(entries[0].split()[1])
            self._index([*before, *(f"0 {absent} 0\t{it}" for it in paths if it not in known)])

    def _known(self, entries: Sequence[str]) -> list[str]:
        paths = [entry.partition("\t")[2] for entry in entries]
        return _paths(self._git.run("ls-files", "--stage", "-z", "--", *paths).output)

    def _index(self, entries: Sequence[str]) -> None:
        listed = "".join(f"{entry}\0" for entry in entries).encode(errors="surrogateescape")
        reply = self._git.ask(
            *("update-index", "--add", "-z", "--index-info"),
            stdin=listed,
            environment=self._without_programs(),
        )
        if reply.code != 0:
            raise _refusal(f"Git refuses to add the files: {printable(reply.complaint)}")

    def require_room(self, changes: Sequence[PathChange]) -> None:
        """Refuse to write where a file lies that git does not know, ignored or not."""
        gone = {it.path for it in changes if it.status == "D"}
        added = [it.path for it in changes if it.status == "A"]
        found = list(dict.fromkeys(it for path in added for it in self._in_the_way(path, gone)))
        if found:  # Git looks itself at what its index knows.
            known = set(_paths(self._git.run("ls-files", "-z").output))
            found = [path for path in found if path not in known]
        if found:
            raise _refusal(
                f"Files that no commit holds are in the way: {_named(found)}.",
                "Move them elsewhere first.",
            )

    def require_no_filters(self, filters: Mapping[str, str]) -> None:
        """Refuse files that a program of the user's configuration would have to write."""
        asked = ("config", "--includes", "-z", "--name-only", "--get-regexp", r"^filter\.")
        names = ask_as_user(self.repository.checkout, *asked).text.split("\0")
        known = {name.partition(".")[2].rpartition(".")[0] for name in names if name}
        needed = sorted(path for path, name in filters.items() if name in known)
        if needed:
            raise _refusal(f"A filter writes {_named(needed)}, and supervisor runs none.")

    def write(self, old: CommitSha, new: CommitSha) -> None:
        """Let index and files go from one commit to the other."""
        switch = ("read-tree", "-m", "-u", old, new)
        reply = self._git.ask(*switch, environment=self._without_programs())
        if reply.code != 0:
            raise _refusal(f"Git refuses to write the files: {printable(reply.complaint)}")

    def remember(self, old: CommitSha) -> None:
        """Keep where the branch stood, where git users look for it."""
        self.repository.here.ask("update-ref", "-m", "supervisor merge", "ORIG_HEAD", old)

    def _changed(self, tree: TreeSha) -> list[str]:
        environment = self._without_programs()
        self._git.ask(
            "update-index", "-q", "--ignore-submodules", "--refresh", environment=environment
        )

        def staged_since(start: str) -> bytes:
            asked = ("diff-index", "--cached", *_QUIET, start)
            return self._git.run(*asked, environment=environment).output

        staged = staged_since("HEAD")
        loose = self._git.run("diff-files", *_QUIET, environment=environment).output
        if staged and not loose and not staged_since(tree):
            return []
        return _paths(staged + loose)

    def _in_the_way(self, path: str, gone: set[str]) -> Iterator[str]:
        parts = Path(path).parts
        for length in range(1, len(parts)):
            place = "/".join(parts[:length])
            at = self.repository.checkout / place
            if os.path.lexists(at) and (at.is_symlink() or not at.is_dir()) and place not in gone:
                yield place
                return
        at = self.repository.checkout / path
        if at.is_dir() and not at.is_symlink():
            yield from self._unknown_below(at, gone)
        elif os.path.lexists(at):
            yield path

    def _unknown_below(self, directory: Path, gone: set[str]) -> Iterator[str]:
        for folder, _, names in os.walk(directory):
            for name in names:
                path = str((Path(folder) / name).relative_to(self.repository.checkout))
                if path not in gone:
                    yield path

    def _without_programs(self) -> dict[str, str]:
        """Take back every program that the repository's own configuration names."""
        asked = ("config", "--includes", "-z", "--name-only", "--get-regexp", _PROGRAMS)
        keys = _paths(self._git.ask(*asked).output)
        pairs = {key: "false" if key.endswith(".required") else "" for key in keys}
        settings = {"GIT_CONFIG_COUNT": str(len(pairs))}
        for number, (key, value) in enumerate(pairs.items()):
            settings |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return settings


def changes_between(git: Git, old: CommitSha, tree: TreeSha | CommitSha) -> tuple[PathChange, ...]:
    """List what another tree adds, changes and takes away."""
    form = ("-r", "-z", "--name-status", "--no-renames")
    parts = git.run("diff-tree", *form, old, tree).output.split(b"\0")
    pairs = zip(parts[::2], parts[1::2], strict=False)
    return tuple(PathChange(status.decode(), os.fsdecode(path)) for status, path in pairs)


def filters_of(git: Git, tree: TreeSha, paths: Sequence[str]) -> dict[str, str]:
    """Name the filters that a tree's own attributes give to its files."""
    index = {"GIT_INDEX_FILE": str(git.directory / "filters.index")}
    git.run("read-tree", tree, environment=index)
    asked = ("check-attr", "--cached", "-z", "--stdin", "filter")
    stdin = b"".join(os.fsencode(path) + b"\0" for path in paths)
    parts = git.run(*asked, stdin=stdin, environment=index).output.split(b"\0")
    rows = zip(parts[::3], parts[2::3], strict=False)
    named = {os.fsdecode(path): os.fsdecode(value) for path, value in rows}
    return {path: it for path, it in named.items() if it not in {"unspecified", "unset", "set"}}


def _refusal(message: str, hint: str | None = None) -> Conflict:
    yourself = "Merge it yourself with git, which is free to do so."
    return Conflict(f"{message} {UNTOUCHED}", hint=hint or yourself)


def _paths(output: bytes) -> list[str]:
    return list(dict.fromkeys(os.fsdecode(it) for it in output.split(b"\0") if it))


def _named(paths: Sequence[str]) -> str:
    shown = ", ".join(repr(printable(os.fsencode(it))) for it in paths[:_SHOWN])
    return f"{shown} and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else shown
