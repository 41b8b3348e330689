"""What the verbs of features share: where plans are kept, and how a feature is printed."""

from typing import TYPE_CHECKING, cast

from supervisor_ai.cli.commands.feature.graphs import draw_tree
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.plans import FeatureOffice
from supervisor_ai.drivers.feature.commands.start import feature_settings
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits
from supervisor_ai.drivers.feature.queries.dependencies import detected
from supervisor_ai.drivers.feature.queries.views import FeatureView
from supervisor_ai.drivers.feature.runs import newest_of

if TYPE_CHECKING:
    from supervisor_ai.drivers.feature.ports import ImportReader, PlanReader


def open_office(invocation: Invocation) -> FeatureOffice:
    """Open what features are planned with."""
    return FeatureOffice(
        preflight=invocation.preflight(),
        reader=cast("PlanReader", invocation.port("feature", "reader")),
        records=invocation.records(),
        start=invocation.directory,
    )


def limits_of(office: FeatureOffice) -> ParallelLimits:
    """Tell how many components are built at once, as the config says."""
    commit = office.preflight.repository.resolve(None).sha
    return feature_settings(office, commit).slots


def with_unplanned(invocation: Invocation, office: FeatureOffice, view: FeatureView) -> FeatureView:
    """Add what the code of a feature that is built needs, and the plan does not say."""
    newest = newest_of(office.records, view.id)
    is_built = newest is not None and newest.row.status is RunStatus.COMPLETED
    if newest is None or newest.row.commit is None or not is_built:
        return view
    reader = cast("ImportReader", invocation.port("feature", "imports"))
    try:
        found = detected(reader, newest.definition.feature, newest.row.commit)
    except Unavailable as error:
        say(f"What the code needs is not known. {error.message}")
        return view
    return replace(view, unplanned=found.unplanned)


def print_feature(view: FeatureView, *, as_json: bool) -> None:
    """Print a feature as a tree, or for programs."""
    if as_json:
        write_json({"feature": view})
    else:
        write(draw_tree(view))
