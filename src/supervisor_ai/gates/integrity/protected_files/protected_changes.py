"""Finds edits of what decides whether tests run and count, by a role that may not make them."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from supervisor_ai.domain.run.gates import Area, Finding, Severity
from supervisor_ai.gates.integrity.change_sides import FileSides
from supervisor_ai.gates.integrity.protected_files.settings import (
    Settings,
    SettingsSource,
    sources_of,
)
from supervisor_ai.gates.integrity.protected_files.snapshots import (
    moved,
    only_adds,
    only_adds_lines,
)
from supervisor_ai.gates.integrity.protected_files.tables import (
    HARMLESS,
    LEAVING_OUT,
    NARROWING,
    RULES,
    STRICTER,
    WHOLE,
)
from supervisor_ai.tools.toml import TooMuchError

_OURS: Final = ".supervisor/"
_NUMBER: Final = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_TARGETS: Final = ("test", "bin", "example")
_LEFT_OUT: Final = re.compile(r'"(?:required-features|test|harness)": (?:false|\[[^\]]{0,200}\])')
_OTHER_BUILD: Final = re.compile(r"--cfg|debug-assertions|overflow-checks|panic")
_CHECKS: Final = ("profile.test.", "profile.dev.")
_LEAST: Final = ("fail_under", "statements", "branches", "functions", "lines", "fail-under")


def is_protected(path: str) -> bool:
    """Tell whether a file decides what is tested and how, or says so among other things."""
    return bool(sources_of(path)) or any(pattern.fullmatch(path) for _, pattern in WHOLE)


def protected_changes(
    files: Iterable[FileSides], may_change: Collection[Area]
) -> Iterator[Finding]:
    """Find what a role changed that it may not."""
    everything = tuple(files)
    kept = _kept_snapshots(everything)
    for file in everything:
        for area, pattern in WHOLE:
            is_kept = area is Area.SNAPSHOTS and file.path in kept
            if area not in may_change and pattern.fullmatch(file.path) and not is_kept:
                yield from _of_whole(file, area)
        for source in sources_of(file.path):
            if source.area not in may_change:
                yield from _of_settings(file, source)


def _kept_snapshots(files: Sequence[FileSides]) -> frozenset[str]:
    """Find the files of snapshots in which nothing is lost, and those that were only moved."""
    (pattern,) = (pattern for area, pattern in WHOLE if area is Area.SNAPSHOTS)
    snapshots = [file for file in files if pattern.fullmatch(file.path) and not file.is_retyped]
    grown = frozenset(file.path for file in snapshots if only_adds(file))
    return grown | moved(snapshots)


def _of_whole(file: FileSides, area: Area) -> Iterator[Finding]:
    """Look at a file that is about nothing else; a new one takes nothing away."""
    if file.before is None and not file.is_retyped:
        if area is not Area.SNAPSHOTS:
            is_ours = file.path.startswith(_OURS)
            severity = Severity.ERROR if is_ours else Severity.NOTE
            yield _finding(file, area, f"{file.path!r} is new", severity=severity)
        return
    is_grown = area is Area.SNAPSHOTS and not file.is_retyped and only_adds_lines(file)
    severity = Severity.NOTE if is_grown else Severity.ERROR
    deed = "was deleted" if file.after is None else "got more lines" if is_grown else "was changed"
    yield _finding(file, area, f"{file.path!r} {deed}", severity=severity)


def _of_settings(file: FileSides, source: SettingsSource) -> Iterator[Finding]:
    try:
        before, after = settings_of(file.before, source), settings_of(file.after, source)
    except TooMuchError as error:
        yield _finding(file, source.area, f"{file.path!r} could not be looked at ({error})")
        return
    if before is None:
        return
    if after is None:
        yield _finding(file, source.area, f"{file.path!r} can no longer be read")
        return
    for key in sorted({*before, *after}):
        old, new = before.get(key), after.get(key)
        if old != new:
            severity = _weight(key, old, new)
            if severity is not None:
                yield _finding(file, source.area, _told(file, key, old, new), key, severity)


def settings_of(contents: bytes | None, source: SettingsSource) -> Settings | None:
    """Return the settings of a side; None where nobody, and so no runner, can understand them."""
    import configparser

    try:
        return source.read((contents or b"").decode()) if contents else {}
    except TooMuchError:
        raise
    except (ValueError, RecursionError, configparser.Error):
        return None


def _weight(key: str, old: str | None, new: str | None) -> Severity | None:
    """Say how much a changed setting weighs: nothing where it can only ask for more."""
    if key in _TARGETS:
        return _weight_of_targets(old or "", new or "")
    if key.startswith(_CHECKS):
        return Severity.ERROR if new in ("false", "abort") else None
    if key == "features.default":
        lost = set(_words(old or "")) - set(_words(new or ""))
        return Severity.ERROR if lost and new else None
    if old is None:
        return _weight_of_new(key, new or "")
    if new is None:
        return Severity.ERROR
    if key.rpartition(".")[2] in _LEAST and _is_more(old, new):
        return None
    if key.startswith(("target ", "scripts.")) and _asks_for_more(old, new):
        return Severity.NOTE
    if key.endswith("addopts"):
        return _weight_of_options(old, new)
    return Severity.ERROR


def _weight_of_targets(old: str, new: str) -> Severity | None:
    """Weigh which targets are no longer tested as usual."""
    added = {*_LEFT_OUT.findall(new)} - {*_LEFT_OUT.findall(old)}
    if added or new.count("false") > old.count("false"):
        return Severity.ERROR
    return Severity.NOTE if old else None


def _weight_of_new(key: str, new: str) -> Severity | None:
    if key.startswith(("target ", "scripts.")):
        return None
    name = key.rpartition(".")[2]
    if name in LEAVING_OUT or NARROWING.search(new):
        return Severity.ERROR
    if key.endswith(".runner") or (key.endswith("flags") and _OTHER_BUILD.search(new)):
        return Severity.ERROR
    if key.startswith("lib.") or (name in _LEAST and _NUMBER.fullmatch(new)):
        return Severity.ERROR if new == "false" else None
    return Severity.NOTE


def _asks_for_more(old: str, new: str) -> bool:
    """Tell whether a command only got options that make it stricter or let it run more."""
    rest = iter(new.split())
    added: list[str] = []
    for word in old.split():
        for other in rest:
            if other == word:
                break
            added.append(other)
        else:
            return False
    return all(map(STRICTER.fullmatch, [*added, *rest]))


def _weight_of_options(old: str, new: str) -> Severity | None:
    lost = HARMLESS.sub("", " ".join(sorted(set(_words(old)) - set(_words(new)))))
    added = " ".join(sorted(set(_words(new)) - set(_words(old))))
    if lost.strip() or NARROWING.search(f" {added} "):
        return Severity.ERROR
    return None


def _words(options: str) -> list[str]:
    return re.findall(r"[^\s\"'\[\],]+", options)


def _is_more(old: str, new: str) -> bool:
    if not (_NUMBER.fullmatch(old) and _NUMBER.fullmatch(new)):
        return False
    return float(new) >= float(old)


def _told(file: FileSides, key: str, old: str | None, new: str | None) -> str:
    if new is None:
        return f"{key!r} was removed from {file.path!r}"
    if old is None:
        return f"{key!r} was added to {file.path!r}"
    return f"{key!r} was changed in {file.path!r}"


def _finding(
    file: FileSides,
    area: Area,
    what: str,
    subject: str | None = None,
    severity: Severity = Severity.ERROR,
) -> Finding:
    rule, meaning = RULES[area]
    return Finding(
        rule=rule,
        message=f"{what}; it decides {meaning}.",
        file=file.path,
        subject=subject,
        severity=severity,
    )
