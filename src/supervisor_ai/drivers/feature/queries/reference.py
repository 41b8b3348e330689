"""What the generated pages say about features."""

from typing import Final

from supervisor_ai.control.slices import SliceReference
from supervisor_ai.drivers.feature.commands.land import FeatureLanding
from supervisor_ai.drivers.feature.commands.undo import RevertView, UndoView
from supervisor_ai.drivers.feature.plan.detection import (
    DetectedDependencies,
    DetectedEdge,
    UnconfirmedImport,
)
from supervisor_ai.drivers.feature.plan.rollup import FeatureProgress
from supervisor_ai.drivers.feature.projects.landings import RepositoryMove
from supervisor_ai.drivers.feature.queries.about import FeatureOfRun
from supervisor_ai.drivers.feature.queries.interface_views import (
    InterfacePage,
    InterfaceValidation,
    InterfaceView,
)
from supervisor_ai.drivers.feature.queries.made_views import MadePartView
from supervisor_ai.drivers.feature.queries.views import (
    ComponentView,
    FeatureRow,
    FeatureView,
    PhaseView,
)

_PRINTS: Final = """\
`feature load`, `feature show` and `feature status` print `{"feature": FeatureView}`, `feature list`
prints `{"features": [FeatureRow, …]}`. `feature run`, and other verbs on its runs, print
`{"run": RunView, "feature": FeatureOfRun}`. `feature pause`, `resume`, `retry` and `skip` print
`MutationView`. `feature plan` prints `{"run": RunView, "feature": FeatureView}`, `feature edit`
`{"feature": FeatureView}`, `feature restart` and `rollback` `{"undo": UndoView}`, `feature land`
`FeatureLanding`. `interface show` prints `{"interfaces": [InterfacePage, …]}`, `interface unlock`
and `interface lock` print `MutationView`. `analyze-deps` prints
`{"dependencies": DetectedDependencies, "added": [[component, needs], …]}`.
"""
REFERENCE: Final = SliceReference(
    whose="a feature's",
    prints=_PRINTS,
    shapes=(
        *(FeatureView, PhaseView, ComponentView, InterfaceView, InterfaceValidation),
        *(InterfacePage, DetectedDependencies, DetectedEdge, UnconfirmedImport),
        *(FeatureProgress, FeatureRow, FeatureOfRun, UndoView, RevertView),
        *(MadePartView, FeatureLanding, RepositoryMove),
    ),
)
