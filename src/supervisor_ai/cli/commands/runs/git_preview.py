"""Previews of the git flow: what would be done to branches, shown before it is."""

from typing import TYPE_CHECKING

import click

from supervisor_ai.cli.output import can_ask, say
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.domain.errors import InvalidInput

if TYPE_CHECKING:
    from supervisor_ai.control.commands.git_flow.task_completion import CompletionPlan
    from supervisor_ai.control.commands.run_start import PreparedRun

_TITLE = "Git Preview (dry-run):"


def start_preview(prepared: "PreparedRun") -> str:
    """Show the branch that a task would have."""
    base = prepared.base
    lines = (
        f"Branch: {one_line(prepared.branch)}",
        f"Base: {one_line(base.ref)} ({short(base.sha)})",
    )
    return "\n".join((_TITLE, *(f"  {line}" for line in lines)))


def completion_preview(plan: "CompletionPlan") -> str:
    """Show the commit that a task would end with, and where it would come to."""
    from supervisor_ai.control.commands.git_flow.completion_preview import completion_lines

    return "\n".join((_TITLE, *(f"  {line}" for line in completion_lines(plan))))


def agrees(preview: str, *, verb: str) -> bool:
    """Show what would be done and ask; raise InvalidInput where nobody can answer."""
    if not can_ask():
        raise InvalidInput(
            f"`{verb}` shows what it would do and asks, and there is no terminal to ask at.",
            hint="Add --yes if you agree beforehand; --dry-run only shows it.",
        )
    say(f"{preview}\n")
    return click.confirm("Proceed?", default=True, err=True)
