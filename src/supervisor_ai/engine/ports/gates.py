"""What gates know: how runners speak, and what a change does to tests, claims and machines."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct, field

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.gates import Area, Complexity, Finding, GateWord

if TYPE_CHECKING:
    from supervisor_ai.domain.run.events import BaselineEnded, GateEnded


class Unexaminable(InvalidInput):
    """A change that was made, or happens, to be too much for whoever looks at it."""


class ChangeCase(Struct, frozen=True, kw_only=True):
    """A change that a gate looks at."""

    base: CommitSha
    """The files that were vouched for last."""
    head: CommitSha
    origin: CommitSha | None = None
    """Where the run began; None: at the base."""
    start: CommitSha | None = None
    """Where the attempt began whose answer is looked at."""
    answer: str | None = None
    """What the worker reported, as the JSON document of its role's schema."""
    plans: tuple[str, ...] = ()
    """The plans that were made for the change, as JSON documents."""
    may_change: tuple[Area, ...] = ()
    own: tuple[tuple[CommitSha, CommitSha], ...] = ()
    """The parts of the change whose new tests count, each from one commit to another; none: all."""


class Examination(Struct, frozen=True, kw_only=True):
    """What a gate saw in a change."""

    findings: tuple[Finding, ...] = ()
    complexity: Complexity | None = None
    summary: str = ""
    """What was looked at, in one sentence, also where nothing was found."""


class Missing(Struct, frozen=True):
    """What a file of tests could not be loaded without."""

    name: str
    is_module: bool


class CaseOutcome(StrEnum):
    """What became of one test."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class CaseResult(Struct, frozen=True):
    """One test, as its runner names it."""

    name: str
    """The same whenever and wherever the same tests are run."""
    outcome: CaseOutcome
    told: str = ""
    """What it said when it failed, cut short."""
    file: str | None = None


class LackKind(StrEnum):
    """How a project shows that it needs what is missing."""

    OWN = "own"
    """It has the module itself, and it is not where it is looked for."""
    DECLARED = "declared"


class Lack(Struct, frozen=True, kw_only=True):
    """What a project needs and its sandbox does not have."""

    name: str
    kind: LackKind
    place: str = "."
    """The directory that would have to be looked in."""


class Reading(Struct, frozen=True, kw_only=True):
    """What the output of a command says, where the runner that wrote it is known."""

    tool: str | None = None
    tests: int | None = None
    """How many tests ran; None where nobody that we know says so."""
    failed: int | None = None
    """How many of them failed, by the runner's own summary."""
    failing: str = ""
    """The part of the output that tells what went wrong."""
    failing_tests: tuple[str, ...] = ()
    """The tests that failed, by the names that the runner gives them."""
    skipped: int | None = None
    """How many were left out, where that is known."""
    missing: tuple[Missing, ...] = ()
    """What was looked for and not found when files were loaded or compiled."""
    results: tuple[CaseResult, ...] = ()
    """Each test once, by name; a bounded number, and none where nobody says which tests ran."""
    is_unfinished: bool = False
    """Whether a known runner began, or should have, and never came to its end."""
    is_idle: bool = False
    """Whether there was nothing to do, or nothing but words."""
    coverage: float | None = None
    """How much of the code the tests reach, in percent, where a tool that is known says so."""


NOTHING_READ: Final = Reading()


class ReportQuestion(Struct, frozen=True, kw_only=True):
    """A command that is about to run, and where it may leave reports."""

    command: tuple[str, ...]
    commit: CommitSha
    root: str
    """Where the files of the commit are."""
    place: str | None
    """An empty directory for reports; None: it is to run as it is."""
    environment: Mapping[str, str] = field(default_factory=dict)
    keeps_going: bool = False
    """Whether all tests are wanted, also after some could not be loaded or failed."""
    stops_early: bool = False
    """Whether one test that fails is enough."""


class ReportRequest(Struct, frozen=True, kw_only=True):
    """A command that is asked to say more about its tests than it would by itself."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    """What is set besides the gate's own."""
    programs: tuple[str, ...] = ()
    """Files of ours that it has to see."""
    runners: tuple[str, ...] = ()
    """The known runners that it leads to."""
    is_idle: bool = False
    """Whether the scripts of the commit that it leads to do nothing at all."""
    root: str = ""
    """The directory that is left out of the names of tests."""


