"""Reading `state.md` back, strictly, and saying what somebody else has done to it."""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from typing import Final, NoReturn

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.drivers.team.folder.model import (
    PageProblem,
    RosterEntry,
    SectionEdit,
    SnapshotIdentity,
    StateFinding,
    StateLogEntry,
    StateLook,
    StatePage,
    TaskEntry,
)
from supervisor_ai.drivers.team.folder.state_page import (
    EMPTY,
    LONGEST_STATE,
    RECOVERY,
    render_state,
)
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity

_MOST_LINES: Final = 50_000
_NUMBER: Final = r"([0-9]{1,12})"
_TITLE: Final = re.compile(r"# Team: (\S+)")
_PHASE: Final = re.compile(r"## Phase: (.+)")
_COMPLEXITY: Final = re.compile(r"## Complexity: (SIMPLE|MEDIUM|COMPLEX)")
_OWNER: Final = re.compile(rf"- operational_state_owner: (\S+)@{_NUMBER}")
_LOCK: Final = re.compile(r"- state_lock: (.+)")
_MEMBER: Final = re.compile(r"- (\S+)(?: \((\S+)\))?: ([A-Z0-9_ ]+)(?:, (\S+), (\S+))?")
_TIER: Final = re.compile(r"- ([^:]+): (.+)")
_TASK: Final = re.compile(r"- #(\S+): (.*) — ([A-Z0-9_ ]+) \((\S+)\)")
_CODERS: Final = re.compile(rf"## Active Coders: {_NUMBER} \(max {_NUMBER}\)")
_EARLIER: Final = re.compile(
    rf"- {_NUMBER} earlier entries are in the ledger, up to hash ([0-9a-f]{{64}})"
)
_ENTRY: Final = re.compile(
    rf"- {_NUMBER} \| (\S+) \| ([A-Z0-9_ ]+) \| (\S+) \| epoch={_NUMBER} \| task=(\S+) "
    r"\| rev=(-|[0-9]{1,12}) \|(?: (.*))?"
)
_SNAPSHOT: Final = re.compile(
    rf'`\{{"epoch": {_NUMBER}, "replay_index": {_NUMBER}, "snapshot_hash": "([0-9a-f]{{64}})"\}}`'
)
_TOUCHED: Final = re.compile(r"- #([A-Za-z0-9_.-]{1,64}):|\| task=([A-Za-z0-9_.-]{1,64}) \|")
_BEFORE: Final = "Title"
_MOST_TASKS: Final = 200


def read_state(content: bytes) -> StatePage | PageProblem:
    """Read a page; one that is not exactly as it would be written is refused."""
    if len(content) > LONGEST_STATE or content.count(b"\n") > _MOST_LINES:
        return PageProblem(line=1, problem=f"It has {len(content)} bytes, too many to be a page.")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return PageProblem(line=line, problem="It is not UTF-8 text.")
    reader = _Reader(text.split("\n"))
    try:
        page = reader.page()
        written, _ = render_state(page)
    except (_LineError, InternalError) as error:
        return PageProblem(line=reader.line, problem=str(error))
    if written != text:
        return PageProblem(
            line=_first_difference(written, text),
            problem="The hash at its end is not that of what is above, or a line was touched.",
        )
    return page


def _first_difference(written: str, found: str) -> int:
    pairs = zip(written.split("\n"), found.split("\n"), strict=False)
    return next((n for n, (a, b) in enumerate(pairs, start=1) if a != b), 1)


class _LineError(Exception):
    """A line is not in its form."""


