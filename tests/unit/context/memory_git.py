"""A repository in memory that answers the questions of the packer, and a reader of toy code."""

import hashlib
import re
from collections.abc import Callable, Mapping

from supervisor_ai.context.code_reader import CodeReader
from supervisor_ai.context.native_packer import NativePacker
from supervisor_ai.context.pack_cache import PackCache
from supervisor_ai.context.tokens import Estimator, TokenCounter, family_of
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.redaction.redacted import Redacted
from supervisor_ai.domain.run.context_plan import ContextPlan, Source
from supervisor_ai.engine.ports.context import PackRequest
from supervisor_ai.workspaces.commits.commit_files import CommitFiles

HEAD = CommitSha("head")
LINE = "import "


class MemoryGit:
    """Answers about one commit without changes."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.blobs = {hashlib.sha1(text).hexdigest(): text for text in files.values()}  # noqa: S324 - as git names it
        self.asked: list[str] = []

    def __call__(self, *arguments: str, stdin: bytes = b"") -> bytes:
        self.asked.append(arguments[0])
        match arguments[0]:
            case "ls-tree":
                return b"".join(self._entry(path) for path in sorted(self.files))
            case "cat-file":
                return b"".join(self._blob(name.decode()) for name in stdin.split())
            case _:
                return b""

    def _entry(self, path: str) -> bytes:
        text = self.files[path]
        name = hashlib.sha1(text).hexdigest()  # noqa: S324 - as git names it
        return f"100644 blob {name} {len(text):7}\t{path}\0".encode()

    def _blob(self, name: str) -> bytes:
        text = self.blobs[name]
        return f"{name} blob {len(text)}\n".encode() + text + b"\n"


class ToyRedactor:
    """Knows two kinds of secrets: words that begin with `key-`, and what stands between marks."""

    def redact(self, text: str) -> Redacted:
        text, words = re.subn(r"key-\w+", "[REDACTED:word]", text)
        text, blocks = re.subn(r"(?s)BEGIN.*?END", "[REDACTED:block]", text)
        return Redacted(text=text, count=words + blocks)


class ToyImports:
    """Understands lines of the form `import path`."""

    def __init__(self, files: Mapping[str, Callable[[], str]]) -> None:
        self.files = files

    def resolve(self, path: str) -> tuple[str, ...]:
        lines = self.files[path]().splitlines()
        return tuple(line.removeprefix(LINE) for line in lines if line.startswith(LINE))


def toy_outline(path: str, text: str) -> str | None:
    if not path.endswith(".py"):
        return None
    return "\n".join(line for line in text.splitlines() if line.startswith("def "))


def toy_api(path: str, text: str) -> str | None:
    outline = toy_outline(path, text)
    return None if outline is None else f"offers\n{outline}"


def toy_reader() -> CodeReader:
    return CodeReader(outline=toy_outline, public_api=toy_api, imports=ToyImports)


def estimator(model: str) -> TokenCounter:
    return Estimator(family=family_of(model))


def packer(git: MemoryGit, *, cache: PackCache | None = None) -> NativePacker:
    return NativePacker(
        files=CommitFiles(git),
        redactor=ToyRedactor(),
        cache=cache or PackCache(None, "1"),
        counter=estimator,
        code=toy_reader,
    )


def request(*sources: Source, budget: int = 100_000, **more: object) -> PackRequest:
    """Ask for some sources; what else is asked goes by its name to the plan or to the request."""
    exclude = more.pop("exclude", ())
    assert isinstance(exclude, tuple)
    plan = ContextPlan(strategy="test", sources=sources, token_budget=budget, exclude=exclude)
    asked: dict[str, object] = {"task": "", "base": HEAD, "commit": HEAD} | more
    return PackRequest(plan=plan, **asked)  # type: ignore[arg-type] # a test names what exists
