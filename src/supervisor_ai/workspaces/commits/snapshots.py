"""Makes a commit of a workspace's files."""

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workspaces import LeftOut, LeftOutSink
from supervisor_ai.workspaces.commits.admission import (
    Cleared,
    Rules,
    TreeChange,
    clean,
    parse_changes,
    restoration,
)
from supervisor_ai.workspaces.commits.changed_submodules import changed_submodules
from supervisor_ai.workspaces.commits.hidden_files import put_back
from supervisor_ai.workspaces.commits.included_files import read_included
from supervisor_ai.workspaces.commits.object_import import FRUGAL, ObjectImport
from supervisor_ai.workspaces.commits.snapshot_bounds import untaken, withhold
from supervisor_ai.workspaces.layout import WorkspaceDirectory
from supervisor_ai.workspaces.repositories.bare_repository import PRIVATE, make_directory, write
from supervisor_ai.workspaces.repositories.git import OURS, Git, failure, signature

_PRECISE: Final = 3
"""So often is git believed when it names one file: it stops at the first, and there may be many."""
_TRIES: Final = 8
_EVERYTHING: Final = "its complaints do not end"
PARTLY: Final = 1
"""How `git add --ignore-errors` ends that could not take some files."""
_ANY_PATHS: Final = {"GIT_LITERAL_PATHSPECS": "0"}
"""What `check-ignore` needs; a name that it takes for a pattern is named once too often."""
_IGNORED: Final = ("check-ignore", "-z", "--stdin", "--no-index")
_IS_ANY_IGNORED: Final = (0, 1)
"""How `check-ignore` ends that could tell."""
_FEW: Final = 2_000
"""More are found sooner by who looks at everything."""
_VERBATIM: Final = "* !text !eol !ident !filter !working-tree-encoding\n"
RAW: Final = ("--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=none")


class SnapshotDraft(Struct, frozen=True, kw_only=True):
    """A workspace's files in the index of our own git directory, and nowhere else yet."""

    git: Git
    start: CommitSha
    changes: tuple[TreeChange, ...]
    rules: Rules
    left_out: Mapping[bytes, str]
    """What did not even come into the index."""
    tree: TreeSha | None = None
    """The files of the start, where nobody could change them."""

    def is_empty(self) -> bool:
        """Tell whether nothing that may enter history has changed."""
        return len(self.rules.refused(self.changes)) == len(self.changes)

    def deliver(
        self, deposit: ObjectImport, *, message: str, at: datetime, on_left_out: LeftOutSink | None
    ) -> Snapshot:
        """Make the commit on top of the start and bring it to the user's repository."""
        if self.tree is not None:
            commit = deposit.repeat(self.start, self.tree, message=message, at=at)
            return Snapshot(commit=commit, tree=self.tree)
        rules = self.rules
        for number in range(_TRIES):
            refused = rules.refused(self.changes)
            self._take_back(refused)
            snapshot = self._commit(message, at)
            size = len(self.changes) - len(refused)
            complaints = deposit.bring(self.git, snapshot.commit, known=[self.start], size=size)
            if not complaints:
                self.tell(on_left_out, rules)
                return snapshot
            rules = self._stricter(rules, complaints, number)
        raise Unavailable(f"Git refuses the snapshot {message!r}: {', '.join(rules.families)}.")

    def _stricter(self, rules: Rules, complaints: Mapping[str, str], number: int) -> Rules:
        """Leave out what git named; where that was no file of ours or too often, all of its kind.

        Each time there is less; in the end there is no change at all.
        """
        files = {change.new_object.decode() for change in self.changes}
        is_precise = number < _PRECISE and complaints.keys() <= files - rules.offenders.keys()
        if is_precise:
            return replace(rules, offenders={**rules.offenders, **complaints})
        families = {*rules.families, *complaints.values()}
        if number == _TRIES - 2 or families == set(rules.families):
            families.add(_EVERYTHING)
        return replace(rules, families=families)

    def _take_back(self, refused: Mapping[TreeChange, str]) -> None:
        if refused:
            self.git.run("update-index", "-z", "--index-info", stdin=restoration(refused))

    def tell(self, on_left_out: LeftOutSink | None, rules: Rules | None = None) -> None:
        """Say what is left out."""
        refused = (rules or self.rules).refused(self.changes)
        named = {**self.left_out, **{change.path: why for change, why in refused.items()}}
        for path, why in named.items():
            if on_left_out is not None:
                on_left_out(LeftOut(path=os.fsdecode(path), reason=why))

    def _commit(self, message: str, at: datetime) -> Snapshot:
        tree = self.git.run("write-tree").text
        made = self.git.run(
            *("commit-tree", tree, "-p", self.start),
            stdin=f"{message}\n".encode(),
            environment=signature(OURS, at),
        )
        return Snapshot(commit=CommitSha(made.text), tree=TreeSha(tree))


