"""Reads documents that people and agents wrote: whatever is wrong is named, and little is lost."""

import re
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Final, Protocol

from msgspec import Struct, field

from supervisor_ai.control.ports.knowledge import (
    FILE_BYTES,
    ReadDocument,
    StoreFile,
    StoreProblem,
)
from supervisor_ai.domain.knowledge.documents import (
    INDEX,
    MAX_CHANGES,
    MAX_NOTE,
    MAX_RULES,
    MAX_TITLE,
    SECTION,
    ChangeNote,
    KnowledgeDocument,
    KnowledgeStatus,
    area_of,
    line_text,
    name_text,
    section_text,
)
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.redaction import Redactor

_DECIDING: Final = (
    "supervisor_ai.documents.knowledge",
    "supervisor_ai.domain.knowledge",
    "supervisor_ai.domain.redaction",
    "supervisor_ai.domain.redaction.providers",
)
"""Packages that decide what becomes of a file."""
_STATUSES: Final = ", ".join(KnowledgeStatus)
_IGNORED: Final = frozenset({INDEX, "README.md"})
_TITLE: Final = re.compile(r"#[ \t]+(\S.*)")
_REMARK: Final = re.compile(
    r"[\s>*_-]*(last updated by|status|review)[\s*_]*:[\s*_]*(.*?)[\s*_]*", re.IGNORECASE
)
_CHANGE: Final = re.compile(r"[-*][ \t]+([^,:]+)(?:,[ \t]*([^,:]*))?:[ \t]*(.*)")


class _Section(Struct, kw_only=True):
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return section_text("\n".join(self.lines))


