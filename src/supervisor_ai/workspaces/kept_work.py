"""Work that refs keep, and whether it could be found without them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import reduce
from operator import and_
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.workspace_inventory import KeptStanding, KeptWork, WorkOrigin
from supervisor_ai.domain.ids import CommitSha, RunId, StepName
from supervisor_ai.workspaces.commits.admission import parse_changes
from supervisor_ai.workspaces.repositories.git import Git

KEPT: Final = "refs/supervisor/"
_BASE: Final = "_base"
_NAMED: Final = re.compile(
    r"refs/supervisor/(?P<run>[^/]+)/(?:_base|(?P<step>[^/]+)/(?P<visit>\d+)\.(?P<slot>\d+)"
    r"\.(?:(?P<attempt>\d+)|gate)(?:-[0-9-]+)?)"
)
_ANY: Final = re.compile(".*")
_FIELDS: Final = (
    *("refname", "objectname", "objecttype", "*objecttype", "*objectname", "tree", "parent"),
    "committerdate:unix",
)
_FORMAT: Final = "%00".join(f"%({field})" for field in _FIELDS)
_BRANCHES: Final = ("refs/heads", "refs/remotes")
_TAGS: Final = ("refs/tags",)
_OF_THE_USER: Final = (*_BRANCHES, *_TAGS)
_RAW: Final = ("-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none")
_HEADER: Final = "\x01"
_LINKS: Final = f"--format={_HEADER}%T %H %P"

Form = tuple[bytes, bytes, bytes]
"""A path, a mode and an object: a file exactly as it was at one time."""
_Content = tuple[str, tuple[CommitSha, ...]]
"""A tree and what it was made from: two commits that differ in nothing else are one work."""


class _Ref(Struct, frozen=True, kw_only=True):
    """A ref and what it points to."""

    name: str
    commit: CommitSha
    peeled: CommitSha
    """The commit itself, where the ref is a tag with words of its own."""
    tree: str
    parent: CommitSha | None
    at: datetime


class _Commit(Struct, frozen=True):
    """What a commit says of itself."""

    tree: str
    parent: CommitSha | None
    at: datetime


class _History(Struct, frozen=True, kw_only=True):
    """What the user's own refs have, since the time that concerns us."""

    refs: Sequence[str]
    forms: Mapping[Form, int]
    """Which refs have a file so: the first one is bit 0."""
    trees: Mapping[str, int]

    def holder(self, tree: str, forms: Collection[Form]) -> str | None:
        """Name a ref in whose history all of it can be found; half here and half there is not."""
        common = self.trees.get(tree, 0)
        if not common and forms:
            common = reduce(and_, (self.forms.get(form, 0) for form in forms))
        return self.refs[(common & -common).bit_length() - 1] if common else None


def kept_works(git: Git) -> tuple[KeptWork, ...]:
    """Return what our refs keep, the newest first."""
    refs = _read_refs(git, [KEPT], _NAMED)
    if not refs:
        return ()
    return tuple(sorted(_Judgement(git, refs).works(), key=_age, reverse=True))


def _age(work: KeptWork) -> tuple[datetime, str]:
    return work.at, work.ref


