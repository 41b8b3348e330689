"""Takes a change apart into harness and product; runs in the reader's process."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import ChangedPath, CommitFile, Commits
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.evidence import Half, HalfOf
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.differences import is_absent, shown
from supervisor_ai.gates.evidence.called_scripts import called_scripts
from supervisor_ai.gates.evidence.conventions import Conventions
from supervisor_ai.gates.evidence.messages import HalvesFound
from supervisor_ai.gates.evidence.mixed_files import MixedFile, may_be_mixed, tell
from supervisor_ai.gates.evidence.sources.modules_for_tests import modules_for_tests
from supervisor_ai.gates.evidence.sources.packages_for_tests import packages_for_tests

_LARGEST: Final = 1024 * 1024
_READ_FILES: Final = 4000
_READ_BYTES: Final = 64 * 1024 * 1024
_PUT_FILES: Final = 9000
_PUT_BYTES: Final = 192 * 1024 * 1024
_GRAFTED_BYTES: Final = 8 * 1024 * 1024
_TOO_MUCH: Final = "it is too large, or one of too many files"

_Sides = Mapping[str, tuple[bytes | None, bytes | None]]


class _Part(Struct, frozen=True, kw_only=True):
    """One file of a change, and what becomes of it."""

    of: HalfOf
    touches: tuple[bool, bool]
    """Whether its harness differs, and its product."""
    grafted: bytes | None = None
    is_restored: bool = False
    is_removed: bool = False
    fault: str | None = None


def find_halves(case: ChangeCase, rules: HarnessRules, commits: Commits) -> HalvesFound:
    """Tell the harness of a change from its product."""
    return _Change(case, rules, commits).found()


class _Change:
    """One change while it is taken apart."""

    def __init__(self, case: ChangeCase, rules: HarnessRules, commits: Commits) -> None:
        self._commits = commits
        self._old = {file.path: file for file in commits.list(case.base)}
        self._new = {file.path: file for file in commits.list(case.head)}
        self._changes = commits.changes(case.base, case.head)
        self._conventions = Conventions(rules, self._old, self._new)
        self._files, self._bytes, self._grafted = _PUT_FILES, _PUT_BYTES, _GRAFTED_BYTES

    def found(self) -> HalvesFound:
        """Return both halves."""
        rows = self._rows()
        product = [change for change, of in rows if of.half == Half.PRODUCT]
        sides = self._sides([it.path for it in product if self._is_open(it.path)])
        listed = [it.path for it in product if is_absent(it.before) or is_absent(it.after)]
        parts = [self._part(change, of, sides, listed) for change, of in rows]
        return HalvesFound(
            files=tuple(part.of for part in parts),
            touches_harness=any(part.touches[0] for part in parts),
            touches_product=any(part.touches[1] for part in parts),
            restored=tuple(part.of.path for part in parts if part.is_restored),
            removed=tuple(part.of.path for part in parts if part.is_removed),
            grafted={part.of.path: part.grafted for part in parts if part.grafted is not None},
            not_replayed=tuple(_sentence(part) for part in parts if part.fault is not None),
        )

    def _rows(self) -> list[tuple[ChangedPath, HalfOf]]:
        rows = [(change, self._conventions.of(change.path)) for change in self._changes]
        product = [of.path for _, of in rows if of.half == Half.PRODUCT]
        open_ones = [path for path in product if not self._conventions.is_configured(path)]
        said = dict.fromkeys(
            modules_for_tests(self._commits, self._old, open_ones),
            "the file above it declares it for test builds only",
        )
        said |= dict.fromkeys(
            called_scripts(self._commits, self._old, open_ones), "the base's tests are run by it"
        )
        # Of what it changes a change cannot say that it is for tests alone; of what is new it can.
        old, new = (
            [path for path in open_ones if (path in self._old) is is_old]
            for is_old in (True, False)
        )
        for side, asked in ((self._old, old), (self._new, new)):
            only_tests = packages_for_tests(self._commits, side, asked)
            said |= dict.fromkeys(only_tests, "only tests use its package")
        return [
            (change, replace(of, half=Half.HARNESS, why=said[of.path]) if of.path in said else of)
            for change, of in rows
        ]

    def _is_open(self, path: str) -> bool:
        return may_be_mixed(path) and not self._conventions.is_configured(path)

    def _sides(self, paths: Sequence[str]) -> _Sides:
        """Read both sides of files, in bounds; those that are too much are missing."""
        chosen: list[str] = []
        total = 0
        for path in paths:
            size = sum(side[path].size for side in (self._old, self._new) if path in side)
            if size <= _LARGEST and total + size <= _READ_BYTES and len(chosen) < _READ_FILES:
                chosen.append(path)
                total += size
        before, after = (self._read(side, chosen) for side in (self._old, self._new))
        return {path: (before.get(path), after.get(path)) for path in chosen}

    def _read(self, side: Mapping[str, CommitFile], paths: Sequence[str]) -> dict[str, bytes]:
        files = [side[path] for path in paths if path in side]
        return {file.path: contents for file, contents in self._commits.read(files)}

    def _part(self, change: ChangedPath, of: HalfOf, sides: _Sides, listed: Sequence[str]) -> _Part:
        if of.half == Half.HARNESS:
            return self._whole(change, of)
        if change.path not in sides:
            return _Part(of=of, touches=(False, True))
        before, after = sides[change.path]
        told = tell(change.path, before, after, listed)
        if told is None:
            return _Part(of=of, touches=(False, True))
        known = replace(of, half=told.half, why=told.why)
        if told.half == Half.HARNESS:
            return self._whole(change, known)
        return self._mixed(known, told, before, after)

    def _whole(self, change: ChangedPath, of: HalfOf) -> _Part:
        """Let a file be what it was."""
        part = _Part(of=of, touches=(True, False))
        if change.path not in self._old:
            if is_absent(change.before):
                return replace(part, is_removed=True)
            return replace(part, fault="it is a link or a module of its own there")
        self._files -= 1
        self._bytes -= self._old[change.path].size
        if min(self._files, self._bytes) < 0:
            return replace(part, fault=_TOO_MUCH)
        return replace(part, is_restored=True)

    def _mixed(
        self, of: HalfOf, told: MixedFile, before: bytes | None, after: bytes | None
    ) -> _Part:
        made = told.replayed
        if made is None:
            return _Part(of=of, touches=(True, True), fault=told.fault)
        part = _Part(of=of, touches=(made != after, made != before))
        if made == after:
            return part
        self._grafted -= len(made)
        if self._grafted < 0:
            return replace(part, fault=_TOO_MUCH)
        return replace(part, grafted=made)


def _sentence(part: _Part) -> str:
    path = shown(part.of.path)
    if part.of.half == Half.MIXED:
        said = f"The tests and settings in {path!r} cannot be as they were at the base"
    else:
        said = f"The file {path!r} cannot be as it was at the base"
    return f"{said}: {part.fault}."
