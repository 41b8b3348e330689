"""Packing with the command `repomix`, on a copy without secrets and never by a foreign setting."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from supervisor_ai.context.elements import unescaped
from supervisor_ai.context.native_packer import NativePacker, Packed
from supervisor_ai.context.parts import ContextPart
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.context_plan import Detail, PackedContext
from supervisor_ai.engine.ports.context import PackRequest
from supervisor_ai.tools.programs import find_program, search_path

_TRIES: Final = 6
_CAUTION: Final = 0.9
_PATIENCE_SECONDS: Final = 300
_MESSAGE_LENGTH: Final = 500
_OBEYED: Final = {".gitignore", ".ignore", ".repomixignore", ".gitattributes"}
"""Files that could tell repomix what to leave out: they are shown in our own form."""
_WHOLE: Final = {Detail.FULL, Detail.OUTLINE}
_SETTINGS: Final = {
    "output": {
        "style": "xml",
        "parsableStyle": True,
        "fileSummary": False,
        "directoryStructure": False,
        "files": True,
        "removeComments": False,
        "compress": False,
        "copyToClipboard": False,
        "git": {"sortByChanges": False, "includeDiffs": False, "includeLogs": False},
    },
    "include": ["**/*"],
    "ignore": {
        "useGitignore": False,
        "useDotIgnore": False,
        "useDefaultPatterns": False,
        "customPatterns": [],
    },
    "security": {"enableSecurityCheck": False},
}
"""Secrets are out before repomix sees a file; its own check would drop whole files."""


class RepomixPacker:
    """Chooses and redacts as the native packer does, and lets repomix write the files."""

    def __init__(self, native: NativePacker, command: Sequence[str] = ("repomix",)) -> None:
        self._native = native
        self._command = tuple(command)

    async def pack(self, request: PackRequest) -> PackedContext:
        """Gather, redact, count and prune; then let repomix write."""
        import asyncio  # Whoever packs in this thread has no need of it.

        return await asyncio.to_thread(self.pack_now, request)

    def pack_now(self, request: PackRequest) -> PackedContext:
        """Pack in this thread, with less and less until what repomix writes fits the budget."""
        program = self._program()
        budget = request.plan.token_budget
        room = budget
        for _ in range(_TRIES):
            packed = self._native.select(request, room)
            context = self._context(packed, [program, *self._command[1:]])
            if context.tokens <= budget:
                return context
            room = int(room * budget / context.tokens * _CAUTION)
        return self._context(self._native.select(request, 0), [program, *self._command[1:]])

    def _program(self) -> str:
        found = find_program(self._command[0], os.environ.get("PATH"))
        if found is None:
            raise Unavailable(
                f"The packer 'repomix' needs the program {self._command[0]!r}, "
                "which was not found.",
                hint="Install it (`npm install -g repomix`) or use `packer: native`.",
            )
        return found

    def _context(self, packed: Packed, command: list[str]) -> PackedContext:
        shown = packed.shown()
        copied = [(part, text) for part, detail, text in shown if _is_copied(part, detail)]
        ours = [text for part, detail, text in shown if not _is_copied(part, detail)]
        text = _written(copied, command) + "".join(ours)
        return PackedContext(
            text=text,
            tokens=packed.counter.tokens(packed.counter.measure(text)),
            budget=packed.budget,
            items=tuple(packed.items()),
            counter=packed.counter.name,
        )


def _is_copied(part: ContextPart, detail: Detail) -> bool:
    path = PurePosixPath(part.name)
    is_plain = ".." not in path.parts and not path.is_absolute() and ".git" not in path.parts
    is_file = part.tag == "file" and detail in _WHOLE
    return is_file and is_plain and part.name.isprintable() and path.name not in _OBEYED


def _written(copied: Sequence[tuple[ContextPart, str]], command: list[str]) -> str:
    """Let repomix write files, from a directory in which there is nothing else."""
    if not copied:
        return ""
    with TemporaryDirectory(prefix="supervisor-repomix-") as name:
        place = Path(name)
        for part, text in copied:
            file = place / "files" / part.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(unescaped(_body(text)))
        output = place / "output.xml"
        config = place / "repomix.config.json"
        config.write_text(json.dumps(_SETTINGS))
        _run([*command, "-c", str(config), "-o", str(output), "--quiet", "files"], place)
        return output.read_text().rstrip("\n") + "\n"


def _body(text: str) -> str:
    """Return what stands between the first and the last line of an element."""
    return text[text.index("\n") + 1 : text.rindex("\n", 0, -1) + 1]


def _run(command: list[str], place: Path) -> None:
    environment = {"PATH": search_path(os.environ.get("PATH")), "HOME": str(place)}
    try:
        done = subprocess.run(
            command,
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            start_new_session=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"The program 'repomix' could not be run: {error}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode(errors="replace")
        shown = " ".join(word for word in said.split() if word.isprintable())
        raise Unavailable(
            f"The program 'repomix' ended with {done.returncode}: {shown[:_MESSAGE_LENGTH]}"
        )
