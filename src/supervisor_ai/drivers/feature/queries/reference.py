"""What the generated pages say about features."""

from typing import Final

from supervisor_ai.control.slices import SliceReference
from supervisor_ai.drivers.feature.plan.rollup import FeatureProgress
from supervisor_ai.drivers.feature.queries.about import FeatureOfRun
from supervisor_ai.drivers.feature.queries.views import (
    ComponentView,
    FeatureRow,
    FeatureView,
    InterfaceView,
    PhaseView,
)

_PRINTS: Final = """\
`feature load`, `feature show` and `feature status` print `{"feature": FeatureView}`, `feature list`
prints `{"features": [FeatureRow, …]}`. `feature run`, and other verbs on its runs, print
`{"run": RunView, "feature": FeatureOfRun}`. `feature pause`, `resume`, `retry` and `skip` print
`MutationView`.
"""
REFERENCE: Final = SliceReference(
    whose="a feature's",
    prints=_PRINTS,
    shapes=(
        *(FeatureView, PhaseView, ComponentView, InterfaceView, FeatureProgress),
        *(FeatureRow, FeatureOfRun),
    ),
)
