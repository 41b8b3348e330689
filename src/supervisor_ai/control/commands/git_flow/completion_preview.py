"""What completing a task would do, in lines for people."""

from supervisor_ai.control.commands.git_flow.task_completion import CompletionPlan
from supervisor_ai.control.phrases import listed, one_line
from supervisor_ai.domain.file_names import shown_name


def completion_lines(plan: CompletionPlan) -> tuple[str, ...]:
    """Show the commit that a task would end with, and where it would come to."""
    return (
        f"Commit: {one_line(plan.subject)}",
        f"Files: {listed([shown_name(it) for it in plan.files]) or 'none'}",
        _target(plan),
    )


def _target(plan: CompletionPlan) -> str:
    target = None if plan.target is None else one_line(plan.target)
    if plan.opens_request:
        return f"Pull request: to {target or 'the default branch'}"
    if target is None:
        return "Merge target: none; the task did not start on a branch (--into BRANCH names one)"
    if plan.merge is None:
        return f"Merge target: none; {target} stays where it is"
    if plan.obstacle is not None:
        return f"Merge target: {target} stays where it is: {one_line(plan.obstacle.message)}"
    return f"Merge target: {target}"