class KnowledgeReader:
    """Reads files of a store, and takes the secrets out of them."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    @property
    def edition(self) -> str:
        """Name everything that decides how a file is read."""
        return _edition()

    def is_document(self, path: str) -> bool:
        """Tell whether a file of the store is meant to be a document."""
        return path.endswith(".md") and PurePosixPath(path).name not in _IGNORED

    def without_secrets(self, text: str) -> str:
        """Take the secrets out of what is to be written."""
        return self._redactor.redact(text).text

    def read_file(self, file: StoreFile) -> ReadDocument:
        """Read a file as it was found."""
        if file.content is not None:
            return self.read(file.path, file.content)
        shown = line_text(file.path, MAX_NOTE)
        problem = StoreProblem(path=shown, line=None, text=file.trouble)
        return ReadDocument(document=None, problems=(problem,))

    def read(self, path: str, content: bytes) -> ReadDocument:
        """Read a file by its path in the store."""
        shown = line_text(path, MAX_NOTE)
        problems: list[StoreProblem] = []

        def note(line: int | None, text: str) -> None:
            problems.append(StoreProblem(path=shown, line=line, text=text))

        if len(content) > FILE_BYTES:
            note(None, f"the file has {len(content)} bytes, at most {FILE_BYTES} are read")
            return ReadDocument(document=None, problems=tuple(problems))
        if area_of(path) is None:
            note(None, "it lies in no directory of the store, and nobody is told of it")
            return ReadDocument(document=None, problems=tuple(problems))
        text = self._harmless(content, note)
        document = _Parser(shown, text, note).document()
        return ReadDocument(document=document, problems=tuple(problems))

    def _harmless(self, content: bytes, note: "_Note") -> str:
        """Take out what is no text, what a terminal would obey, and secrets; name each."""
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            note(line, f"the byte 0x{content[error.start]:02x} is not UTF-8 text")
            text = content.decode("utf-8-sig", "replace")
        text = text.replace("\r\n", "\n")
        cleaned = plain(text)
        if cleaned != text:
            note(_first_difference(text, cleaned), "control characters were taken out")
        redacted = self._redactor.redact(cleaned)
        if redacted.count:
            line = _first_difference(cleaned, redacted.text)
            note(line, f"{redacted.count} secrets were taken out")
        return redacted.text


@cache
def _edition() -> str:
    digest = sha256()
    for package in _DECIDING:
        modules = sorted(files(package).iterdir(), key=lambda it: it.name)
        for module in (it for it in modules if it.is_file()):
            digest.update(module.read_bytes())
    return digest.hexdigest()


class _Note(Protocol):
    def __call__(self, line: int | None, text: str) -> None: ...


class _Parser:
    """Takes one text apart."""

    def __init__(self, path: str, text: str, note: _Note) -> None:
        self._path = path
        self._note = note
        self._title = ""
        self._remarks: dict[str, tuple[int, str]] = {}
        self._head = _Section(line=1)
        """What stands before the first section of ours and is no remark."""
        self._sections: dict[str, _Section] = {}
        self._divide(text)

    def _divide(self, text: str) -> None:
        here = self._head
        for number, line in enumerate(text.split("\n"), 1):
            heading = SECTION.fullmatch(line.rstrip())
            if heading is not None:
                name = heading[1].lower()
                if name in self._sections:
                    self._note(number, f"there is a second section {name!r}; both are read")
                here = self._sections.setdefault(name, _Section(line=number))
            elif here is not self._head or not self._is_of_the_head(number, line):
                here.lines.append(line)

    def _is_of_the_head(self, number: int, line: str) -> bool:
        """Take a title or a remark out of what stands before the sections."""
        title, remark = _TITLE.fullmatch(line.rstrip()), _REMARK.fullmatch(line)
        if title is not None and not self._title:
            self._title = line_text(title[1], len(line))
            return True
        if remark is not None:
            self._remarks.setdefault(remark[1].lower(), (number, remark[2]))
            return True
        return False

    def document(self) -> KnowledgeDocument | None:
        """Return what the text says; None where it says nothing."""
        status, rules = self._status(), self._rules()
        if not rules:
            self._note(None, "it says nothing, and nobody is told of it")
            return None
        if len(rules) > MAX_RULES and status is not KnowledgeStatus.DEPRECATED:
            found = f"the rules have {len(rules)} characters"
            line = self._line_of("rules")
            self._note(line, f"{found}; workers are told the first {MAX_RULES}")
        _, said = self._remarks.get("last updated by", (0, ""))
        by, _, task = said.partition(",")
        return KnowledgeDocument(
            path=self._path,
            title=self._named(),
            status=status,
            rules=rules,
            by=name_text(by),
            task=name_text(task),
            examples=self._text("examples"),
            rationale=self._text("rationale"),
            changes=self._changes(),
            needs_review=bool(self._remarks.get("review", (0, ""))[1]),
        )

    def _named(self) -> str:
        if not self._title:
            self._note(1, "there is no title; expected a line such as '# Error handling'")
            stem = PurePosixPath(self._path).stem
            return line_text(re.sub(r"[_-]+", " ", stem).capitalize(), MAX_TITLE) or "Untitled"
        if len(self._title) > MAX_TITLE:
            found = f"the title has {len(self._title)} characters"
            self._note(None, f"{found}; the first {MAX_TITLE} are shown")
        return self._title[:MAX_TITLE].strip()

    def _status(self) -> KnowledgeStatus:
        """Read the status; what a person wrote down without one is meant to hold."""
        line, word = self._remarks.get("status", (0, KnowledgeStatus.ESTABLISHED.value))
        try:
            return KnowledgeStatus(word.strip().lower())
        except ValueError:
            found = line_text(word, MAX_TITLE)
            self._note(line, f"the status {found!r} is none of: {_STATUSES}; taken as provisional")
            return KnowledgeStatus.PROVISIONAL

    def _rules(self) -> str:
        if "rules" in self._sections:
            return self._text("rules")
        rules = self._head.text
        if rules:
            self._note(1, "there is no section '## Rules'; what stands there is taken for rules")
        return rules

    def _changes(self) -> tuple[ChangeNote, ...]:
        lines = self._sections["changelog"].lines if "changelog" in self._sections else []
        found = (_CHANGE.fullmatch(line.strip()) for line in lines)
        notes = (
            ChangeNote(
                by=name_text(it[1]), task=name_text(it[2] or ""), what=line_text(it[3], MAX_NOTE)
            )
            for it in found
            if it is not None
        )
        return tuple(notes)[-MAX_CHANGES:]

    def _text(self, name: str) -> str:
        return self._sections[name].text if name in self._sections else ""

    def _line_of(self, name: str) -> int | None:
        return self._sections[name].line if name in self._sections else None


def _first_difference(before: str, after: str) -> int:
    """Count the lines up to where two texts part."""
    pairs = zip(before.split("\n"), after.split("\n"), strict=False)
    return next((number for number, (one, other) in enumerate(pairs, 1) if one != other), 1)
