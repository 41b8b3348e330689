"""What a run pins when it starts: the workflow and all that its steps name."""

from datetime import timedelta
from enum import StrEnum
from typing import ClassVar, Final, NamedTuple, NewType

from msgspec import Struct, field

from supervisor_ai.domain.git_flow.policy import GitPolicy
from supervisor_ai.domain.ids import SessionId, StepName
from supervisor_ai.domain.knowledge.selection import KnowledgePlan
from supervisor_ai.domain.quiet_hours import NEVER_QUIET, QuietHours
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.approvals.policy import ApprovalPolicy
from supervisor_ai.domain.run.context_plan import ContextPlan
from supervisor_ai.domain.run.failures.breaker import BREAKER_POLICY, BreakerPolicy
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.failures.loops import LoopPolicy
from supervisor_ai.domain.run.failures.retries import ParkingPolicy, RetryPolicy
from supervisor_ai.domain.run.gates import (
    Area,
    BaselinePolicy,
    Complexity,
    GateKind,
    GatePolicy,
    GateWord,
    HarnessRules,
)
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.domain.run.spending.prices import PriceTable

MAX_RETRIES: Final = 3
MIB: Final = 1 << 20
GIB: Final = 1 << 30
EDITING_TOOLS: Final = frozenset({"edit_file", "write_file"})
BROWSING_TOOLS: Final = frozenset({"web_fetch", "web_search"})
TOOLS: Final = EDITING_TOOLS | BROWSING_TOOLS | {"read_file", "run_command"}
"""What agents have by these names; any other tool has to be offered by an MCP server."""


StepWord = NewType("StepWord", str)
"""A kind of step, as definitions name it: what a step does."""


class StepKind:
    """The kinds of steps that all drivers share; a slice registers those of its own."""

    ROLE: Final = StepWord("role")
    GATE: Final = StepWord("orchestrator_gate")
    HUMAN: Final = StepWord("human_gate")
    COMMIT: Final = StepWord("commit")
    PULL_REQUEST: Final = StepWord("pull_request")
    ATTACHED: Final = StepWord("attached_supervisors")


class Broker(Struct, frozen=True, kw_only=True):
    """How an agent reaches its model without ever holding the key."""

    upstream: str
    paths: tuple[str, ...]
    """Methods and paths that pass: `POST /v1/messages`; `*` stands for one part of a path.

    None: those that the agent asks for by itself, as with its variables.
    """
    base_url: str
    """The variable that tells the agent where to send its requests."""
    header: str
    """What the upstream expects: `x-api-key: ${NAME}`, a variable of the supervisor's own."""
    placeholder: str | None = None
    """The variable in which the agent expects a key; it gets one that is worth nothing."""
    is_local: bool = False
    """Whether the user's own config says that the upstream is not a public one."""


class Cli(Struct, frozen=True, kw_only=True):
    """An agent that can be started."""

    name: str
    adapter: str
    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    script: str | None = None
    egress: tuple[str, ...] = ()
    """The hosts that it may reach, each as `host:port`."""
    broker: Broker | None = None
    models: tuple[str, ...] = ()
    """The models that it may use, where that is known beforehand."""

    @property
    def known_models(self) -> tuple[str, ...]:
        """Name the models that it may use; `claude:opus` names its own."""
        return self.models or (self.name.partition(":")[2],)


class McpServer(Struct, frozen=True, kw_only=True):
    """Tools that an agent is given: a program that it starts, or an address inside its sandbox."""

    written_where_set: ClassVar = frozenset({"token_variable"})

    name: str
    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    url: str | None = None
    token_variable: str = ""
    """The variable of the agent that holds what its requests to the address carry."""


