"""How checkpoints are shown on a terminal."""

from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.cli.tables import fitted
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.run_views import NEEDS_YOU
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.checkpoint.queries.checkpoints import CheckpointView

_HEAD: Final = ("CHECKPOINT", "STATUS", "VERDICT", "SCORE", "TREND", "DECISION")


def checkpoint_table(found: Sequence[CheckpointView]) -> str:
    """Show checkpoints as a table."""
    if not found:
        return "The session has no checkpoint."
    return "\n".join(fitted([_HEAD, *map(_row, found)]))


def _row(view: CheckpointView) -> tuple[str, ...]:
    decision = NEEDS_YOU if view.is_blocked else view.decision or "-"
    return (
        view.task_id,
        view.status.value,
        "-" if view.verdict is None else view.verdict.value,
        "-" if view.score is None else f"{view.score:.2f}",
        "-" if view.trend is None else view.trend.value,
        decision,
    )


def checkpoint_page(view: CheckpointView) -> str:
    """Show one checkpoint with its report."""
    return "\n".join(_lines(view))


def _lines(view: CheckpointView) -> Iterator[str]:
    if view.message is not None:
        yield f"{view.task_id} was asked for with {view.message}."
    if view.verdict is None:
        yield f"{view.task_id} is {view.status.value}, and has no report yet."
        return
    decided = f", decided {view.decided} of {view.checks} checks"
    yield f"{view.task_id}: {view.verdict.value} (score: {view.score:.2f}){decided}"
    for finding in view.findings:
        yield f"- {one_line(finding)}"
    if view.is_blocked:
        yield "A person has to decide: override, revise upstream, or abort."
    if view.decision is not None:
        yield f"Decided: {view.decision.value}."
    if view.report is not None:
        yield f"Report: {one_line(view.report)}"
    if view.text is not None:
        yield ""
        yield plain(view.text).rstrip("\n")
