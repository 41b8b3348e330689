"""The run in which quality supervisors look at what a feature has merged."""

from supervisor_ai.domain.run.effects import StartRun
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.run.values import Base
from supervisor_ai.drivers.feature.definition import AT_END, WATCHED
from supervisor_ai.drivers.feature.kinds import SUPERVISORS
from supervisor_ai.drivers.feature.plan.model import DONE
from supervisor_ai.drivers.feature.plan.rollup import status_of
from supervisor_ai.drivers.feature.state import FeatureState, step_of
from supervisor_ai.drivers.moves.attempts import base_of


def look_at_merged(run: Run, state: FeatureState) -> StartRun:
    """Start a run of supervisors alone on what is merged."""
    definition, statuses = state.definition, state.statuses
    is_end = all(status_of(statuses, it.id) in DONE for it in definition.feature.components)
    return StartRun(
        step=step_of(WATCHED),
        visit=state.part(WATCHED).visit,
        driver=definition.child_driver,
        workflow=SUPERVISORS,
        task=run.birth.task,
        definition=definition.children[AT_END if is_end else WATCHED],
        base=Base(
            ref=run.birth.branch or base_of(run.birth).ref,
            sha=state.tip.commit,
            tree=state.tip.tree,
            knowledge=state.knowledge,
        ),
    )