class Role(Struct, frozen=True, kw_only=True):
    """Who a worker is for one step."""

    written_where_set: ClassVar = frozenset({"knowledge"})

    name: str
    description: str
    answer: AnswerWord
    writes: bool
    cli: str
    template: str
    instructions: str = ""
    timeout: timedelta | None = None
    max_retries: int | None = None
    allowed_tools: tuple[str, ...] | None = None
    """What a worker in this role may use; None: everything."""
    egress: tuple[str, ...] = ()
    """The hosts that this role may reach besides those of its agent."""
    hides: tuple[str, ...] = ()
    """Patterns of files that do not exist for this role."""
    fallback: tuple[str, ...] = ()
    """The agents that go on where the role's own cannot, one after the other."""
    system_prompt: str = ""
    """What is said beside the agent's own instructions, not instead of them."""
    mcp_servers: tuple[McpServer, ...] = ()
    max_turns: int | None = None
    is_optional: bool = False
    """Whether the run goes on without the role's answer where its agent is not available."""
    context: ContextPlan | None = None
    """What it is shown of the repository; None: it looks for itself."""
    continuations: int = 0
    """How often a further attempt at a step begins with the role's own earlier answers to it."""
    may_change: tuple[Area, ...] = ()
    """What it may change of that by which its own work is judged."""
    flags: tuple[str, ...] = ()
    """What its agent is started with besides what supervisor says."""
    flags_for: str = ""
    """The adapter for which the flags are meant."""
    knowledge: KnowledgePlan | None = None
    """What it is told of the knowledge store; None: nothing."""

    def flags_of(self, adapter: str) -> tuple[str, ...]:
        """Return the flags for an agent of this adapter; others would not understand them."""
        return self.flags if adapter == self.flags_for else ()

    @property
    def can_edit(self) -> bool:
        """Tell whether the files of the workspace are writable for the role."""
        return self.writes and self._may(EDITING_TOOLS)

    @property
    def can_browse(self) -> bool:
        """Tell whether the role may reach hosts besides those of its agent."""
        return self._may(BROWSING_TOOLS)

    def _may(self, tools: frozenset[str]) -> bool:
        return self.allowed_tools is None or not tools.isdisjoint(self.allowed_tools)


WORKSPACE: Final = "{workspace}"
"""Stands for the path of the workspace in the environment of a gate."""


KNOWN_RED: Final = "Known red, as the configuration says: "
"""How what a gate says of the exceptions of its user begins."""


class Gate(Struct, frozen=True, kw_only=True):
    """What must hold for a snapshot: a command that succeeds, or a look at the change itself."""

    written_where_set: ClassVar = frozenset({"report", "known_red"})
    """Fields that are not written down while they have their default, so that old bytes stay."""

    name: str
    command: tuple[str, ...]
    """What is run; a gate that only looks needs none."""
    timeout: timedelta
    is_advisory: bool = False
    """Whether a failure is shown and the run goes on; the same as the policy `warn`."""
    min_tests: int | None = None
    """How many tests its output must count at least."""
    min_tests_each: int | None = None
    """How many new tests each component of the plan must have at least."""
    judges: StepName | None = None
    """The step whose own new tests it looks at; None: all new tests of the change."""
    kind: GateWord = GateKind.COMMAND
    policy: GatePolicy | None = None
    """What follows from a failure; None: as the arrows of its step say."""
    depends_on: tuple[str, ...] = ()
    """The gates of the same step that have to pass before it runs."""
    environment: dict[str, str] = field(default_factory=dict)
    allowed_writes: tuple[str, ...] | None = None
    """Patterns of the tracked files that its command may change; None: it may change any."""
    counts_tests: bool = False
    """Whether people expect it to say how many tests ran."""
    is_fresh: bool = False
    """Whether it runs also where its verdict on the same files is known."""
    may_change: tuple[Area, ...] = ()
    """What the role whose change it looks at may change of that by which it is judged."""
    report: str | None = None
    """Where its command writes a JUnit XML report of its tests."""
    known_red: tuple[str, ...] = ()
    """The tests that may fail, by name, because the user says so; shown in every report."""

    @property
    def runs_tests(self) -> bool:
        """Tell whether it runs the project's own tests."""
        return self.kind == GateKind.COMMAND and self.counts_tests

    @property
    def only_warns(self) -> bool:
        """Tell whether the run goes on where it does not pass."""
        return self.is_advisory or self.policy is GatePolicy.WARN


class ForgeChoice(StrEnum):
    """Where pull requests are opened."""

    AUTO = "auto"
    """Where the remote's address leads."""
    GITHUB = "github"
    GITLAB = "gitlab"
    NONE = "none"


