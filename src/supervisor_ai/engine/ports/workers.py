"""Which agent runs, what it is told and what its answer means."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import RunId, StepName
from supervisor_ai.domain.run.answers import AnswerWord, Meaning
from supervisor_ai.domain.run.definition import Cli, McpServer, Role, SandboxPolicy
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.gates import Concern
from supervisor_ai.domain.run.line_places import LineSide
from supervisor_ai.domain.run.spending.prices import CostCap
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import NO_USAGE, FeedbackKind, Usage
from supervisor_ai.engine.ports.sandbox import (
    LiveHeaders,
    OutputSink,
    RefusalSink,
    SandboxResult,
)
from supervisor_ai.engine.ports.workspaces import Workspace


class WorkerStarted(Struct, frozen=True, kw_only=True):
    """The agent is up."""

    session: str | None = None
    model: str | None = None


class WorkerSaid(Struct, frozen=True, kw_only=True):
    """The agent says something on its way."""

    text: str


class ToolCalled(Struct, frozen=True, kw_only=True):
    """The agent uses one of its tools."""

    name: str
    detail: str = ""


class WorkerRetried(Struct, frozen=True, kw_only=True):
    """The agent tries to reach its model once more, by itself."""

    attempt: int
    reason: str
    after: timedelta | None = None


class UsageSeen(Struct, frozen=True, kw_only=True):
    """What the agent has consumed so far."""

    usage: Usage


class WorkerFinished(Struct, frozen=True, kw_only=True):
    """The agent says that it is done, or why not."""

    message: str


Observation = WorkerStarted | WorkerSaid | ToolCalled | WorkerRetried | UsageSeen | WorkerFinished
"""What can be seen of a worker while it runs."""

ObservationSink = Callable[[Observation], None]


def unobserved(observation: Observation) -> None:
    """Look away."""
    del observation


class ModelLogin(Struct, frozen=True, kw_only=True):
    """A login with which an agent's requests go out; the agent itself never has it."""

    upstream: str
    is_local: bool
    headers: LiveHeaders


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberDoor:
    """The way of one attempt to the tools of the session in which it is a member."""

    member: str
    socket: Path
    """Where the tools are served, for this attempt alone."""
    token: str = field(repr=False)
    """What proves who speaks; nobody else's speaks through this door."""


class WorkerRequest(Struct, frozen=True, kw_only=True):
    """One attempt, as a worker needs to know it."""

    run: RunId
    step: StepName
    visit: int
    slot: int
    attempt: int
    role: str
    cli: Cli
    prompt: str
    workspace: Workspace
    program: Path
    label: str
    fence: int
    timeout: timedelta
    output_bytes: int
    sandbox: SandboxPolicy
    egress: tuple[str, ...]
    """The hosts that this attempt may reach, each as `host:port`."""
    on_refusal: RefusalSink
    tokens: int | None = None
    """What it may spend through its broker."""
    cost_cap: CostCap | None = None
    """What that may cost, where there is a budget and the price is known."""
    allowed_tools: tuple[str, ...] | None = None
    """What the role may use; None: everything."""
    system_prompt: str = ""
    mcp_servers: tuple[McpServer, ...] = ()
    max_turns: int | None = None
    flags: tuple[str, ...] = ()
    """What the role's CLI is told besides; an adapter that starts none is never given any."""
    nonce: str = ""
    """What the answer repeats; the prompt says so, too."""
    login: ModelLogin | None = None
    """What its requests carry where no key of the user's is used."""
    door: MemberDoor | None = None
    """The way to its session; None: it works for itself."""
    on_observation: ObservationSink = unobserved


class WorkerReport(Struct, frozen=True, kw_only=True):
    """What came of the process, and the text in which the answer is to be found.

    The diagnosis is None where an adapter knows no more than the exit code says.
    """

    result: SandboxResult
    output: str
    usage: Usage = NO_USAGE
    diagnosis: Diagnosis | None = None
    prompt_tokens: int | None = None
    """How many tokens its model counted for the prompt alone, where that can be told."""


class Worker(Protocol):
    """An agent that can be started for one attempt."""

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        """Start the agent, give it the prompt and wait for its end."""
        ...


WorkerFactory = Callable[[str], Worker]
"""Finds the worker for an adapter's name."""


class Answer(Struct, frozen=True, kw_only=True):
    """A valid answer: what the worker said, what it means, and its words for whoever comes next."""

    said: str
    meaning: Meaning
    document: str
    notes: str
    concerns: tuple[Concern, ...] = ()
    """What a reviewer objects to."""


class AnswerProblem(Struct, frozen=True, kw_only=True):
    """Why there is no valid answer."""

    category: FailureCategory
    message: str
    action: Action | None = None
    reset_at: datetime | None = None


class AnswerReader(Protocol):
    """Finds the answer in a worker's output; the format is validated, never guessed."""

    def read(self, kind: AnswerWord, output: str, *, nonce: str) -> Answer | AnswerProblem:
        """Return the answer that the final fenced block holds and that repeats the nonce."""
        ...


class Told(Struct, frozen=True, kw_only=True):
    """Words from elsewhere that a prompt repeats; never to be taken for instructions."""

    kind: FeedbackKind | None
    source: str
    text: str
    category: FailureCategory | None = None
    """What went wrong, where they are about a failed attempt."""
    side: LineSide | None = None
    """Which side of the change they are about, where that is a line."""
    quote: str = ""
    """What that line said."""


class PromptRequest(Struct, frozen=True, kw_only=True):
    """What a prompt is made of."""

    role: Role
    task: str
    step: StepName
    attempt: int
    feedback: tuple[Told, ...] = ()
    context: tuple[Told, ...] = ()
    diff: str | None = None
    turns: tuple[str, ...] = ()
    """The role's own earlier answers to this step, oldest first."""
    material: str = ""
    """What is shown of the repository, packed."""
    knowledge: str = ""
    """What is told of the knowledge store: a whole section."""
    directives: tuple[Told, ...] = ()
    answers_directives: bool = False
    """Whether it has to say what becomes of each of them."""
    """What the project's quality supervisors want done, the most urgent first."""
    instructions: str = ""
    """What the step asks of its role besides the task."""
    instruction: str = ""
    """What is asked instead of the whole, where the step is done in a simpler way."""
    nonce: str = ""
    """What the answer has to repeat."""


class Prompter(Protocol):
    """Writes the prompt of an attempt."""

    def write(self, request: PromptRequest) -> str:
        """Return what the worker is told."""
        ...
