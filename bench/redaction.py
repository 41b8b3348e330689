"""How fast secrets are taken out of ordinary code, and how much of it is taken for a secret.

Run: .venv/bin/python bench/redaction.py DIRECTORY...
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from supervisor_ai.domain.redaction.redacted import SecretFinding
from supervisor_ai.domain.redaction.redactor import RuleRedactor

MEGABYTE = 1_000_000


def texts(directory: Path) -> Iterator[str]:
    """Read the files that hold text."""
    for path in sorted(directory.rglob("*")):
        if path.is_file() and not path.is_symlink() and b"\0" not in (content := path.read_bytes()):
            yield content.decode(errors="replace")


def measure(directory: Path) -> str:
    """Redact every file and say what it took."""
    rules: Counter[str] = Counter()

    def note(finding: SecretFinding) -> None:
        rules[finding.rule] += 1

    redactor = RuleRedactor(key=b"bench")
    size, seconds = 0, 0.0
    for text in texts(directory):
        begun = time.process_time()
        stream = redactor.stream(note)
        stream.feed(text)
        stream.close()
        seconds += time.process_time() - begun
        size += len(text)
    megabytes = size / MEGABYTE
    return (
        f"{directory.name}: {megabytes:.1f} MB, {megabytes / seconds:.1f} MB per CPU second, "
        f"{rules.total()} findings, {rules.total() / megabytes:.2f} per MB, {dict(rules)}"
    )


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(measure(Path(name)))