class NewTests(Struct, frozen=True, kw_only=True):
    """The tests that a change adds or alters, to be run against the old code."""

    contents: Mapping[str, bytes | None] = field(default_factory=dict)
    """What the files of the tests, and what only tests use, look like after the change."""
    names: tuple[tuple[str, str], ...] = ()
    """The file and the name of each new test."""
    components: tuple[tuple[str, int], ...] = ()
    """How many of them each component of the plan has, or the change as a whole where no plan has
    any; nothing where nobody reads the tests of the languages that the change is written in."""
    added_files: tuple[str, ...] = ()
    """The files that the change adds."""
    added_words: frozenset[str] = frozenset()
    """The words that the code besides the tests has since the change, without its imports."""


class Mutant(Struct, frozen=True, kw_only=True):
    """The changed code with one small fault put in; a test should notice."""

    file: str
    line: int
    contents: bytes
    description: str


class FactsCase(Struct, frozen=True, kw_only=True):
    """A change that facts are wanted of."""

    base: CommitSha
    head: CommitSha
    own: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Facts of the project: a name, and the patterns of the paths that make it true."""
    declared: tuple[str, ...] = ()
    """The files that are to change, where nothing has changed yet: paths, folders and patterns."""


class FactEvidence(Struct, frozen=True, kw_only=True):
    """Why a fact has its value: a file, and what is seen there."""

    fact: str
    file: str
    detail: str


class ApiChange(StrEnum):
    """What becomes of something public."""

    REMOVED = "removed"
    """Nobody finds it any more where it was."""
    HIDDEN = "hidden"
    """It is still there, but no longer for everybody."""
    NARROWED = "narrowed"
    """It takes less, demands more, or gives something else."""


class ApiBreak(Struct, frozen=True, kw_only=True):
    """Something public that whoever uses it has to change for."""

    file: str
    symbol: str
    change: ApiChange
    detail: str
    """What it was and what it is, in words."""


class ChangeFacts(Struct, frozen=True, kw_only=True):
    """What is known of a change; a bounded number of examples, and all facts."""

    facts: tuple[Fact, ...]
    evidence: tuple[FactEvidence, ...] = ()
    breaks: tuple[ApiBreak, ...] = ()


class Examiner(Protocol):
    """Knows runners and languages; everything that it is shown is hostile."""

    def get_ready(self) -> None:
        """Begin with what takes a while to start, because it is going to be needed."""
        ...

    async def examine(self, kind: GateWord, case: ChangeCase) -> Examination:
        """Look at a change in one of the ways that need no command."""
        ...

    async def report_request(self, question: ReportQuestion) -> ReportRequest:
        """Find out which runners a command leads to, and how to ask them for reports."""
        ...

    async def read(
        self,
        output: str,
        request: ReportRequest | None = None,
        reports: Mapping[str, bytes] | None = None,
    ) -> Reading:
        """Find out what a runner said, in its output and in the reports that it was asked for.

        A report that cannot be read says nothing.
        """
        ...

    async def read_report(self, report: bytes) -> Reading:
        """Find out what a JUnit XML report says.

        Raise Unexaminable where it cannot be read; the message goes on after "because".
        """
        ...

    async def lacks(self, commit: CommitSha, missing: tuple[Missing, ...]) -> tuple[Lack, ...]:
        """Find out what of the missing parts belongs to the surroundings of a project."""
        ...

    async def new_tests(self, case: ChangeCase) -> NewTests:
        """Find the tests that a change adds or alters."""
        ...

    async def mutants(self, case: ChangeCase, *, limit: int) -> tuple[Mutant, ...]:
        """Put small faults into the lines that a change touches, spread over all of them.

        Raise Unexaminable where nobody could look.
        """
        ...

    async def facts(self, case: FactsCase) -> ChangeFacts:
        """Find out what is known of a change besides its coverage, and by which of its files.

        What could not be read is unknown (None) and never false.
        """
        ...


class GivenVerdict(Struct, frozen=True, kw_only=True):
    """A verdict, and the run that it was given in."""

    run: RunId
    ended: "GateEnded"


class Verdicts(Protocol):
    """The verdicts that were given before."""

    def has_some(self, beginning: str) -> bool:
        """Tell whether there is a verdict or baseline whose key begins so."""
        ...

    def find(self, key: str) -> GivenVerdict | None:
        """Return the newest verdict with the key."""
        ...

    def find_baseline(self, key: str) -> "BaselineEnded | None":
        """Return the newest baseline with the key."""
        ...
