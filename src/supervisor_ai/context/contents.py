"""File contents as a worker may see them: clean, redacted, measured, and made only once."""

from collections.abc import Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Final, Protocol

from supervisor_ai.context.code_reader import CodeReader
from supervisor_ai.context.elements import escaped, unescaped, without_controls
from supervisor_ai.context.pack_cache import PackCache, Shown
from supervisor_ai.context.tokens import TokenCounter
from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.redaction.redacted import Redacted

_BINARY_LOOK: Final = 8000
_NOTHING: Final = Shown("", 0, ())


class Redacting(Protocol):
    """Knows what secrets look like."""

    def redact(self, text: str) -> Redacted:
        """Take the secrets out of a text, the same text always in the same way."""
        ...


class Form(StrEnum):
    """How a file's content is shown."""

    WHOLE = "whole"
    OUTLINE = "outline"
    PUBLIC_API = "api"


class Contents:
    """Makes what is shown of files; what was made before comes from the cache."""

    def __init__(
        self,
        *,
        files: Commits,
        redactor: Redacting,
        cache: PackCache,
        counter: TokenCounter,
        code: CodeReader,
    ) -> None:
        self.files = files
        self._redactor = redactor
        self._cache = cache
        self._counter = counter
        self._code = code
        self._known: dict[str, Shown] = {}
        self._made: dict[str, Shown] = {}

    def load(self, files: Sequence[CommitFile], form: Form = Form.WHOLE) -> None:
        """Bring files into memory, from the cache or from the repository."""
        wanted = {self._key(file, form): file for file in files}
        missing = [key for key in wanted if key not in self._known]
        self._known |= self._cache.find(missing)
        if form is Form.WHOLE:
            unknown = [wanted[key] for key in missing if key not in self._known]
            for file, content in self.files.read(unknown):
                self._remember(self._key(file, form), self._whole(content))

    def get(self, file: CommitFile, form: Form) -> Shown | None:
        """Return a file in a form; None where there is no such form of it."""
        key = self._key(file, form)
        if key not in self._known:
            self.load([file], form)
        if key not in self._known:
            self._remember(key, self._derived(file, form))
        shown = self._known[key]
        return shown if shown.measure else None

    def text(self, file: CommitFile) -> str:
        """Return a file's text without its secrets; of what is not text, nothing."""
        shown = self.get(file, Form.WHOLE)
        return unescaped(shown.body) if shown else ""

    def shown(self, text: str) -> Shown:
        """Make a text fit to be shown that is no file's."""
        redacted = self._redactor.redact(without_controls(text))
        return self._measured(redacted.text, redacted.count)

    def name(self, path: str) -> str:
        """Return a name as it may be shown and recorded; a secret can stand in it, too."""
        return self._redactor.redact(path).text

    def derived(self, text: str, redactions: int = 0) -> Shown:
        """Measure what was made of a text that is redacted already."""
        return self._measured(text, redactions)

    def keep(self) -> None:
        """Put what was made into the cache."""
        self._cache.keep(self._made.items())
        self._made = {}

    def secret_lines(self, files: Sequence[CommitFile]) -> dict[str, frozenset[str]]:
        """Return, by content, the lines of files that hold a secret or a part of one."""
        self.load(files)
        suspects = [file for file in files if self._has_secrets(file)]
        return {file.blob: self._secrets_of(content) for file, content in self.files.read(suspects)}

    def _has_secrets(self, file: CommitFile) -> bool:
        shown = self.get(file, Form.WHOLE)
        return shown is not None and shown.redactions > 0

    def _secrets_of(self, content: bytes) -> frozenset[str]:
        text = without_controls(content.decode(errors="replace"))
        left = self._redactor.redact(text).text
        return frozenset(text.split("\n")) - frozenset(left.split("\n"))

    def _whole(self, content: bytes) -> Shown:
        return _NOTHING if _is_binary(content) else self.shown(content.decode(errors="replace"))

    def _derived(self, file: CommitFile, form: Form) -> Shown:
        whole = self.get(file, Form.WHOLE)
        if whole is None:
            return _NOTHING
        make = self._code.outline if form is Form.OUTLINE else self._code.public_api
        text = make(file.path, unescaped(whole.body))
        return _NOTHING if text is None else self._measured(text, 0)

    def _measured(self, text: str, redactions: int) -> Shown:
        body = escaped(text).removesuffix("\n")
        return Shown(body, redactions, self._counter.measure(f"\n{body}"))

    def _remember(self, key: str, shown: Shown) -> None:
        self._known[key] = shown
        self._made[key] = shown

    def _key(self, file: CommitFile, form: Form) -> str:
        # How code is read depends on what the file is called.
        name = b"" if form is Form.WHOLE else PurePosixPath(file.path).name.encode(errors="replace")
        return f"{form}:{self._counter.unit}:{file.blob}:{sha256(name).hexdigest()}"


def _is_binary(content: bytes) -> bool:
    return b"\0" in content[:_BINARY_LOOK]
