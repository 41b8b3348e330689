"""What a role is shown of the repository, in which order of importance, and how much of it."""

from enum import StrEnum
from typing import Final

from msgspec import Struct


class SourceKind(StrEnum):
    """Where a part of the context comes from."""

    FILES = "files"
    """Files that match patterns."""
    TARGET = "target"
    """The files that the task is about."""
    IMPORTS = "imports"
    """What the targets import, from the repository itself."""
    CHANGED = "changed"
    """The files that the run has changed so far, as they are now."""
    DIFF = "diff"
    """What has changed since the run's base."""
    INTERFACES = "interfaces"
    """Files that define types, contracts and schemas."""
    PUBLIC_API = "public_api"
    """What the targets and their neighbours offer to others, without how they do it."""
    TREE = "tree"
    """The names of the files."""
    PLAN = "plan"
    """What the planner answered."""
    KNOWLEDGE = "knowledge"
    """What the project has written down for its workers."""
    RULES = "rules"
    """AGENTS.md and its like; the nearest one wins."""


class Detail(StrEnum):
    """How much of a file is shown, most first."""

    FULL = "full"
    OUTLINE = "outline"
    """Its imports, signatures and first lines of documentation."""
    NAME = "name"
    """That it exists and how long it is."""
    NONE = "none"


DETAILS: Final = tuple(Detail)


class Source(Struct, frozen=True, kw_only=True):
    """One part of a context."""

    kind: SourceKind
    patterns: tuple[str, ...] = ()
    """For FILES and KNOWLEDGE: which ones, as `.gitignore` writes patterns."""
    detail: Detail = Detail.FULL
    """As much as there is room for, and never more than this."""
    depth: int = 1
    """For IMPORTS: how far they are followed."""
    share: float = 1.0
    """The part of the budget that it may take at most."""


class ContextPlan(Struct, frozen=True, kw_only=True):
    """The context of a role: its parts, the most important first, and what they may cost."""

    strategy: str
    sources: tuple[Source, ...]
    token_budget: int
    exclude: tuple[str, ...] = ()
    """Patterns of files that are never shown, whatever a source says."""
    packer: str = "native"


class PackedItem(Struct, frozen=True, kw_only=True):
    """One entry of the record: what was shown of something, and why not more."""

    source: SourceKind
    name: str
    detail: Detail
    tokens: int
    reason: str = ""
    """Why it is shown at all, or why less of it than there is."""
    redactions: int = 0


class PackedContext(Struct, frozen=True, kw_only=True):
    """A context that fits its budget, and the record of what is in it and what is not."""

    text: str
    tokens: int
    """Counted on the safe side."""
    budget: int
    items: tuple[PackedItem, ...]
    counter: str
    """How the tokens were counted."""
