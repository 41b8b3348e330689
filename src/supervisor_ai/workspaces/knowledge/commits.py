"""The knowledge stores of commits, read from the trusted repository and never from a work tree."""

from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile
from supervisor_ai.control.ports.knowledge import FILE_BYTES, MOST_FILES, StoreFile
from supervisor_ai.domain.ids import CommitSha, is_full_sha
from supervisor_ai.domain.knowledge.documents import STORE
from supervisor_ai.domain.knowledge.provenance import LookCommit, standing
from supervisor_ai.workspaces.commits.commit_files import CommitFiles
from supervisor_ai.workspaces.repositories.git import NO_ATTRIBUTES, Git

_TREE: Final = b"040000 tree "
_LINK: Final = b"120000 "
_REGULAR: Final = (b"100644 ", b"100755 ")
_BELOW: Final = f"{STORE}/"


class CommitKnowledge:
    """Reads the store of any commit of one repository."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._files = CommitFiles(self._ask)
        self._last: tuple[CommitSha, str | None] | None = None

    def stamp(self, commit: CommitSha, looks: Sequence[LookCommit] = ()) -> str | None:
        """Name the store of a commit, with what supervisors wrote since; None: there is none."""
        if looks:
            return " ".join((commit, *(f"{it.before}..{it.commit}" for it in looks)))
        # Every role of a run asks about the same commit; one by its full name never changes.
        last = self._last
        if last is None or last[0] != commit or not is_full_sha(commit):
            last = self._last = (commit, self._stamp(commit))
        return last[1]

    def _stamp(self, commit: CommitSha) -> str | None:
        entry = self._ask("ls-tree", "-z", "--full-tree", commit, "--", STORE)
        described, _, _ = entry.partition(b"\t")
        return described.removeprefix(_TREE).decode() if described.startswith(_TREE) else None

    def read(self, commit: CommitSha, looks: Sequence[LookCommit] = ()) -> Sequence[StoreFile]:
        """Read the files of both; links are named and not followed."""
        pairs = ((self._listed(it.before), self._listed(it.commit)) for it in looks)
        entries = list(standing(self._listed(commit), pairs).values())
        left_out = [_left_out(entry) for entry in entries[:MOST_FILES]]
        wanted = [
            _file(entry)
            for entry, trouble in zip(entries, left_out, strict=False)
            if trouble is None
        ]
        read = {file.path: content for file, content in self._files.read(wanted)}
        found = [StoreFile(path=_path(path), content=it) for path, it in read.items()]
        found += [it for it in left_out if it is not None]
        return (*sorted(found, key=lambda it: it.path), *_rest(len(entries)))

    def _listed(self, commit: CommitSha) -> dict[str, bytes]:
        """List the files of one commit by their paths, as git describes them."""
        if self._stamp(commit) is None:
            return {}
        listing = ("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", _BELOW)
        entries = [it for it in self._ask(*listing).split(b"\0") if it]
        return {_named(it.partition(b"\t")[2]): it for it in entries}

    def changed(self, since: CommitSha, commit: CommitSha) -> frozenset[str]:
        """Name the files of the store that differ between two commits."""
        form = ("diff-tree", "-r", "-z", "--name-only", "--no-renames")
        output = self._ask(*form, since, commit, "--", _BELOW)
        paths = map(_named, filter(None, output.split(b"\0")))
        return frozenset(_path(path) for path in paths)

    def _ask(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return self._git.run(*arguments, stdin=stdin, environment=NO_ATTRIBUTES).output


def _rest(number: int) -> Iterator[StoreFile]:
    if number > MOST_FILES:
        trouble = f"the store has {number} files, {MOST_FILES} are the most that are looked at"
        yield StoreFile(path="", content=None, trouble=trouble)


def _left_out(entry: bytes) -> StoreFile | None:
    """Say why a file is not read; None where it is."""
    described, _, path = entry.partition(b"\t")
    size = described.split()[-1]
    if described.startswith(_LINK):
        trouble = "it is a symbolic link, and no link is followed"
    elif not described.startswith(_REGULAR):
        trouble = "it is no file"
    elif int(size) > FILE_BYTES:
        trouble = f"the file has {int(size)} bytes, at most {FILE_BYTES} are read"
    else:
        return None
    shown = _path(_named(path))
    return StoreFile(path=shown, content=None, trouble=trouble)


def _file(entry: bytes) -> CommitFile:
    described, _, path = entry.partition(b"\t")
    _, _, blob, size = described.split()
    return CommitFile(_named(path), blob.decode(), int(size))


def _named(path: bytes) -> str:
    return path.decode(errors="surrogateescape")


def _path(path: str) -> str:
    return path.removeprefix(_BELOW)
