"""The node at which the quality supervisors look, one after the other."""

from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.drivers.loop.decisions.aides import decide_summary
from supervisor_ai.drivers.loop.decisions.ways import go_on_after_supervisors
from supervisor_ai.drivers.loop.effects import RunLoopSupervisor, for_supervisor
from supervisor_ai.drivers.loop.state import LoopState
from supervisor_ai.drivers.moves.state import Visit, current_visit
from supervisor_ai.drivers.quality.looks import LookDesk, LookSite, decide_looks, missed
from supervisor_ai.drivers.quality.supervisors import RunOutcome, SupervisorSpec


def decide_supervision(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision:
    """Let the next supervisor look whose turn it is; after the last one, go on."""
    if (summed := decide_summary(run, state, at, visit)) is not None:
        return summed
    site = LookSite(run=run, flow=state.flow, at=at, visit=visit)
    return decide_looks(site, _desk(state)) or go_on_after_supervisors(state, visit)


def decide_absences(state: LoopState) -> Decision | None:
    """Record at the beginning which supervisors nobody can play; None: that is on record."""
    known = {it.supervisor for it in state.book.supervisor_run_log}
    absent = [it for it in state.rules.supervisors if it.lacks and it.name not in known]
    visit, desk = current_visit(state.flow), _desk(state)
    facts = tuple(missed(visit, desk, it, RunOutcome.UNAVAILABLE, it.lacks) for it in absent)
    return Decision(events=facts) if facts else None


def _desk(state: LoopState) -> LookDesk:
    book = state.book

    def send(effect: RunWorker, spec: SupervisorSpec) -> RunLoopSupervisor:
        looks = [it for it in book.supervisor_run_log if it.supervisor == spec.name]
        last = next((it for it in reversed(looks) if it.findings is not None), None)
        return for_supervisor(effect, book, spec, last)

    return LookDesk(
        roster=book.roster,
        summoned=state.summoned,
        kept=state.kept,
        completed=book.completed,
        counted="1 task" if book.completed == 1 else f"{book.completed} tasks",
        directives=book.directives,
        send=send,
        pending=book.pending_directives,
        findings=state.findings,
        landed=state.landed,
    )
