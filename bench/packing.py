"""Packs in a process of its own and says what it cost without the start of the interpreter.

Run: .venv/bin/python -m bench.packing GIT_DIRECTORY PATTERN CACHE
"""

import json
import resource
import sys
import time
from pathlib import Path
from typing import Final

from supervisor_ai.context.code_reader import native_reader
from supervisor_ai.context.native_packer import NativePacker
from supervisor_ai.context.pack_cache import PackCache
from supervisor_ai.context.packer_choice import estimating
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run.context_plan import ContextPlan, Source, SourceKind
from supervisor_ai.engine.ports.context import PackRequest
from supervisor_ai.workspaces.commits.commit_files import CommitFiles
from supervisor_ai.workspaces.repositories.git import Git

BUDGET: Final = 100_000_000
"""More than there is: nothing is pruned, as the others cannot prune."""


def pack(git_directory: Path, pattern: str, cache: Path) -> dict[str, float]:
    """Pack in this process and report what it cost without the start of the interpreter."""
    git = Git(directory=git_directory)

    def ask(*arguments: str, stdin: bytes = b"") -> bytes:
        return git.run(*arguments, stdin=stdin).output

    kept = PackCache(cache, "bench")
    packer = NativePacker(
        files=CommitFiles(ask),
        redactor=RuleRedactor(),
        cache=kept,
        counter=estimating(kept),
        code=native_reader,
    )
    head = CommitSha(ask("rev-parse", "HEAD").decode().strip())
    source = Source(kind=SourceKind.FILES, patterns=(pattern,))
    plan = ContextPlan(strategy="bench", sources=(source,), token_budget=BUDGET)
    request = PackRequest(plan=plan, commit=head, base=head, task="", model="gpt-5")
    begun = _spent()
    packed = packer.pack_now(request)
    return {"cpu": _spent() - begun, "files": len(packed.items), "tokens": packed.tokens}


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    print(json.dumps(pack(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
