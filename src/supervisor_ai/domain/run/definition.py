"""What a run pins when it starts: the workflow and all that its steps name."""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerKind


class StepKind(StrEnum):
    """What a step does."""

    ROLE = "role"
    GATE = "orchestrator_gate"
    HUMAN = "human_gate"
    COMMIT = "commit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cli:
    """An agent that can be started."""

    name: str
    adapter: str
    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    script: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """Who a worker is for one step."""

    name: str
    description: str
    answer: AnswerKind
    writes: bool
    cli: str
    template: str
    instructions: str = ""
    timeout: timedelta | None = None
    max_retries: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A command that must succeed on a snapshot."""

    name: str
    command: tuple[str, ...]
    timeout: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A node of the workflow."""

    name: StepName
    kind: StepKind
    role: str | None = None
    gate: str | None = None
    next: StepName | None = None
    on_fail: StepName | None = None
    on_reject: StepName | None = None
    max_retries: int | None = None
    timeout: timedelta | None = None
    terminal: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A state machine over steps."""

    name: str
    description: str
    initial_step: StepName
    steps: dict[StepName, Step]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where a run stops by itself."""

    step_timeout: timedelta = timedelta(minutes=45)
    step_max_retries: int = 3
    workflow_max_steps: int = 50
    workflow_timeout: timedelta | None = None
    output_bytes: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxPolicy:
    """What the sandboxes of a run may see besides the system."""

    ro_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Everything that a workflow run needs, resolved and pinned."""

    workflow: Workflow
    roles: dict[str, Role]
    clis: dict[str, Cli]
    gates: dict[str, Gate]
    limits: Limits = field(default_factory=Limits)
    sandbox: SandboxPolicy = field(default_factory=SandboxPolicy)
