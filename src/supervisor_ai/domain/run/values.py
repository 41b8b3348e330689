"""Values that the facts of a run are made of."""

from decimal import Decimal
from enum import StrEnum
from typing import Final, NewType

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, TreeSha
from supervisor_ai.domain.knowledge.provenance import KnowledgeOrigin
from supervisor_ai.domain.run.line_places import LineSide
from supervisor_ai.domain.run.status import FailureCategory


class Base(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The commit that a run starts from, and the name it was found by."""

    ref: str
    sha: CommitSha
    tree: TreeSha
    knowledge: KnowledgeOrigin | None = None
    """The commits whose knowledge documents count; None: this one alone."""


class Identity(Struct, frozen=True, kw_only=True):
    """The name that a run's commits carry."""

    name: str
    email: str


class ForkPoint(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The prefix of another run's stream that a forked run begins with."""

    run: RunId
    version: int
    note: ArtifactHash | None = None
    """What a person tells the first worker of the fork."""


class Process(Struct, frozen=True, kw_only=True):
    """A process that cannot be mistaken for a later one with the same number."""

    boot: str
    pid: int
    started: int


class Snapshot(Struct, frozen=True, kw_only=True):
    """The work of an attempt as a commit of ours."""

    commit: CommitSha
    tree: TreeSha


class Usage(Struct, frozen=True, kw_only=True):
    """What an attempt consumed."""

    tokens_in: int = 0
    """All that went in, the part that a cache had or took included."""
    tokens_out: int = 0
    cost: Decimal = Decimal(0)
    estimated: bool = False
    cache_read: int = 0
    cache_write: int = 0

    def plus(self, other: "Usage") -> "Usage":
        """Return both together."""
        return Usage(
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cost=self.cost + other.cost,
            estimated=self.estimated or other.estimated,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
        )


NO_USAGE: Final = Usage()


class Hardness(StrEnum):
    """How limits are kept: by the kernel, by watching and killing, or not at all."""

    HARD = "hard"
    SOFT = "soft"
    NONE = "none"


class EgressRefusal(Struct, frozen=True, kw_only=True):
    """An attempt to leave the sandbox that was not let through."""

    host: str
    port: int | None
    reason: str


class FeedbackKind(StrEnum):
    """Where the words that go back to a worker come from."""

    GATE = "gate"
    REVIEW = "review"
    FORMAT = "format"
    WORKER = "worker"
    PERSON = "person"
    COMMENT = "comment"
    """What a person says about one line."""
    LEFT_OUT = "left_out"
    BASELINE = "baseline"
    PULL_REQUEST = "pull_request"


class Feedback(Struct, frozen=True, kw_only=True):
    """Words that go back to a worker."""

    kind: FeedbackKind
    source: str
    artifact: ArtifactHash
    category: FailureCategory | None = None
    side: LineSide | None = None
    """Which side of the change they are about, where that is a line."""
    quote: ArtifactHash | None = None
    """What that line said."""


ReasonWord = NewType("ReasonWord", str)
"""Why a person is asked, in the word of the ledger."""


class ApprovalReason:
    """The reasons that all drivers share; a slice registers those of its own."""

    HUMAN_GATE: Final = ReasonWord("human_gate")
    BLOCKED: Final = ReasonWord("blocked")
    FINDINGS: Final = ReasonWord("findings")
    """A gate found what only a person may accept, with a reason."""
    REVIEW_LOOP: Final = ReasonWord("review_loop")
    """Reviewers and implementer go round in circles."""
    IMPOSSIBLE_WAIT: Final = ReasonWord("impossible_wait")
    """Those who have to agree are not there, and waiting would not bring them."""
    PULL_REQUEST: Final = ReasonWord("pull_request")
    """A pull request could not be opened, and somebody has to do it by hand."""
    PULL_REQUEST_UNSEEN: Final = ReasonWord("pull_request_unseen")
    """Nobody can tell how the pull request stands."""
    PULL_REQUEST_ROUNDS: Final = ReasonWord("pull_request_rounds")
    """A pull request does not become green by itself."""
    BASELINE: Final = ReasonWord("baseline")
    """The tests do not pass on the files that the run starts from."""
    RISK: Final = ReasonWord("risk")
    """The approval policy wants somebody to agree before the change lands."""
    LANDING: Final = ReasonWord("landing")
    """What was made cannot be put where it belongs."""
    COMPLETION: Final = ReasonWord("completion")
    """The work is done, and lands when a person completes the task."""
