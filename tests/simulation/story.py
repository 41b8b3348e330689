"""A run without its accidents: what is left must not depend on them."""

from itertools import groupby
from typing import Final

from tests.simulation.invariants import Evidence

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.drivers.kanban import events as k

Page = tuple[str, ...]

_TOLD: Final = (
    e.StepEntered,
    e.StepPassed,
    e.StepFailed,
    e.AttemptSucceeded,
    e.AttemptFailed,
    e.GateEnded,
    e.ApprovalGiven,
    e.ApprovalRefused,
    e.IntegrationLanded,
    e.IntegrationRefused,
    k.KanbanRead,
    k.KanbanUnreadable,
    k.KanbanSaved,
    k.KanbanSaveRefused,
)
_ENDS: Final = (e.RunCompleted, e.RunFailed, e.RunCancelled)


def story(evidence: Evidence, run: RunId) -> list[Page]:
    """Tell the steps, visits and verdicts of a run, and its end."""
    pages: list[Page] = []
    for envelope in evidence.stream(run_stream(run)):
        event = envelope.event
        if isinstance(event, _TOLD):
            pages.append((envelope.type, event.step, str(event.visit), _verdict(event)))
        elif isinstance(event, _ENDS):
            pages.append((envelope.type, event.outcome.kind, event.outcome.reason))
    return _side_by_side(pages)


def _side_by_side(pages: list[Page]) -> list[Page]:
    """Put what the gates of a visit said in a fixed order: they run at the same time."""
    grouped = (sorted(group) for _, group in groupby(pages, key=lambda page: page[:3]))
    return [page for group in grouped for page in group]


def final_files(evidence: Evidence, run: RunId) -> dict[str, str] | None:
    """Return the files on the run's branch, if there is one."""
    tip = evidence.workspaces.branches.get(f"ai/{run}")
    plain = {
        f"{name}/{file}": content.decode()
        for name, files in evidence.kanban_files.directories.items()
        for file, content in files.items()
    }
    return plain or None if tip is None else {**evidence.workspaces.files(tip), **plain}


def _verdict(event: Event) -> str:
    match event:
        case e.AttemptSucceeded(said=said):
            return said
        case e.AttemptFailed(category=category, exit_code=code):
            return f"{category} {code}"
        case e.GateEnded(verdict=verdict, gate=gate):
            return f"{gate} {verdict}"
        case k.KanbanRead(current=current, phase=phase):
            return f"{phase} {current}"
        case _:
            return ""
