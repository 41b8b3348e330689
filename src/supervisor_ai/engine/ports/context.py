"""What a worker is shown of the repository."""

from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.context_plan import ContextPlan, PackedContext


class PackRequest(Struct, frozen=True, kw_only=True):
    """What a context is packed for."""

    plan: ContextPlan
    commit: CommitSha
    """The files as the worker will find them."""
    base: CommitSha
    """Where the run began: the diff is counted from here."""
    task: str
    plan_text: str = ""
    """What the planner answered, where there was one."""
    targets: tuple[str, ...] = ()
    """Files that somebody named; without any, those that the task and the plan name."""
    hides: tuple[str, ...] = ()
    """Patterns of files that do not exist for the role."""
    model: str = ""
    """Whose tokens are counted: `claude-opus-4`, `gpt-5`, or an adapter's name."""


class ContextPacker(Protocol):
    """Packs what a worker is shown; nothing in it is secret, and it never exceeds its budget."""

    async def pack(self, request: PackRequest) -> PackedContext:
        """Gather, redact, count and prune."""
        ...

    def learn(self, model: str, prompt: str, tokens: int) -> None:
        """Take in how many tokens a model counted for a prompt, so as to count better."""
        ...