class _Reader:
    """Takes a page apart line by line, in the one order that there is."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self.line = 0

    def page(self) -> StatePage:
        """Return what the lines say."""
        team = self._take(_TITLE)[1]
        self._skip("", "## Recovery Instructions", "")
        self._skip(*(line.replace("{team}", team) for line in RECOVERY), "")
        phase = self._take(_PHASE)[1]
        self._skip("")
        complexity = TeamComplexity(self._take(_COMPLEXITY)[1])
        self._skip("", "## Ownership", "")
        owner = self._take(_OWNER)
        self._skip("- architectural_decisions_owner: tech-lead")
        self._skip("- lead_role: decisions/staffing only")
        lock = self._take(_LOCK)[1]
        roster = tuple(map(_member, self._section("## Team Roster", _MEMBER)))
        matrix = dict(map(_tier, self._section("## Approval Matrix", _TIER)))
        tasks = tuple(map(_task, self._section("## Tasks", _TASK)))
        most = int(self._take(_CODERS)[2])
        earlier, newest, log = self._log()
        return StatePage(
            team=team,
            phase=phase,
            complexity=complexity,
            epoch=int(owner[2]),
            owner=None if owner[1] == "lead" else owner[1],
            lock=lock,
            replay_index=self._identity(),
            roster=roster,
            matrix=matrix,
            tasks=tasks,
            most_coders=most,
            log=log,
            earlier=earlier,
            earlier_hash=newest,
        )

    def _next(self) -> str:
        if self.line >= len(self._lines):
            self._fail("It ends too early.")
        self.line += 1
        return self._lines[self.line - 1]

    def _fail(self, problem: str) -> NoReturn:
        raise _LineError(problem)

    def _skip(self, *wanted: str) -> None:
        for line in wanted:
            found = self._next()
            if found != line:
                self._fail(f"Expected {line!r}, found {found[:80]!r}.")

    def _take(self, form: re.Pattern[str]) -> re.Match[str]:
        found = self._next()
        return form.fullmatch(found) or self._fail(f"{found[:80]!r} is not in its form.")

    def _section(self, title: str, form: re.Pattern[str]) -> Iterator[re.Match[str]]:
        if self._lines[self.line : self.line + 1] == [""]:
            self._skip("")
        self._skip(title, "")
        yield from self._entries(form)

    def _entries(self, form: re.Pattern[str]) -> Iterator[re.Match[str]]:
        while line := self._next():
            if line != EMPTY:
                yield form.fullmatch(line) or self._fail(f"{line[:80]!r} is not in its form.")

    def _log(self) -> tuple[int, str, tuple[StateLogEntry, ...]]:
        self._skip("", "## Event Log", "")
        match = _EARLIER.fullmatch(self._next())
        if match is None:
            self.line -= 1
        entries = tuple(self._entry(it) for it in self._entries(_ENTRY))
        return (0, "", entries) if match is None else (int(match[1]), match[2], entries)

    def _entry(self, match: re.Match[str]) -> StateLogEntry:
        try:
            at = datetime.fromisoformat(match[2])
        except ValueError:
            self._fail(f"{match[2][:40]!r} is no moment.")
        return StateLogEntry(
            index=int(match[1]),
            at=at,
            event=match[3],
            actor=match[4],
            epoch=int(match[5]),
            task=None if match[6] == "-" else match[6],
            rev=None if match[7] == "-" else int(match[7]),
            text=match[8] or "",
        )

    def _identity(self) -> int:
        self._skip("## Snapshot", "")
        return int(self._take(_SNAPSHOT)[2])


def _member(match: re.Match[str]) -> RosterEntry:
    waits, stage = (("" if it in {None, "-"} else it) for it in (match[4], match[5]))
    return RosterEntry(
        name=match[1],
        role=match[2] or match[1],
        status=match[3],
        wait_reason=waits,
        idle_stage=stage,
    )


def _tier(match: re.Match[str]) -> tuple[str, tuple[str, ...]]:
    return match[1], tuple(match[2].split(" + "))


def _task(match: re.Match[str]) -> TaskEntry:
    return TaskEntry(id=match[1], subject=match[2], status=match[3], assignment=match[4])


def look_at(content: bytes | None, expected: str | None, known: Collection[str]) -> StateLook:
    """Compare the file with what was written last; say section by section what is different."""
    if content is None:
        return StateLook(finding=StateFinding.MISSING)
    sha256 = hashlib.sha256(content).hexdigest()
    if expected is not None and content == expected.encode():
        return StateLook(finding=StateFinding.OURS, sha256=sha256)
    if sha256 in known:
        return StateLook(finding=StateFinding.BEHIND, sha256=sha256)
    edits = tuple(_edits(expected or "", content[: LONGEST_STATE + 1].decode(errors="replace")))
    return StateLook(finding=StateFinding.EDITED, sha256=sha256, edits=edits, tasks=_touched(edits))


def _edits(before: str, after: str) -> Iterator[SectionEdit]:
    old, new = _by_section(before), _by_section(after)
    for section in dict.fromkeys((*old, *new)):
        removed, added = _changed(old.get(section, []), new.get(section, []))
        if removed or added:
            yield SectionEdit(section=section, added=tuple(added), removed=tuple(removed))


def _by_section(text: str) -> dict[str, list[str]]:
    """Take a page apart by its headings; the value of a heading is a line of its section."""
    found: dict[str, list[str]] = {}
    section = _BEFORE
    for line in text.split("\n")[:_MOST_LINES]:
        if line.startswith("## "):
            section, _, value = line.removeprefix("## ").rstrip("\r").partition(": ")
            found.setdefault(section, []).extend([value] if value else [])
        elif line:
            found.setdefault(section, []).append(line)
    return found


def _changed(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    if old == new:
        return [], []
    first = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    if first == 0 and old and new and old[0] == new[0]:
        first = min(len(old), len(new))
    old, new = old[first:], new[first:]
    if max(len(old), len(new)) > LOOKED_AT:
        return list(old), list(new)
    removed: list[str] = []
    added: list[str] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            removed += old[a:b]
            added += new[c:d]
    return removed, added


LOOKED_AT: Final = 400
"""Lines of a section that are compared one by one; where more differ, all of them are shown."""


def _touched(edits: tuple[SectionEdit, ...]) -> tuple[str, ...]:
    lines = (line for edit in edits for line in (*edit.removed, *edit.added))
    matches = (match for line in lines for match in _TOUCHED.finditer(line))
    return tuple(dict.fromkeys(match[1] or match[2] for match in matches))[:_MOST_TASKS]


def claimed_identity(content: bytes) -> SnapshotIdentity | None:
    """Return which snapshot a file says it is, whatever else stands in it; None: none, or two."""
    text = content[: LONGEST_STATE + 1].decode(errors="replace")
    found = {match.groups() for match in _SNAPSHOT.finditer(text)}
    if len(found) != 1:
        return None
    epoch, replay_index, snapshot_hash = found.pop()
    return SnapshotIdentity(
        epoch=int(epoch), replay_index=int(replay_index), snapshot_hash=snapshot_hash
    )