class _Judgement:
    """Compares our refs with the user's."""

    def __init__(self, git: Git, refs: Sequence[_Ref]) -> None:
        self._git = git
        self._refs = refs
        self._named = {ref.commit for ref in refs}
        tips = (*_read_refs(git, _BRANCHES), *_read_any_refs(git, _TAGS))
        self._tips = sorted(tips, key=_rank)
        self._reached: dict[CommitSha, str | None] = {}
        self._parents = self._unreached()
        self._alone = {commit: self._only_from(commit) for commit in self._named}
        known = {*self._parents, *(ref.parent for ref in refs if ref.parent is not None)}
        self._trees: Mapping[CommitSha | None, str] = _read_trees(git, sorted(known))
        self._holders = self._find_holders()

    def works(self) -> Iterator[KeptWork]:
        """Say of every ref where else its work is."""
        files = _count_files(self._git, sorted(self._named))
        # Refs to one commit say the same of it, unless it is what a run began with.
        alike = {(ref.commit, _is_base(ref)): ref for ref in self._refs}
        told = {key: self._judge(ref) for key, ref in alike.items()}
        judged = {ref.name: told[ref.commit, _is_base(ref)] for ref in self._refs}
        unmerged = [ref for ref in self._refs if judged[ref.name][0] is KeptStanding.UNMERGED]
        contained = self._contained(unmerged)
        for ref in self._refs:
            standing, holder = judged[ref.name]
            if ref.name in contained:
                standing, holder = KeptStanding.CONTAINED, contained[ref.name]
            yield KeptWork(
                ref=ref.name,
                place=_place(ref.name),
                commit=ref.commit,
                start=ref.parent,
                at=ref.at,
                files=files.get(ref.commit, 0),
                standing=standing,
                holder=holder,
                alone=self._alone[ref.commit],
            )

    def _judge(self, ref: _Ref) -> tuple[KeptStanding, str | None]:
        if ref.commit not in self._parents:
            return KeptStanding.MERGED, self._reached_by(ref.commit)
        # What it builds on may have lost its own ref: then this one keeps that, too.
        beneath = self._alone[ref.commit] - {ref.commit}
        if any(it not in self._named and it not in self._holders for it in beneath):
            return KeptStanding.UNMERGED, None
        if not _is_base(ref) and ref.tree == self._trees.get(ref.parent):
            return KeptStanding.EMPTY, None
        if ref.commit not in self._holders:
            return KeptStanding.UNMERGED, None
        return KeptStanding.MERGED, self._holders[ref.commit]

    def _contained(self, unmerged: Sequence[_Ref]) -> dict[str, str]:
        """Find, among work that is nowhere else, what other such work builds on or repeats."""
        above: dict[_Content, list[_Ref]] = {}
        for ref in unmerged:
            for content in {self._content(commit) for commit in self._alone[ref.commit]}:
                above.setdefault(content, []).append(ref)
        found = {ref.name: list(self._above(ref, above)) for ref in unmerged}
        return {
            name: next(it.name for it in holders if not found[it.name])
            for name, holders in found.items()
            if holders
        }

    def _above(self, ref: _Ref, above: Mapping[_Content, Sequence[_Ref]]) -> Iterator[_Ref]:
        """Return what holds the ref's work as well; of equals, the first by name is enough."""
        content = self._content(ref.commit)
        for other in above[content]:
            if self._content(other.commit) != content or other.name < ref.name:
                yield other

    def _content(self, commit: CommitSha) -> _Content:
        return self._trees[commit], self._parents[commit]

    def _unreached(self) -> dict[CommitSha, tuple[CommitSha, ...]]:
        """Return the commits that only we keep, with their parents."""
        wanted = [
            *sorted(self._named),
            *(f"^{commit}" for commit in {t.commit for t in self._tips}),
        ]
        output = self._git.run("rev-list", "--parents", "--stdin", stdin=_lines(wanted)).lines
        rows = (line.split() for line in output)
        return {CommitSha(first): tuple(map(CommitSha, rest)) for first, *rest in rows}

    def _only_from(self, commit: CommitSha) -> frozenset[CommitSha]:
        found: set[CommitSha] = set()
        waiting = [commit]
        while waiting:
            at = waiting.pop()
            if at in self._parents and at not in found:
                found.add(at)
                waiting += self._parents[at]
        return frozenset(found)

    def _boundary(self, commit: CommitSha) -> CommitSha | None:
        """Return the user's commit that the work began with."""
        at: CommitSha | None = commit
        while at in self._parents:
            at = next(iter(self._parents[at]), None)
        return at

    def _find_holders(self) -> dict[CommitSha, str | None]:
        """Find the commits whose files the user's own history has, each in the same form."""
        starts = {commit: self._boundary(commit) for commit in self._parents}
        pairs = [f"{commit} {start}" for commit, start in starts.items() if start is not None]
        forms = _forms(self._git, pairs)
        known = self._read_history({start for start in starts.values() if start is not None})
        found: dict[CommitSha, str | None] = {}
        for commit, start in starts.items():
            if start is not None and commit not in forms:
                found[commit] = None  # The files are those of the user's own commit.
            elif holder := known.holder(self._trees[commit], forms.get(commit, ())):
                found[commit] = holder
        return found

    def _read_history(self, starts: Collection[CommitSha]) -> _History:
        forms: dict[Form, int] = {}
        trees: dict[str, int] = {}
        reached = _bits(self._tips)
        if self._tips and starts:
            tips = sorted({tip.peeled for tip in self._tips})
            wanted = [*tips, *self._oldest(sorted(starts))]
            how = ("--stdin", *_RAW, "--topo-order", "--no-show-signature", _LINKS)
            output = self._git.run("log", *how, stdin=_lines(wanted)).output
            for header, entries in _sections(output):
                tree, commit, *parents = header.removeprefix(_HEADER).split()
                bits = reached[commit]
                trees[tree] = trees.get(tree, 0) | bits
                for form in entries:
                    forms[form] = forms.get(form, 0) | bits
                for parent in parents:
                    reached[parent] = reached.get(parent, 0) | bits
        return _History(refs=[tip.name for tip in self._tips], forms=forms, trees=trees)

    def _oldest(self, starts: Sequence[CommitSha]) -> list[str]:
        reply = self._git.ask("merge-base", "--octopus", *starts)
        return [f"^{reply.text}"] if reply.code == 0 and reply.text else []

    def _reached_by(self, commit: CommitSha) -> str | None:
        if commit not in self._reached:
            form = ("--format=%(refname)", "--count=1", f"--contains={commit}")
            found = self._git.run("for-each-ref", *form, *_OF_THE_USER).text
            self._reached[commit] = found or None
        return self._reached[commit]


