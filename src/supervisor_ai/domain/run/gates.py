"""The words for gates: what they look at, what follows from them, and what they find."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NewType

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha

GateWord = NewType("GateWord", str)
"""A kind of gate, as definitions name it: what a gate looks at."""


class GateKind:
    """The kinds of gates that are named here and there; others are only registered."""

    COMMAND: Final = GateWord("command")
    CLAIMS: Final = GateWord("claims")
    AUTO_RUN_FILES: Final = GateWord("auto_run_files")
    TEST_INTEGRITY: Final = GateWord("test_integrity")
    RED_BEFORE_GREEN: Final = GateWord("red_before_green")
    MUTATION: Final = GateWord("mutation")
    CHANGELOG: Final = GateWord("changelog")
    COMPLEXITY: Final = GateWord("complexity")


WITH_COMMAND: Final = frozenset({GateKind.COMMAND, GateKind.RED_BEFORE_GREEN, GateKind.MUTATION})
"""Gates that run a command; all others only look at the change."""
VOUCHING: Final = frozenset({GateKind.CLAIMS, GateKind.AUTO_RUN_FILES, GateKind.TEST_INTEGRITY})
"""Gates that look at a change; what they let pass, the next change is compared with."""


CLAIM_RULES: Final[Mapping[str, str]] = {
    "false_file_claim": "files",
    "false_test_claim": "tests",
    "false_commit_claim": "commits",
}
"""The findings that refute what a worker reported, and what they are about."""
REPLAYABLE: Final = frozenset(
    {"assertion_removed", "assertion_weakened", "assertion_tautological", "test_emptied"}
    | {"failure_swallowed", "failure_retried", "cases_removed", "setup_reduced", "subject_patched"}
)
"""The findings that a test says less than before: the test as it was shows whether that matters."""


class GatePolicy(StrEnum):
    """What follows from a gate that did not pass."""

    BLOCK = "block"
    """The run ends."""
    FEEDBACK = "feedback"
    """What was wrong goes back to whoever can mend it."""
    WARN = "warn"
    """It is shown, and the run goes on."""
    ASK = "ask"
    """A person decides."""


class Health(StrEnum):
    """How a gate stands on the files that a run starts from."""

    GREEN = "green"
    RED = "red"
    """It does not pass, and a change may mend that: work that begins with tests looks so."""
    BROKEN = "broken"
    """It cannot work here, whatever a worker changes."""


class BaselinePolicy(StrEnum):
    """What follows from a baseline that is not green; one that is broken always ends the run."""

    ASK = "ask"
    """A person decides, where one is there."""
    NOTE = "note"
    """It is shown to whoever works on it, and the run goes on."""
    STOP = "stop"
    """The run ends."""
    OFF = "off"
    """Nobody looks."""


class Area(StrEnum):
    """Files that decide what is tested and how; only a role that may can change them."""

    TESTS = "tests"
    COVERAGE = "coverage"
    GATES = "gates"
    CI = "ci"
    SNAPSHOTS = "snapshots"


class HarnessRules(Struct, frozen=True, kw_only=True):
    """What a project says about its own files, where conventions are wrong about them.

    A pattern is a path, a folder, or has `*` for anything. What is named as product is product,
    also where a pattern for the harness fits.
    """

    harness: tuple[str, ...] = ()
    product: tuple[str, ...] = ()


class Severity(StrEnum):
    """How much a finding weighs."""

    ERROR = "error"
    NOTE = "note"
    """Good to know; the gate passes all the same."""


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that a gate found in a change."""

    rule: str
    """A stable name of what was found: `test_deleted`."""
    message: str
    file: str | None = None
    line: int | None = None
    subject: str | None = None
    """What it is about, where that is more than a file: the name of a test."""
    severity: Severity = Severity.ERROR


class Complexity(StrEnum):
    """How much scrutiny a change needs."""

    SIMPLE = "simple"
    MEDIUM = "medium"
    COMPLEX = "complex"


class Authorship(Struct, frozen=True, kw_only=True):
    """Whose change a gate looks at: the attempt that made it, and what it said about it."""

    role: str
    cli: str
    attempt: int
    start: CommitSha
    answer: ArtifactHash


class Concern(Struct, frozen=True, kw_only=True):
    """What a reviewer objects to, without the words: enough to know it again."""

    file: str
    """A digest of the file's path; empty where none was named."""
    words: tuple[int, ...]
    """Digests of the words that carry the meaning, in order."""
