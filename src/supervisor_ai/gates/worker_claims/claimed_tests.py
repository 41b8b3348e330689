"""Whether the tests that a worker says it has written are there."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.gates.change.differences import is_test_path, shown
from supervisor_ai.gates.worker_claims.added_tests import AddedTests
from supervisor_ai.gates.worker_claims.claimed_paths import Paths

FALSE: Final = "false_test_claim"
_WORDS: Final = 50
"""How many words of a sentence are looked at."""
_STEPS: Final = re.compile(r"\s+[>\u203a\u00bb]\s+|::|(?<=\w)#(?=\w)")
_TOKENS: Final = re.compile(r"[\s,;()`'\"]+")
_PATH: Final = re.compile(r"^[^\s:]*[^\s:/]\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|swift)$")
_IDENTIFIER: Final = re.compile(r"^[A-Za-z_]\w*(?:\[.*\]|\(\))?$")
_TEST_NAME: Final = re.compile(r"^(?:test_\w+|[Tt]est[A-Z]\w*|\w+_test)$")


def false_tests(claims: Sequence[str], paths: Paths, text: AddedTests) -> Iterator[Finding]:
    """Compare the claimed tests with what the change adds."""
    for claim in claims:
        yield from _compared(claim, paths, text)


def named_files(claim: str, paths: Paths) -> list[str]:
    """Return the files that a claim about tests names."""
    return _named(claim, paths)[0]


def _compared(claim: str, paths: Paths, text: AddedTests) -> Iterator[Finding]:
    files, names = _named(claim, paths)
    if not files and not names and not text.has_added(claim.strip("`'\"")):
        said = f"The reported test {shown(claim)!r} names neither a file nor a test."
        yield Finding(rule="unclear_test_claim", message=said, severity=Severity.NOTE)
    for path in files:
        yield from _file(claim, path, paths)
    for name in names:
        yield from _name(claim, name, text)


def _file(claim: str, path: str, paths: Paths) -> Iterator[Finding]:
    said = f"The worker reports the test {shown(claim)!r}, but"
    if path not in paths.after and not paths.is_folder(path):
        yield Finding(rule=FALSE, message=f"{said} there is no such file.", file=shown(path))
    elif path in paths.after and path not in paths.changed:
        yield Finding(rule=FALSE, message=f"{said} the file was not changed.", file=shown(path))


def _name(claim: str, name: str, text: AddedTests) -> Iterator[Finding]:
    if text.has_added(name):
        return
    said = f"The worker reports the test {shown(claim)!r}, but"
    if name in text.nearby:
        message = f"{said} {shown(name)!r} was there before; only lines near it changed."
        yield Finding(
            rule="test_not_new", message=message, subject=shown(name), severity=Severity.NOTE
        )
    else:
        message = f"{said} {shown(name)!r} is no test in a line that the change adds."
        yield Finding(rule=FALSE, message=message, subject=shown(name))


def _named(claim: str, paths: Paths) -> tuple[list[str], list[str]]:
    """Find the files and the tests that a claim names."""
    whole = paths.find(claim)
    if whole in paths.after or paths.was_there(whole):
        return [whole], []
    steps = [step.strip(" `'\"") for step in _STEPS.split(claim)]
    if len(steps) > 1:
        first = paths.find(steps[0])
        is_file = first in paths.after or paths.was_there(first) or _PATH.match(first) is not None
        return ([first] if is_file else []), [_bare(steps[-1])]
    if _IDENTIFIER.match(claim):
        return [], [_bare(claim)]
    if not re.search(r"\s", claim) and ("/" in whole or _PATH.match(whole)):
        return [whole], []
    return _in_prose(claim, paths)


def _in_prose(claim: str, paths: Paths) -> tuple[list[str], list[str]]:
    tokens = [token.strip(".:!?") for token in _TOKENS.split(claim, _WORDS)[:_WORDS]]
    files = [paths.find(token) for token in tokens if _is_path(token, paths)]
    dotted = [token.rpartition(".")[2] for token in tokens]
    names = [name for name in dotted if _TEST_NAME.match(name)]
    return files, names


def _is_path(token: str, paths: Paths) -> bool:
    """Tell whether a word of a sentence is a path; `Node.js` and `and/or` are none."""
    path = paths.find(token)
    if path in paths.after or paths.was_there(path):
        return True
    return _PATH.match(path) is not None and ("/" in path or is_test_path(path))


def _bare(name: str) -> str:
    """Leave out parameters, calls, and what a name stands in."""
    name = name.strip()
    if " " in name:
        return name
    name = name.partition("[")[0].removesuffix("()")
    return re.split(r"[./]", name)[-1] or name
