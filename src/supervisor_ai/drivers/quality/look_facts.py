"""What is recorded of a supervisor's look, whoever let it look."""

from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName
from supervisor_ai.drivers.quality.directives import Directive, numbered
from supervisor_ai.drivers.quality.events import FindingsTaken, SupervisorRan
from supervisor_ai.drivers.quality.supervisors import (
    Roster,
    RunOutcome,
    SupervisorSpec,
    is_converging,
)

NOT_NOW: Final = "Its model cannot be had now."
BAD_FORM: Final = "Its answer had not the required form."


class LookPlace(Struct, frozen=True, kw_only=True):
    """Where a supervisor looks, and what it finds there."""

    step: StepName
    visit: int
    commit: CommitSha
    """The files that it looks at."""
    roster: Roster
    completed: int
    """How many tasks, or commits, are behind them."""
    directives: int
    """The number of the newest directive."""
    pending: tuple[Directive, ...]


def missed_look(
    at: LookPlace, spec: SupervisorSpec, outcome: RunOutcome, reason: str
) -> SupervisorRan:
    """State that a supervisor found nothing that counts; the work goes on."""
    return SupervisorRan(
        step=at.step,
        visit=at.visit,
        supervisor=spec.name,
        title=spec.title,
        outcome=outcome,
        after=at.completed,
        commit=at.commit,
        reason=reason,
    )


def told_look(
    at: LookPlace, spec: SupervisorSpec, found: FindingsTaken, findings: ArtifactHash | None
) -> SupervisorRan:
    """State what a supervisor found, and what it wants done."""
    runs = at.roster.record(spec.name).runs
    pending = {it.text for it in at.pending}
    # What is wanted already is not wanted twice.
    wanted = [it for it in found.directives if it.text not in pending]
    return SupervisorRan(
        step=at.step,
        visit=at.visit,
        supervisor=spec.name,
        title=spec.title,
        outcome=found.outcome,
        after=at.completed,
        commit=at.commit,
        directives=numbered(wanted, source=spec.name, first=at.directives + 1, since=at.completed),
        updated=found.updated,
        refused=found.refused,
        reviews=found.reviews,
        novel=found.novel,
        total=found.total,
        is_converging=is_converging(runs, novel=found.novel, total=found.total),
        findings=findings,
        reason=found.left_out,
    )
