"""How fast secrets are taken out of ordinary code, and how much of it is taken for a secret.

The second number is that of the whole way of a command's output: pieces as they come from a pipe
are decoded, made plain, redacted, hashed and written, in the thread of a transcript.

Run: .venv/bin/python -m bench redaction, or .venv/bin/python -m bench.redaction DIRECTORY...
"""

import asyncio
import importlib.util
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from supervisor_ai.domain.redaction.redacted import SecretFinding
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.engine.ports.sandbox import Channel
from supervisor_ai.engine.transcript import Transcript
from supervisor_ai.store.files.artifacts import FileArtifacts

MEGABYTE = 1_000_000
PIECE = 1 << 16
OUTPUT = 16 * MEGABYTE
CODE = ("hypothesis", "pydantic", "pygments")
ROUNDS = 3
GOAL = 60
WHY = """
Pieces of 64 KiB are decoded, made plain, redacted, hashed and written, in a thread; the lowest and
the highest of 3 rounds. Of a round, half is the one look of the linear matcher at everything, the
rest the search for control characters, the rules on the lines that are left, hashing and writing.
However long it takes, the loop goes on (`tests/integration/engine/test_transcript.py`)."""


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


async def print_all(output: bytes, directory: Path) -> float:
    """Let a command print something, and return the CPU seconds until it is kept."""
    transcript = Transcript(FileArtifacts(directory), RuleRedactor(key=b"bench"), lambda _: None)
    begun = time.process_time()
    for at in range(0, len(output), PIECE):
        if pause := transcript.write(Channel.STDOUT, output[at : at + PIECE]):
            await pause
    await transcript.finish()
    return time.process_time() - begun


def redaction() -> Iterator[str]:
    """Say what the whole way of a command's output takes, for ordinary code."""
    yield f"Load of the machine: {os.getloadavg()[0]:.1f}.\n"
    yield "| code of | the whole way of 16 MB: MB per CPU second | goal |\n|---|---:|---:|"
    for name in CODE:
        found = importlib.util.find_spec(name)
        if found is not None and found.origin is not None:
            rounds = [whole_way(Path(found.origin).parent) for _ in range(ROUNDS)]
            yield f"| {name} | {min(rounds):.0f} - {max(rounds):.0f} | {GOAL} |"
    yield WHY


def whole_way(directory: Path) -> float:
    """Print the files again and again; return the megabytes that a CPU second takes."""
    once = "".join(texts(directory)).encode(errors="replace")
    output = (once * (1 + OUTPUT // len(once)))[:OUTPUT]
    with tempfile.TemporaryDirectory() as place:
        seconds = asyncio.run(print_all(output, Path(place)))
    return OUTPUT / MEGABYTE / seconds


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(measure(Path(name)))
        print(f"{name}, the whole way: {whole_way(Path(name)):.1f} MB per CPU second")