class FollowPolicy(Struct, frozen=True, kw_only=True):
    """How long and how far a pull request is followed once it is open."""

    ci: bool = True
    reviews: bool = True
    max_rounds: int = 3
    """How often what others say goes back to a worker before a person is asked."""
    every: timedelta = timedelta(minutes=1)
    """How long the first wait is; each further one without anything new is longer."""
    timeout: timedelta = timedelta(days=1)
    """How long one round may take before a person is asked."""


class Step(Struct, frozen=True, kw_only=True):
    """A node of the workflow."""

    written_where_set: ClassVar = frozenset({"follow", "particulars"})

    name: StepName
    kind: StepWord
    role: str | None = None
    roles: tuple[str, ...] = ()
    """Those who do it side by side, where it is more than one."""
    needed: int | None = None
    """How many of them must agree; None: all."""
    human_approval: bool = False
    """Whether a person is asked before the run goes on; for a commit, before it is made."""
    asks_at_last: bool = False
    """Whether a person is asked where nothing else is left to try."""
    instructions: str = ""
    """What the step asks of its role besides the task."""
    outputs: tuple[str, ...] = ()
    """What the step is expected to bring forth, in words."""
    gate: str | None = None
    gates: tuple[str, ...] = ()
    """Those that it runs side by side, where it is more than one; each has a slot of its own."""
    approvers: dict[Complexity, tuple[str, ...]] = field(default_factory=dict)
    """Which of its roles are needed for a change of which complexity; nothing: all of them."""
    next: StepName | None = None
    on_fail: StepName | None = None
    on_reject: StepName | None = None
    max_retries: int | None = None
    timeout: timedelta | None = None
    retry_policy: str | None = None
    degrade: tuple[Level, ...] = ()
    """The simpler ways in which the step may be done when all of it fails."""
    terminal: bool = False
    description: str = ""
    follow: FollowPolicy | None = None
    """How a pull request is followed; None: not at all."""
    particulars: str = ""
    """What only steps of its kind need, as JSON that their slice understands."""

    @property
    def crew(self) -> tuple[str, ...]:
        """Name the roles that do the step; the first one has slot 1."""
        return self.roles or ((self.role,) if self.role else ())

    @property
    def checks(self) -> tuple[str, ...]:
        """Name the gates that the step runs; the first one has slot 1."""
        return self.gates or ((self.gate,) if self.gate else ())


class Workflow(Struct, frozen=True, kw_only=True):
    """A state machine over steps."""

    name: str
    description: str
    initial_step: StepName
    steps: dict[StepName, Step]


class Limits(Struct, frozen=True, kw_only=True):
    """Where a run stops by itself."""

    step_timeout: timedelta = timedelta(minutes=45)
    step_max_retries: int | None = None
    """How often an attempt is tried again or a step goes back; None: as its policy says, or 3."""
    workflow_max_steps: int = 50
    workflow_timeout: timedelta | None = None
    output_bytes: int = 64 * 1024 * 1024
    attempt_tokens: int | None = None
    """What one attempt may spend through the broker before it is cut off."""


class ResourceLimits(Struct, frozen=True, kw_only=True):
    """How much of the machine one command may use; sizes in bytes."""

    memory: int
    cpus: float
    processes: int
    file_size: int
    disk: int
    """What the files of its workspace may take, those that it found there included.

    Files that it found and shares with others count when it changes them.
    """
    disk_files: int
    idle_timeout: timedelta | None = None
    """How long it may be silent."""


WORKER_LIMITS: Final = ResourceLimits(
    memory=4 * GIB,
    cpus=2.0,
    processes=512,
    file_size=2 * GIB,
    disk=16 * GIB,
    disk_files=1_000_000,
    idle_timeout=timedelta(minutes=20),
)
EXECUTOR_LIMITS: Final = ResourceLimits(
    memory=2 * GIB,
    cpus=2.0,
    processes=512,
    file_size=512 * MIB,
    disk=16 * GIB,
    disk_files=1_000_000,
)


