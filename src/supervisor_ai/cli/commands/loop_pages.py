"""How loops are shown on a terminal."""

from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.cli.tables import fitted, folded, labelled
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.drivers.loop.queries.benefit import BenefitView, DocumentBenefit, Rates
from supervisor_ai.drivers.loop.queries.view import DirectiveView, LoopView

_DIRECTIVES: Final = ("NUMBER", "TYPE", "PRIORITY", "FROM", "AGE", "STATUS", "WHAT")
_RATES: Final = ("TASKS", "PASSED AT ONCE", "SETBACKS", "REJECTED REVIEWS", "COST")
_TASKS: Final = ("TASK", "OUTCOME", "TRIES", "COMMIT", "WHAT")
_LATEST: Final = 7


def status_page(view: LoopView, command: str) -> str:
    """Show in a few lines how a loop stands."""
    return "\n".join((*_head(view), "", *_next(view, command)))


def loop_page(view: LoopView, command: str) -> str:
    """Show a loop with its milestones, tasks, directives and supervisors."""
    return "\n".join(_lines(view, command))


def directive_table(found: Sequence[DirectiveView]) -> str:
    """Show directives as a table."""
    if not found:
        return "No directive is pending."
    rows = [
        (
            str(it.number),
            it.type,
            it.priority,
            one_line(it.source),
            str(it.age),
            it.status,
            one_line(it.description),
        )
        for it in found
    ]
    return "\n".join(fitted([_DIRECTIVES, *rows]))


def _head(view: LoopView) -> Iterator[str]:
    reached = sum(it.status == "reached" for it in view.milestones)
    done = sum(it.outcome == "done" for it in view.done_list)
    rest = ", resting" if view.is_paused else ""
    yield from labelled(
        (
            ("loop", view.run),
            ("status", f"{view.standing}{rest}"),
            ("node", view.node),
            ("milestones", f"{reached} of {len(view.milestones)} reached"),
            ("tasks", f"{done} done, {len(view.done_list)} over"),
            ("directives", f"{len(view.pending_directives)} pending"),
            ("urgency", f"{view.supervisor_urgency:.1f} of 1.0"),
            ("branch", view.branch or "none"),
        )
    )


def _next(view: LoopView, command: str) -> Iterator[str]:
    usual = "report" if view.status in ENDED else "show"
    verb = "resume" if view.is_paused else usual
    yield from labelled((("next", f"{command} loop {verb} {view.run}"),))


def _lines(view: LoopView, command: str) -> Iterator[str]:
    yield from _head(view)
    if view.remit:
        yield from ("", "Remit")
        yield from folded([f"  {one_line(view.remit)}"])
    if view.milestones:
        yield from ("", "Milestones")
        for it in view.milestones:
            mark = {"reached": "x", "current": ">"}.get(it.status, " ")
            yield from folded([f"  [{mark}] {one_line(it.outcome)}"])
    yield from _tasks(view)
    if view.carry_forward:
        yield from ("", "Planned next")
        yield from folded(f"  - {one_line(it)}" for it in view.carry_forward)
    if view.pending_directives:
        yield from ("", "Directives", directive_table(view.pending_directives))
    if view.supervisor_run_log:
        yield from ("", "Supervisors")
        for look in view.supervisor_run_log[-_LATEST:]:
            more = f": {one_line(look.reason)}" if look.reason else ""
            count = f"{look.directives} directives, {len(look.updated)} documents"
            yield f"  {look.title}, after {look.task_count} tasks: {look.outcome}, {count}{more}"
    if view.escalations:
        yield from ("", "Requests for direction")
        yield from folded(
            f"  {it.source}, task {it.task}: {one_line(it.text)}" for it in view.escalations
        )
    yield ""
    yield from _next(view, command)


def _tasks(view: LoopView) -> Iterator[str]:
    if view.done_list:
        rows = [
            (
                str(it.task),
                it.outcome,
                str(it.attempts),
                (it.commit or "-")[:12],
                one_line(it.description),
            )
            for it in view.done_list
        ]
        yield from ("", "Tasks", *fitted([_TASKS, *rows]))
    if view.current_task is not None:
        yield from ("", f"At work, attempt {view.attempt_count}")
        yield from folded([f"  {one_line(view.current_task)}"])


def benefit_lines(view: BenefitView) -> Iterator[str]:
    """Say how the tasks of all loops went, one comparison to a line."""
    yield "All loops of the project"
    rows = [
        ("with supervisors", view.supervised),
        ("without supervisors", view.alone),
        *(pair for it in view.documents for pair in _pairs(it)),
    ]
    yield from fitted([_RATES, *(_rates(label, it) for label, it in rows)])
    for it in view.supervisors:
        expected = f"{it.expected_least} to {it.expected_most} $ were expected"
        looks = f"{it.looks} look" if it.looks == 1 else f"{it.looks} looks"
        yield f"{it.supervisor}: {looks} cost {it.cost} $; {expected}"


def _pairs(it: DocumentBenefit) -> tuple[tuple[str, Rates], tuple[str, Rates]]:
    name = one_line(it.path)
    return (f"before {name}", it.before), (f"told of {name}", it.told)


def _rates(label: str, it: Rates) -> tuple[str, ...]:
    passed = f"{it.passed_at_once} of {it.tasks}"
    return label, passed, str(it.setbacks), str(it.rejected_reviews), f"{it.cost} $"
