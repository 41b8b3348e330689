"""The facts that are kept of an artifact, so that its text is read only once.

Every check sees facts and never text, whether the artifact is new or was read long ago.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct, field

LONGEST_QUOTE: Final = 160


class Moscow(StrEnum):
    """How much a requirement matters, by MoSCoW."""

    MUST = "must"
    SHOULD = "should"
    COULD = "could"
    WONT = "wont"


class Citation(Struct, frozen=True, kw_only=True):
    """A line of a file that bears something out."""

    file: str
    line: int
    quote: str = ""
    """A part of the line, as it stands there."""


class Statement(Struct, frozen=True, kw_only=True):
    """A goal, a requirement, a component, a story, a task or a decision that an artifact states."""

    id: str
    """In its one spelling, such as `REQ-1`; nothing where its author gave it none."""
    text: str
    line: int
    quote: str
    refs: tuple[str, ...] = ()
    """The ids that it and what is below it name."""
    words: tuple[str, ...] = ()
    """The words that tell it from others."""
    priority: Moscow | None = None
    needs: tuple[str, ...] = ()
    """What comes before it, by id."""

    @property
    def name(self) -> str:
        """Name it for people."""
        return self.id or repr(self.text)


class OpenQuestion(Struct, frozen=True, kw_only=True):
    """A question that an artifact leaves open."""

    text: str
    line: int
    quote: str
    is_critical: bool | None
    """None: it does not say how much depends on it."""


class SelfScore(Struct, frozen=True, kw_only=True):
    """What an author gives the own work, from 0 to 100, in thousandths."""

    thousandths: int
    line: int
    quote: str


class PlanComplexity(StrEnum):
    """How much is to be planned."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ComplexityLabel(Struct, frozen=True, kw_only=True):
    """What a plan says about its own size."""

    complexity: PlanComplexity
    line: int
    quote: str


class TermDefinition(Struct, frozen=True, kw_only=True):
    """A word of a glossary, and the words that are not to be used for it."""

    term: str
    line: int
    quote: str
    synonyms: tuple[str, ...] = ()
    """Other words for the same thing."""
    banned: tuple[str, ...] = ()
    """Words that the glossary tells not to use."""


class ArtifactFacts(Struct, frozen=True, kw_only=True):
    """What is known of one artifact."""

    task: str = ""
    """The task that made it; nothing where nobody knows."""
    lines: int = 0
    is_cut: bool = False
    """Whether it was too large to be read to its end."""
    goals: tuple[Statement, ...] = ()
    requirements: tuple[Statement, ...] = ()
    components: tuple[Statement, ...] = ()
    stories: tuple[Statement, ...] = ()
    tasks: tuple[Statement, ...] = ()
    decisions: tuple[Statement, ...] = ()
    modules: tuple[Statement, ...] = ()
    module_count: int | None = None
    complexity: ComplexityLabel | None = None
    questions: tuple[OpenQuestion, ...] = ()
    scores: tuple[SelfScore, ...] = ()
    terms: tuple[TermDefinition, ...] = ()
    uses: dict[str, int] = field(default_factory=dict)
    """Words and pairs of words, each with the line where it stands first."""
    headings: dict[str, int] = field(default_factory=dict)
    """Titles in lower case, each with the line where it stands first."""
    mentions: dict[str, int] = field(default_factory=dict)
    """Ids, each with the line where it is named first."""
