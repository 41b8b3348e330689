"""What it costs to choose documents for a worker from a store of 2,000.

Run: .venv/bin/python -m bench.knowledge
"""

import os
import random
import resource
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from supervisor_ai.bootstrap.adapters import find_repository, make_library
from supervisor_ai.bootstrap.projects import read_settings
from supervisor_ai.context.knowledge.library import KnowledgeLibrary
from supervisor_ai.domain.knowledge.selection import InjectedKnowledge, KnowledgePlan
from supervisor_ai.engine.ports.knowledge import KnowledgeRequest

GIT: Final = shutil.which("git") or "git"
DOCUMENTS: Final = 2_000
ROUNDS: Final = 25
GOAL: Final = 50
AREAS: Final = ("conventions", "design", "lessons", "domain")
WORDS: Final = [
    f"{word}{ending}"
    for word in ("order", "invoice", "payment", "colony", "entity", "parser", "cache", "worker")
    for ending in ("", "s", "ing", "er")
]
TASK: Final = "Parse payments of the invoices, so that entities of the colony are cached"


def knowledge() -> Iterator[str]:
    """Time the first choice from a store, and further ones."""
    with tempfile.TemporaryDirectory() as name:
        yield from measure(Path(name))


def measure(directory: Path) -> Iterator[str]:
    """Write so many documents, commit them, then choose as a run does."""
    repository, chance = directory / "repository", random.Random(7)  # noqa: S311 - no secret
    for number in range(DOCUMENTS):
        file = repository / "docs/knowledge" / AREAS[number % 4] / f"document_{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_document(number, chance))
    for arguments in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "-m", "store")):
        names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run([GIT, "-C", repository, *names, *arguments], check=True)
    own = {
        "SUPERVISOR_STATE": str(directory / "state"),
        "SUPERVISOR_CONFIG": str(directory / "own"),
    }
    settings = read_settings({**os.environ, **own})
    found = find_repository(repository, settings)
    library = make_library(found, settings)
    request = KnowledgeRequest(
        plan=KnowledgePlan(), commit=found.resolve(None).sha, task=TASK, model="claude"
    )
    choices = [_timed(library, request) for _ in range(ROUNDS + 1)]
    times, told = [it for it, _ in choices], choices[-1][1]
    shown = sum(it.is_shown for it in told.items)
    yield f"A store of {DOCUMENTS:,} documents; {shown} of them take {told.tokens:,} tokens.\n"
    yield "| what | ms | goal |\n|---|---:|---:|"
    yield f"| the first choice: read, redact, index, choose | {times[0]:.0f} | |"
    yield f"| a further one, median of {ROUNDS} | {statistics.median(times[1:]):.0f} | {GOAL} |"
    yield f"| a further one, the slowest of {ROUNDS} | {max(times[1:]):.0f} | {GOAL} |"
    yield "\nCPU time of the process and of the git that it starts, inside a process that stays."


def _timed(library: KnowledgeLibrary, request: KnowledgeRequest) -> tuple[float, InjectedKnowledge]:
    before = _cpu()
    told = library.select_now(request)
    return (_cpu() - before) * 1000, told


def _document(number: int, chance: random.Random) -> str:
    rules = "\n".join(
        f"{rule}. Use {chance.choice(WORDS)} with {chance.choice(WORDS)}, never in "
        f"{chance.choice(WORDS)}"
        for rule in range(1, 6)
    )
    title = f"{chance.choice(WORDS)} {chance.choice(WORDS)} {number}"
    return f"# {title}\n\n_Status: established_\n\n## Rules\n\n{rules}\n"


def _cpu() -> float:
    used = [resource.getrusage(it) for it in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(it.ru_utime + it.ru_stime for it in used)


if __name__ == "__main__":
    print("\n".join(knowledge()))