class SandboxPolicy(Struct, frozen=True, kw_only=True):
    """What the sandboxes of a run may see besides the system, and how much they may use."""

    backend: str = "auto"
    ro_paths: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    """Package managers whose caches are shown read-only, by name."""
    worker: ResourceLimits = WORKER_LIMITS
    executor: ResourceLimits = EXECUTOR_LIMITS
    disk_quota: bool = False
    """Whether each workspace has a file system of its own, which ends where its quota does."""
    require_hard_limits: bool = False

    @property
    def has_disk_quota(self) -> bool:
        """Tell whether the disk limits are to be kept by the kernel."""
        return self.disk_quota or self.require_hard_limits


class WorkspacePolicy(Struct, frozen=True, kw_only=True):
    """What a workspace is given before anybody works in it."""

    setup: tuple[str, ...] = ()
    setup_timeout: timedelta = timedelta(minutes=10)
    egress: tuple[str, ...] = ()
    """The hosts that the set-up may reach."""
    cache_key: tuple[str, ...] = ()
    """The files that decide whether an earlier set-up can be used again."""
    cache_paths: tuple[str, ...] = ()
    """What the set-up makes and a later workspace can have without it."""
    include: tuple[str, ...] = ()
    """Patterns of ignored files that are copied from the checkout: `.worktreeinclude`."""


class StepLabel(NamedTuple):
    """How a step is shown where its name alone does not tell what it belongs to."""

    text: str
    heading: str = ""
    """What stands above it, if it is the first of several that belong together."""


class Definition(Struct, frozen=True, kw_only=True):
    """Everything that a run through steps needs, resolved and pinned; a driver may add to it."""

    written_where_set: ClassVar = frozenset(
        {
            "baseline",
            "harness",
            "approvals",
            "quiet_hours",
            "git",
            "forge",
            "session",
            "read_only",
            "hears_directives",
        }
    )

    workflow: Workflow
    roles: dict[str, Role]
    clis: dict[str, Cli]
    gates: dict[str, Gate]
    limits: Limits = field(default_factory=Limits)
    sandbox: SandboxPolicy = field(default_factory=SandboxPolicy)
    workspace: WorkspacePolicy = field(default_factory=WorkspacePolicy)
    retries: dict[str, RetryPolicy] = field(default_factory=dict)
    parking: ParkingPolicy = field(default_factory=ParkingPolicy)
    breaker: BreakerPolicy = BREAKER_POLICY
    loops: LoopPolicy = field(default_factory=LoopPolicy)
    budgets: dict[Scope, Amount] = field(default_factory=dict)
    prices: PriceTable = field(default_factory=PriceTable)
    baseline: BaselinePolicy = BaselinePolicy.OFF
    """What follows where the tests do not pass before anybody has changed anything."""
    harness: HarnessRules = HarnessRules()
    """Which files judge and which are judged, where the conventions are wrong about it."""
    approvals: ApprovalPolicy | None = None
    """What a change needs before it lands; None: nothing besides what the workflow says."""
    quiet_hours: QuietHours = NEVER_QUIET
    """When nobody is disturbed, and no wait for an objection counts."""
    git: GitPolicy = GitPolicy()
    """How the work comes to a branch."""
    forge: ForgeChoice = ForgeChoice.AUTO
    session: SessionId | None = None
    """The session in which every worker of the run is a member; None: in none."""
    read_only: tuple[str, ...] = ()
    """Files that no worker of the run can write."""
    hears_directives: bool = False
    """Whether who plans or writes is told what the project's quality supervisors want done."""

    @property
    def command_gates(self) -> tuple[Gate, ...]:
        """List the gates that run a command, each once."""
        found: dict[str, Gate] = {}
        for gate in self.gates.values():
            if gate.kind == GateKind.COMMAND:
                found.setdefault(gate.name, gate)
        return tuple(found.values())

    @property
    def expected_steps(self) -> tuple[StepName, ...]:
        """Name the steps that the run may come to."""
        return tuple(self.workflow.steps)

    @property
    def step_labels(self) -> dict[StepName, StepLabel]:
        """Say how steps are shown that are not called by their names."""
        return {}
