"""What checks look at, and what they say."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.drivers.checkpoint.facts.model import ArtifactFacts, Citation
from supervisor_ai.drivers.checkpoint.protocol.words import plain
from supervisor_ai.drivers.checkpoint.score import CheckVerdict

MESSAGES_FILE: Final = ".msg/messages.jsonl"
"""Where the messages of a session stand, one on a line, when it is exported."""
LONGEST_NOTE: Final = 400
MOST_CITATIONS: Final = 10


class CheckGroup(StrEnum):
    """The tables of a report."""

    CONSISTENCY = "Consistency"
    PROCESS = "Process Compliance"
    HEALTH = "Execution Health"


class CheckKind(StrEnum):
    """Who decides a check."""

    DETERMINISTIC = "deterministic"
    JUDGEMENT = "judgement"


class CheckSpec(Struct, frozen=True, kw_only=True):
    """A check as a role's file asks for it."""

    id: str
    rule: str
    """Its row in the catalogue of checks."""
    title: str
    group: CheckGroup
    question: str = ""
    """What a worker is asked where the rule cannot decide."""
    params: dict[str, str | int] = field(default_factory=dict)
    is_blocking: bool = False
    """Whether the checkpoint blocks where it fails, whatever the score."""


class CheckResult(Struct, frozen=True, kw_only=True):
    """What one check says."""

    check: str
    title: str
    group: CheckGroup
    verdict: CheckVerdict
    note: str = ""
    citations: tuple[Citation, ...] = ()
    blocks: bool = False
    """Whether the checkpoint blocks because of it."""


class Kept(StrEnum):
    """What a worker can be told of what was read at an earlier wake."""

    GOALS = "goals"
    REQUIREMENTS = "requirements"
    COMPONENTS = "components"
    STORIES = "stories"
    TASKS = "tasks"
    DECISIONS = "decisions"
    MODULES = "modules"
    COMPLEXITY = "complexity"
    TERMS = "terms"
    QUESTIONS = "questions"
    WISDOM = "wisdom"


class WorkerQuestion(Struct, frozen=True, kw_only=True):
    """A check that needs a worker's judgement."""

    check: str
    title: str
    group: CheckGroup
    question: str
    why: str = ""
    """Why the text alone did not decide it."""
    needs: tuple[Kept, ...] = tuple(Kept)
    """What of earlier wakes has to be known to answer it."""
    is_blocking: bool = False


class RuleOutcome(Struct, frozen=True, kw_only=True):
    """What a rule finds in a session."""

    verdict: CheckVerdict
    note: str = ""
    citations: tuple[Citation, ...] = ()
    is_gap: bool = False
    """Whether what is to be looked at is missing: a warning that blocks where the check does."""


class Undecided(Struct, frozen=True, kw_only=True):
    """The text does not say enough for a rule; somebody has to judge."""

    why: str


def passed(note: str = "") -> RuleOutcome:
    """Say that all is well."""
    return RuleOutcome(verdict=CheckVerdict.PASS, note=note)


def warned(note: str, *citations: Citation) -> RuleOutcome:
    """Say that something is not as it should be, or that nobody knows."""
    return RuleOutcome(verdict=CheckVerdict.WARN, note=note, citations=citations)


def missing(note: str) -> RuleOutcome:
    """Say that what is to be looked at is not there."""
    return RuleOutcome(verdict=CheckVerdict.WARN, note=note, is_gap=True)


def vacuous(note: str) -> RuleOutcome:
    """Say that there is nothing to look at, so that nothing is decided."""
    return RuleOutcome(verdict=CheckVerdict.UNDECIDED, note=note)


def failed(note: str, *citations: Citation) -> RuleOutcome:
    """Say that something is wrong."""
    return RuleOutcome(verdict=CheckVerdict.FAIL, note=note, citations=citations)


def result_of(spec: CheckSpec | WorkerQuestion, outcome: RuleOutcome) -> CheckResult:
    """Put what was found under the name of the check that looked."""
    return CheckResult(
        check=spec.id if isinstance(spec, CheckSpec) else spec.check,
        title=spec.title,
        group=spec.group,
        verdict=outcome.verdict,
        note=plain(outcome.note, LONGEST_NOTE),
        citations=outcome.citations[:MOST_CITATIONS],
        blocks=spec.is_blocking and (outcome.is_gap or outcome.verdict is CheckVerdict.FAIL),
    )


class LoadedArtifact(Struct, frozen=True, kw_only=True):
    """The text of an artifact that was not read before."""

    text: str
    task: str = ""
    """The task that made it; nothing where nobody knows."""


class RoleState(Struct, frozen=True, kw_only=True):
    """What a role has published of itself last."""

    task: str = ""
    status: str = ""
    ref: str = ""
    """The artifact that it made."""
    score: int | None = None
    """What it gives its own work, in thousandths of the scale from 0 to 100."""


class BusMessage(Struct, frozen=True, kw_only=True):
    """A message of the session's bus."""

    number: int
    at: datetime
    sender: str
    kind: str
    summary: str = ""
    task: str = ""
    """The task that it is about, where it says so."""


class CheckedTask(Struct, frozen=True, kw_only=True):
    """A task of the session."""

    id: str
    status: str
    owner: str = ""
    subject: str = ""
    moved_at: datetime | None = None


class CheckMaterial(Struct, frozen=True, kw_only=True):
    """Everything that the checks of one checkpoint look at."""

    checkpoint: str
    scope: tuple[str, ...]
    unasked: tuple[str, ...] = ()
    """Tasks of the scope that the request left out, although the checkpoint guards them."""
    diverted: tuple[str, ...] = ()
    """Who has named which artifact for a task of somebody else."""
    now: datetime
    artifacts: dict[str, LoadedArtifact] = field(default_factory=dict)
    """What is new since the last wake, by path."""
    older: dict[str, ArtifactFacts] = field(default_factory=dict)
    """What was kept of artifacts that were read before, by path."""
    expected: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Which artifacts a task has to leave, where somebody says so."""
    roles: dict[str, RoleState] = field(default_factory=dict)
    messages: tuple[BusMessage, ...] | None = ()
    """The newest messages; None: the bus does not answer."""
    tasks: tuple[CheckedTask, ...] = ()
    wisdom: dict[str, str] = field(default_factory=dict)
    known_wisdom: dict[str, int] = field(default_factory=dict)
    """How much of each file of wisdom was read at earlier wakes, in characters."""
