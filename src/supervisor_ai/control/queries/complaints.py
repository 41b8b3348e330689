"""The one line of a program's last words that tells most."""

import re
from typing import Final

_WORDS: Final = 16 << 10
_LONGEST: Final = 600
_NOISE: Final = re.compile(
    r"\s*$|\s*[\^~|\-=*+]+\s*$|\s*[{}()\[\],;]+\s*$"
    r"|Node\.js v\d|Bun v\d|\s+at\s|\s+File \"|\s*\.\.\. \d+ more|\s*\.{3}"
    r"|Traceback \(most recent call last\)|goroutine \d+ \[|exit status \d+$|\[signal "
    r"|note: (?:run with|some details)|stack backtrace|For more information|See '.* --help'"
    r"|npm (?:ERR!|error)(?: A complete log|  +\S|\s*$| (?:code|errno|syscall|path|command|cwd) )"
    r"|\s*(?:code|errno|syscall|requireStack|path|spawnargs): |error Command failed with exit code"
    r"|(?:make|gmake)(?:\[\d+\])?: \*\*\*|Aborted|Killed$",
    re.IGNORECASE,
)
_RUST: Final = re.compile(r"thread '.*' (?:\(\d+\) )?panicked at (?P<where>.*):$")
_TELLING: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"panic: |fatal error: |thread '.*' panicked at |SIGSEGV|Segmentation fault",
        r"Caused by: \S",
        r"(?:Uncaught |Unhandled |Exception in thread \S+ )?[\w$.]*(?:Error|Exception)"
        r"(?: \[\w+\])?:\s*\S",
        r"(?i:npm (?:ERR!|error) (?:code )?\S)",
        r".*(?i:command not found|: not found$|no such file or directory|exec format error"
        r"|cannot execute|bad interpreter|permission denied|error while loading shared libraries)",
        r"(?i:(?:\[?[\w./@-]+\]?:? )?\[?(?:error|fatal|err|critical|panic)\]?\s*[:!\]]\s*\S)",
        r"[\w$.]*(?:Error|Exception)$",
        r"(?i:.*\b(?:error|failed|failure|cannot|could not|unable to|invalid|missing)\b)",
    )
)
"""How runtimes and shells begin the line that counts, from the most to the least certain."""
_BEGINNINGS: Final = frozenset({0, 3})
"""The kinds of which the first line counts, since what follows are consequences."""


def telling_line(text: str) -> str:
    """Return the line that says why a program ended; nothing where it says nothing."""
    lines = [line.rstrip()[:_LONGEST] for line in text[-_WORDS:].splitlines()]
    said = [line for line in _joined(lines) if not _NOISE.match(line)]
    for place, pattern in enumerate(_TELLING):
        found = [line for line in said if pattern.match(line.lstrip())]
        if found:
            return found[0 if place in _BEGINNINGS else -1].strip()
    return said[-1].strip() if said else ""


def _joined(lines: list[str]) -> list[str]:
    """Put the message of a Rust panic, which stands on a line of its own, behind its place."""
    following = [*lines[1:], ""]
    return [
        f"{line} {after}" if _RUST.match(line) else line
        for line, after in zip(lines, following, strict=False)
    ]
