"""What is said about a loop where any run is shown."""

from msgspec import Struct

from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.slices import AboutRun, Rows, Standpoint
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.drivers.loop.definition import expect_loop
from supervisor_ai.drivers.loop.queries.view import state_of


class LoopOfRun(Struct, frozen=True, kw_only=True):
    """Where a loop stands, and what to type next."""

    node: str
    completed: int
    """How many tasks were completed."""
    milestones: int
    reached: int
    pending_directives: int
    next: str
    """A command that goes on from here."""


def about_run(at: Standpoint, run: RunView) -> AboutRun | None:
    """Say where a loop stands, and what to type next."""
    state = state_of(at.records, run.id)
    book = state.book
    verb = f"loop report {run.id}" if run.status in ENDED else f"loop show {run.id}"
    following = f"{at.command} {verb}"
    reached = min(book.active_milestone_index, len(book.milestones))
    value = LoopOfRun(
        node=state.node.value,
        completed=book.completed,
        milestones=len(book.milestones),
        reached=reached,
        pending_directives=len(book.pending_directives),
        next=following,
    )
    rows = (
        ("node", state.node.value),
        ("tasks", f"{book.completed} completed, {book.tasks} begun"),
        ("milestones", f"{reached} of {len(book.milestones)} reached"),
        ("more", one_line(following)),
    )
    return AboutRun(value=value, rows=rows)


def preview(definition: Definition) -> Rows:
    """Say what a loop would keep to."""
    rules = expect_loop(definition).rules
    titles = ", ".join(it.title for it in rules.supervisors) or "none"
    return (
        ("tasks", f"at most {rules.max_tasks}, each tried {rules.max_attempts} times"),
        ("supervisors", titles),
        *_implementor(definition),
    )


def _implementor(definition: Definition) -> Rows:
    """Say who does the work where the model that plans it cannot: it has no tools."""
    planner, hands = (
        definition.clis[definition.roles[name].cli] for name in ("task_planner", "loop_implementor")
    )
    if planner.adapter != "api" or hands.models[:1] == planner.models[:1]:
        return ()
    lacks = f"{planner.name} has no tools; an agent of `clis` with `model: {planner.name}` has"
    return (("implementor", f"{hands.name}: {lacks}"),)