def _read_refs(git: Git, below: Sequence[str], named: re.Pattern[str] = _ANY) -> Sequence[_Ref]:
    """Read refs to commits; many of them are to few commits, and git looks at one for each ref."""
    output = git.run("for-each-ref", "--format=%(objectname) %(refname)", *below).lines
    found = (line.split(" ", maxsplit=1) for line in output)
    pairs = [(commit, name) for commit, name in found if named.fullmatch(name)]
    known = _read_commits(git, sorted({commit for commit, _ in pairs}))
    if any(commit not in known for commit, _ in pairs):
        return [ref for ref in _read_any_refs(git, below) if named.fullmatch(ref.name)]
    return [
        _Ref(
            name=name,
            commit=CommitSha(commit),
            peeled=CommitSha(commit),
            tree=known[commit].tree,
            parent=known[commit].parent,
            at=known[commit].at,
        )
        for commit, name in pairs
    ]


def _read_commits(git: Git, commits: Sequence[str]) -> dict[str, _Commit]:
    """Read commits; what is none is left out, also where it leads to one."""
    if not commits:
        return {}
    how = ("--no-walk=unsorted", "--no-commit-header", "--format=%H %T %ct %P", "--stdin")
    found: dict[str, _Commit] = {}
    for line in git.run("rev-list", *how, stdin=_lines(commits)).lines:
        commit, tree, at, *parents = line.split()
        parent = CommitSha(parents[0]) if parents else None
        found[commit] = _Commit(tree, parent, datetime.fromtimestamp(int(at), UTC))
    return found


def _read_any_refs(git: Git, below: Sequence[str]) -> Iterator[_Ref]:
    """Read refs to commits, and to tags of commits."""
    output = git.run("for-each-ref", f"--format={_FORMAT}", *below).lines
    for line in output:
        name, commit, kind, inner, peeled, tree, parents, at = line.split("\0")
        if "commit" in {kind, inner}:
            yield _Ref(
                name=name,
                commit=CommitSha(commit),
                peeled=CommitSha(peeled or commit),
                tree=tree,
                parent=CommitSha(parents.split()[0]) if parents else None,
                at=datetime.fromtimestamp(int(at or 0), UTC),
            )


def _bits(tips: Sequence[_Ref]) -> dict[str, int]:
    """Give every ref a bit, at the commit where it stands."""
    bits: dict[str, int] = {}
    for number, tip in enumerate(tips):
        bits[tip.peeled] = bits.get(tip.peeled, 0) | 1 << number
    return bits


def _is_base(ref: _Ref) -> bool:
    return ref.name.endswith(f"/{_BASE}")


def _place(name: str) -> WorkOrigin:
    matched = _NAMED.fullmatch(name)
    if matched is None:
        return WorkOrigin(run=RunId(""))
    run, step, visit, slot, attempt = matched.group("run", "step", "visit", "slot", "attempt")
    return WorkOrigin(
        run=RunId(run),
        step=StepName(step) if step else None,
        visit=int(visit) if visit else None,
        slot=int(slot) if slot else None,
        attempt=int(attempt) if attempt else None,
    )


def _rank(ref: _Ref) -> tuple[bool, bool, str]:
    """Name branches first, and among them those of runs."""
    is_branch, is_ours = ref.name.startswith("refs/heads/"), ref.name.startswith("refs/heads/ai/")
    return not is_branch, not is_ours, ref.name


def _read_trees(git: Git, commits: Sequence[CommitSha]) -> dict[CommitSha | None, str]:
    if not commits:
        return {}
    how = ("--no-walk=unsorted", "--no-commit-header", "--format=%H %T", "--stdin")
    output = git.run("rev-list", *how, stdin=_lines(commits)).lines
    rows = (line.split() for line in output)
    return {CommitSha(commit): tree for commit, tree in rows}


def _forms(git: Git, pairs: Iterable[str]) -> dict[CommitSha, list[Form]]:
    output = git.run("diff-tree", "--stdin", *_RAW, stdin=_lines(pairs)).output
    return {CommitSha(commit): forms for commit, forms in _sections(output)}


def _count_files(git: Git, commits: Iterable[CommitSha]) -> dict[CommitSha, int]:
    return {commit: len(forms) for commit, forms in _forms(git, commits).items()}


def _sections(output: bytes) -> Iterator[tuple[str, list[Form]]]:
    """Read what git says per commit: a line about it, then a raw difference."""
    header, entries = "", bytearray()
    fields = iter(output.split(b"\0")[:-1])
    for field in fields:
        if field.startswith((b":", b"\n:")):
            entries += b"%b\0%b\0" % (field.lstrip(b"\n"), next(fields))
            continue
        if header:
            yield header, _read_forms(bytes(entries))
        header, entries = field.decode(errors="surrogateescape"), bytearray()
    if header:
        yield header, _read_forms(bytes(entries))


def _read_forms(raw: bytes) -> list[Form]:
    return [(it.path, it.new_mode, it.new_object) for it in parse_changes(raw)]


def _lines(words: Iterable[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode(errors="surrogateescape")
