"""A document of the knowledge store: rules about one concern, and how firm they are."""

import re
from enum import StrEnum
from hashlib import sha256
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.terminal import plain

STORE: Final = "docs/knowledge"
"""Where a repository keeps it."""
INDEX: Final = "_index.md"
USER: Final = "user"
"""Who writes by a person's word; what this one says needs no proof."""
MAX_RULES: Final = 500
MAX_TITLE: Final = 80
MAX_NAME: Final = 64
MAX_EXAMPLES: Final = 2_000
MAX_RATIONALE: Final = 1_000
MAX_NOTE: Final = 200
MAX_CHANGES: Final = 20
"""How many entries of its changelog a document keeps, the newest."""
HEADINGS: Final = ("Rules", "Examples", "Rationale", "Changelog")
SECTION: Final = re.compile(rf"#{{2,6}}[ \t]+({'|'.join(HEADINGS)})[ \t:#]*", re.IGNORECASE)
"""The line with which a section of a document begins."""
PLAIN_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""What directories and documents may be called."""
_BLANK_LINES: Final = re.compile(r"\n{3,}")


class KnowledgeStatus(StrEnum):
    """How firm a document is."""

    PROVISIONAL = "provisional"
    """Somebody's best guess."""
    ESTABLISHED = "established"
    """Confirmed by a person or by work that went well with it."""
    DEPRECATED = "deprecated"
    """It no longer applies."""


class KnowledgeArea(StrEnum):
    """The usual directories of the store; a supervisor of one's own may have others."""

    CONVENTIONS = "conventions"
    DESIGN = "design"
    LESSONS = "lessons"
    DOMAIN = "domain"
    DIRECTIVES = "directives"
    """What people ask of whoever plans; nobody is told of it as knowledge."""


class ChangeNote(Struct, frozen=True, kw_only=True):
    """One entry of a changelog: who changed something, after which task, and what."""

    by: str
    task: str = ""
    what: str


class KnowledgeDocument(Struct, frozen=True, kw_only=True):
    """What is known about one concern."""

    path: str
    """Its path in the store: `conventions/error_handling.md`."""
    title: str
    status: KnowledgeStatus
    rules: str
    by: str = ""
    """Who updated it last; nothing: nobody says so."""
    task: str = ""
    """After which task that was."""
    examples: str = ""
    rationale: str = ""
    changes: tuple[ChangeNote, ...] = ()
    needs_review: bool = False
    """Whether a person is asked to look at it."""

    @property
    def area(self) -> str:
        """Name the directory that it is in."""
        return self.path.partition("/")[0]

    @property
    def fingerprint(self) -> str:
        """Name what it says, whatever its status and whoever wrote it."""
        said = "\0".join((self.title, self.rules, self.examples, self.rationale))
        return sha256(said.encode("utf-8", "replace")).hexdigest()[:16]


def area_of(path: str) -> str | None:
    """Name the directory that a path of the store is in; None: it is in none."""
    first, slash, rest = path.partition("/")
    return first if slash and rest and PLAIN_NAME.fullmatch(first) else None


def section_text(text: str) -> str:
    """Make a text fit to stand in a section: harmless, and without a heading of ours in it."""
    lines = (line.rstrip() for line in plain(text).replace("\t", "    ").split("\n"))
    whole = "\n".join(f"\\{line}" if SECTION.fullmatch(line) else line for line in lines)
    return _BLANK_LINES.sub("\n\n", whole).strip("\n")


def line_text(text: str, most: int) -> str:
    """Make a text fit to stand in one line of a document."""
    return " ".join(plain(text).split())[:most].strip()


def name_text(text: str) -> str:
    """Make a text fit to name who or which task; documents put marks around the two."""
    return line_text(re.sub(r"[,:]", " ", text), MAX_NAME).strip(" _*")