def draft(desk: WorkspaceDirectory) -> SnapshotDraft:
    """Put a workspace's files into the index, but for what may not enter history."""
    desk.restore()
    git = Git(directory=desk.trusted_git, work_tree=desk.tree, is_scratch=True)
    start = CommitSha(desk.start.read_text().strip())
    cleared = clean(desk.tree, desk.layers.names())
    left_out = {
        **_removed(git, cleared),
        **withhold(git, desk, cleared),
        **_take(git, _touched(git, desk, cleared)),
        **changed_submodules(desk),
    }
    if desk.hidden.exists():
        put_back(git, start, desk.hidden)
    raw = git.run("diff-index", "--cached", *RAW, start, "--").output
    return SnapshotDraft(
        git=git,
        start=start,
        changes=parse_changes(raw),
        rules=Rules(
            lookalikes=cleared.lookalikes, included=read_included(desk), removed=cleared.removed
        ),
        left_out=left_out,
    )


def untouched(git: Git, start: CommitSha) -> SnapshotDraft:
    """Draft the snapshot of files that nobody could change."""
    tree = TreeSha(git.run("rev-parse", "--verify", f"{start}^{{tree}}").text)
    return SnapshotDraft(git=git, start=start, changes=(), rules=Rules(), left_out={}, tree=tree)


def take_verbatim(git: Git) -> None:
    """Take bytes as they are: attributes can ask for conversions that fail, this never does."""
    make_directory(git.directory / "info", PRIVATE)
    write(git.directory / "info" / "attributes", _VERBATIM)


def _removed(git: Git, cleared: Cleared) -> Mapping[bytes, str]:
    """Choose what a person should hear of: nobody misses what git ignores anyway."""
    if not cleared.removed:
        return {}
    ignored = git.ask(*_IGNORED, stdin=_listed(cleared.removed), environment=_ANY_PATHS).output
    names = frozenset(ignored.split(b"\0"))
    return {path: why for path, why in cleared.removed.items() if path not in names}


def _touched(git: Git, desk: WorkspaceDirectory, cleared: Cleared) -> tuple[bytes, ...] | None:
    """Name all that can differ from the start.

    What the start itself has over the files that are shared leaves no trace where it is removed.
    """
    below = desk.layers.commit
    if cleared.touched is None or below is None:
        return None
    listed = git.run("diff-index", "--cached", "-z", "--name-only", "--no-renames", below, "--")
    return tuple(sorted({*cleared.touched, *filter(None, listed.output.split(b"\0"))}))


def _take(git: Git, touched: tuple[bytes, ...] | None) -> Mapping[bytes, str]:
    """Let git take all files; return those that it could not take."""
    if _has_taken(git, touched) or git.ask("add", "--all", environment=FRUGAL).code == 0:
        return {}
    take_verbatim(git)
    reply = git.ask("add", "--all", "--ignore-errors", environment=FRUGAL)
    if reply.code == 0:
        return {}
    if reply.code != PARTLY:
        raise failure("add", git.directory, reply)
    return dict.fromkeys(untaken(git), "git cannot read it")


def _has_taken(git: Git, touched: tuple[bytes, ...] | None) -> bool:
    """Let git take the only files that can differ, as `git add --all` would; tell whether it did.

    Where it did not, all are looked at: nothing is lost, and what is wrong is found out there.
    """
    if touched is None or len(touched) > _FEW or any(it.startswith(b":") for it in touched):
        return False
    reply = git.ask(*_IGNORED, stdin=_listed(touched), environment=_ANY_PATHS)
    if reply.code not in _IS_ANY_IGNORED:
        return False
    ignored = frozenset(reply.output.split(b"\0")) - {b""}
    if ignored:
        ignored -= frozenset(git.run("ls-files", "-z").output.split(b"\0"))
    how = ("update-index", "--add", "--remove", "-z", "--stdin")
    wanted = _listed(path for path in touched if path not in ignored)
    taken = git.ask(*how, stdin=wanted, environment=FRUGAL)
    return taken.code == 0 and not taken.complaint


def _listed(paths: Iterable[bytes]) -> bytes:
    return b"".join(b"%b\0" % path for path in paths)
