"""The auto-run files gate: what a change does to files that run by themselves on a machine."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import ChangedPath, Commits
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.change.differences import is_absent, read_small, shown
from supervisor_ai.gates.change.misleading_names import find_odd_names
from supervisor_ai.gates.change.path_patterns import path_pattern
from supervisor_ai.gates.change.picked_keys import FORMATS, keys_differ
from supervisor_ai.gates.change_view import ChangeView
from supervisor_ai.gates.own_tables import load_table, own_text
from supervisor_ai.tools.text import counted

_FINDINGS: Final = 100
_MOST_ODD_NAMES: Final = 100
_KNOWN: Final = {"paths", "reason", "format", "keys", "beside", "harness"}


class AutoRun(Struct, frozen=True, kw_only=True):
    """Files that something runs, and what runs them."""

    pattern: re.Pattern[str]
    reason: str
    form: str | None = None
    keys: tuple[str, ...] = ()
    """Where only these keys count."""
    beside: frozenset[str] = frozenset()
    """Where only a file of one of these names makes it run."""
    is_harness: bool = False
    """Whether it also decides how tests are built and run."""


def look_at_auto_run_files(view: ChangeView) -> Examination:
    """Find files that run by themselves, and names that mislead whoever reads them."""
    odd = islice(find_odd_names(view.case, view.commits), _MOST_ODD_NAMES)
    seen = examine_auto_run(view.case, view.commits, view.run_files)
    return replace(seen, findings=(*odd, *seen.findings))


def examine_auto_run(
    case: ChangeCase, commits: Commits, run_files: Mapping[str, str] = MappingProxyType({})
) -> Examination:
    """Find what would run by itself on the machine of whoever takes the change."""
    changes = commits.changes(case.base, case.head)
    own = _UserFiles(run_files)
    known = ((change, own.entry_of(change) or _entry_of(change.path)) for change in changes)
    named = [(change, entry) for change, entry in known if entry is not None]
    touched = _where_it_runs(named, case, commits)
    kept = _unless_equal(touched, case, commits)
    findings = sorted((_finding(change, entry) for change, entry in kept), key=_weight)
    return Examination(
        findings=tuple(findings[:_FINDINGS]),
        summary=f"Looked at {counted(len(changes), 'changed file')} for what runs by itself.",
    )


class _UserFiles:
    """Paths that the settings of whoever takes the change name."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self._entries = [
            AutoRun(pattern=path_pattern([f"/{path}" if path == "*" else f"/{path}/**"]), reason=it)
            for path, it in reasons.items()
        ]
        self._above = {
            "/".join(parts[:length]).lower(): reason
            for path, reason in reasons.items()
            for parts in (path.split("/"),)
            for length in range(1, len(parts))
        }

    def entry_of(self, change: ChangedPath) -> AutoRun | None:
        """Return the entry of a path, at it, below it, or in place of a folder above it."""
        found = next((it for it in self._entries if it.pattern.match(change.path)), None)
        above = self._above.get(change.path.lower())
        if found is not None or above is None or is_absent(change.after):
            return found
        return AutoRun(pattern=re.compile(""), reason=above)


def _where_it_runs(
    named: Sequence[tuple[ChangedPath, AutoRun]], case: ChangeCase, commits: Commits
) -> list[tuple[ChangedPath, AutoRun]]:
    """Leave out what only other files make run, where those are not there."""
    names: frozenset[str] = frozenset()
    if any(entry.beside for _, entry in named):
        paths = (file.path for file in commits.list(case.head))
        names = frozenset(path.rpartition("/")[2].lower() for path in paths)
    return [(change, entry) for change, entry in named if not entry.beside or entry.beside & names]


def _weight(finding: Finding) -> bool:
    return finding.severity is Severity.NOTE


def _finding(change: ChangedPath, entry: AutoRun) -> Finding:
    path = shown(change.path)
    if is_absent(change.after):
        said = f"{path!r} was removed: {entry.reason}."
        return Finding(
            rule="auto_run_file_removed", message=said, file=path, severity=Severity.NOTE
        )
    deed = "is new" if is_absent(change.before) else "was edited"
    if change.before == change.after or change.is_retyped:
        deed = "became another kind of file"
    return Finding(rule="auto_run_file", message=f"{path!r} {deed}: {entry.reason}.", file=path)


def _unless_equal(
    touched: Sequence[tuple[ChangedPath, AutoRun]], case: ChangeCase, commits: Commits
) -> Iterator[tuple[ChangedPath, AutoRun]]:
    """Leave out files of which only some keys count, where those did not change."""
    partly = {change.path for change, entry in touched if entry.keys and not change.is_retyped}
    before = dict(read_small(commits, case.base, partly)) if partly else {}
    after = dict(read_small(commits, case.head, partly)) if partly else {}
    for change, entry in touched:
        if change.path not in partly or _differs(change, entry, before, after):
            yield change, entry


def _differs(
    change: ChangedPath, entry: AutoRun, before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> bool:
    """Compare the keys that count; a file that cannot be read could hold anything."""
    for blob, contents in ((change.before, before), (change.after, after)):
        if not is_absent(blob) and change.path not in contents:
            return True
    old, new = (contents.get(change.path, b"") for contents in (before, after))
    return keys_differ(entry.form or "", entry.keys, old, new)


@cache
def table() -> tuple[AutoRun, ...]:
    """Return the files that run by themselves."""
    return parse(own_text("auto_run.yaml"))


def parse(text: str) -> tuple[AutoRun, ...]:
    """Understand a table of files; raise InvalidInput where it cannot be understood."""
    entries = load_table(text)
    if not isinstance(entries, list):
        raise InvalidInput("The table of files that run by themselves is no list.")
    return tuple(_entry(entry) for entry in entries)


def _entry(entry: object) -> AutoRun:
    if not isinstance(entry, dict) or not _KNOWN.issuperset(entry) or "paths" not in entry:
        raise InvalidInput(f"An entry has keys that are not known or lacks some: {entry!r}.")
    form, reason = entry.get("format"), entry.get("reason")
    if not isinstance(reason, str) or form not in (None, *FORMATS):
        raise InvalidInput(f"An entry has no reason or an unknown format: {entry!r}.")
    return AutoRun(
        pattern=path_pattern(map(str, entry["paths"])),
        reason=reason,
        form=form,
        keys=tuple(str(key) for key in entry.get("keys", ())),
        beside=frozenset(str(name) for name in entry.get("beside", ())),
        is_harness=entry.get("harness") is True,
    )


@cache
def _of_the_harness() -> tuple[AutoRun, ...]:
    return tuple(entry for entry in table() if entry.is_harness)


def harness_entry(path: str) -> AutoRun | None:
    """Return the entry that knows a path and says that it decides how tests are built and run."""
    return next((entry for entry in _of_the_harness() if entry.pattern.match(path)), None)


def _entry_of(path: str) -> AutoRun | None:
    """Return the first entry that knows the path; one reason is enough."""
    return next((entry for entry in table() if entry.pattern.match(path)), None)
