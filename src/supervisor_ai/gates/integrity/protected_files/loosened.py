"""Finds settings of linters and type checkers that ask for less than before."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from supervisor_ai.domain.run.gates import Area, Finding, Severity
from supervisor_ai.gates.integrity.change_sides import FileSides
from supervisor_ai.gates.integrity.protected_files.lint_files import lint_reader
from supervisor_ai.gates.integrity.protected_files.protected_changes import settings_of
from supervisor_ai.gates.integrity.protected_files.settings import Settings, SettingsSource
from supervisor_ai.tools.toml import TooMuchError

_GROWING: Final = re.compile(
    r"(?:.*[._-])?(?:ignore|ignores|ignorepatterns|disable|disabled|disable_error_code|exclude"
    r"|excludes|exclusions|exclude-\w+|skip-dirs|skip-files|skips|ignored-\w+)"
)
_SHRINKING: Final = re.compile(
    r"(?:extend-)?(?:select|enable|enable_error_code|extends|plugins|load-plugins|include)"
)
_STRICT: Final = re.compile(
    r"strict\w*|disallow_\w+|warn_\w+|check_untyped_defs|no_implicit\w*|extra_checks"
    r"|noimplicit\w*|nounused\w*|nounchecked\w*|nofallthrough\w*|nopropertyaccess\w*"
    r"|exactoptional\w*|alwaysstrict|useunknown\w*|default-\w+|enable-all"
)
_LOOSE: Final = re.compile(
    r"ignore_errors|ignore_missing_imports|skiplibcheck|nocheck|suppress\w*|allow_untyped\w*"
    r"|allowunreachablecode|allowunusedlabels|disable-all|exit-zero|implicit_optional"
)
_LEVELS: Final = {
    **dict.fromkeys(("off", "none", "allow", "0", "false", "skip", "silent"), 0),
    **dict.fromkeys(("hint", "info", "information", "basic"), 1),
    **dict.fromkeys(("warn", "warning", "1", "standard", "normal"), 2),
    **dict.fromkeys(("error", "deny", "2", "true", "on", "strict"), 3),
    "forbid": 4,
}
_LEVELLED: Final = re.compile(
    r"(?:.*\.)?(?:rules\..+|report\w+|typecheckingmode|follow_imports|lints\..+|rust\..+|clippy\..+|rustdoc\..+)"
)
_IGNORED: Final = re.compile(r'"ignore_errors": true|"(?:off|none|allow)"')
_LENIENT: Final = re.compile(
    r"tests?\b|spec\b|conftest|examples?\b|docs?\b|migrations?\b|dist\b|build\b|node_modules|vendor"
    r"|generated|coverage\b|\bout\b|_pb2",
    re.IGNORECASE,
)
"""What linters are told to look at less closely every day."""
_WORD: Final = re.compile(r"[^\s\"'\[\],]+")
_ONE_MODULE: Final = "mypy-"
_TRUE: Final = ("true", "yes", "on", "1")


def loosened_settings(
    files: Iterable[FileSides], may_change: Collection[Area]
) -> Iterator[Finding]:
    """Find what a role that may not change the gates asks less of the code."""
    known = [file for file in files if lint_reader(file.path) is not None]
    for file in known if Area.GATES not in may_change else ():
        before, after = _read(file.path, file.before), _read(file.path, file.after)
        if after is None and before is not None:
            yield _finding(file, f"{file.path!r} can no longer be read")
        elif before and file.after is None and not _has_heir(file, known):
            yield _finding(file, f"{file.path!r} was deleted")
        elif before is not None and file.before is not None:
            yield from _of_settings(file, before, after or {})


def _of_settings(file: FileSides, before: Settings, after: Settings) -> Iterator[Finding]:
    for key in sorted({*before, *after}):
        severity = _weight(key, before.get(key), after.get(key), after)
        if severity is not None:
            yield _finding(file, f"{key!r} changed in {file.path!r}", key, severity)


def _read(path: str, contents: bytes | None) -> Settings | None:
    """Return the settings of a side; None where nobody, and so no checker, can understand them."""
    read = lint_reader(path)
    try:
        return None if read is None else settings_of(contents, SettingsSource(Area.GATES, read))
    except TooMuchError:
        return None


def _has_heir(gone: FileSides, files: Iterable[FileSides]) -> bool:
    """Tell whether the settings of a file that is gone may stand in another one now."""
    others = (file for file in files if file.path != gone.path and file.after != file.before)
    return any(_read(file.path, file.after) for file in others)


def _finding(
    file: FileSides, what: str, subject: str | None = None, severity: Severity = Severity.ERROR
) -> Finding:
    return Finding(
        rule="lint_loosened",
        message=f"{what}: linters or type checkers ask less of the code than before.",
        file=file.path,
        subject=subject,
        severity=severity,
    )


def _weight(key: str, old: str | None, new: str | None, after: Settings) -> Severity | None:
    """Say how much a changed setting weighs; nothing where it asks for as much, or more."""
    if old == new:
        return None
    name, whole = key.rpartition(".")[2].lower(), key.lower()
    if "per-file-ignores" in whole or _GROWING.fullmatch(name):
        return _of_more(whole, old or "", new or "")
    if name == "overrides":
        return Severity.ERROR if _ignored(new) > _ignored(old) else None
    if _SHRINKING.fullmatch(name):
        return Severity.ERROR if old and _words(old) - _words(new or "") else None
    if _LEVELLED.fullmatch(whole):
        return _of_level(old, new)
    if _STRICT.fullmatch(name):
        return _of_strict(old, new, after)
    if _LOOSE.fullmatch(name) and (new or "").lower() in _TRUE:
        return Severity.NOTE if key.startswith(_ONE_MODULE) else Severity.ERROR
    return None


def _of_more(key: str, old: str, new: str) -> Severity | None:
    added = _words(new) - _words(old)
    if not added:
        return None
    is_usual = _LENIENT.search(key) or all(map(_LENIENT.search, added))
    return Severity.NOTE if is_usual else Severity.ERROR


def _of_level(old: str | None, new: str | None) -> Severity | None:
    then, now = _level(old), _level(new)
    if now is None or (then is None and now > 0):
        return Severity.NOTE if then else None
    return Severity.ERROR if then is None or now < then else None


def _level(value: str | None) -> int | None:
    words = _WORD.findall((value or "").lower())
    return _LEVELS.get(words[0]) if words else None


def _of_strict(old: str | None, new: str | None, after: Settings) -> Severity | None:
    if (new or "").lower() in _TRUE:
        return None
    if new is None:
        is_strict = any(
            key.lower().endswith(".strict") and value.lower() in _TRUE
            for key, value in after.items()
        )
        return Severity.ERROR if (old or "").lower() in _TRUE and not is_strict else None
    return Severity.ERROR


def _ignored(overrides: str | None) -> int:
    return len(_IGNORED.findall(overrides or ""))


def _words(value: str) -> set[str]:
    return set(_WORD.findall(value))
