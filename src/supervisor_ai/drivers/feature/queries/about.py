"""What is said about a feature where any run is shown."""

from msgspec import Struct

from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.slices import AboutRun, Rows, Standpoint
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.drivers.feature.definition import expect_feature
from supervisor_ai.drivers.feature.interfaces.checks import told
from supervisor_ai.drivers.feature.plan.rollup import FeatureProgress, progress_of
from supervisor_ai.drivers.feature.runs import FeatureRun, definition_of_run, state_of


class FeatureOfRun(Struct, frozen=True, kw_only=True):
    """The feature that a run builds, and what to type next."""

    id: str
    progress: FeatureProgress
    next: str
    """A command that goes on from here."""


def about_run(at: Standpoint, run: RunView) -> AboutRun | None:
    """Say which feature a run builds, how far it is, and what to type next."""
    definition, row = definition_of_run(at.records, run.id), at.records.queries.run(run.id)
    if definition is None or row is None:
        return None
    feature = definition.feature
    state = state_of(at.records, FeatureRun(row=row, definition=definition))
    progress = progress_of(feature, state.statuses)
    following = f"{at.command} feature status {feature.id}"
    value = FeatureOfRun(id=feature.id, progress=progress, next=following)
    done = f"{progress.completed} of {progress.total} components, {progress.percent} %"
    rows = (("feature", feature.id), ("progress", done))
    checks = state.lock_checks
    looked = () if checks is None else (("interfaces", told(checks)),)
    more = () if run.status in ENDED else (("see", following),)
    return AboutRun(value=value, rows=(*rows, *looked, *more))


def preview(definition: Definition) -> Rows:
    """Say what a run would build, and how."""
    pinned = expect_feature(definition)
    feature = pinned.feature
    count = f"{len(feature.components)} components in {len(feature.phases)} phases"
    gates = ", ".join(it.name for it in pinned.command_gates) or "none"
    return (
        ("feature", f"{feature.id}: {count}, {pinned.slots.max_parallel} at a time"),
        ("gates", f"after every merge: {gates}"),
    )
