"""What the generated pages say about checkpoints."""

from typing import Final

from supervisor_ai.control.slices import SliceReference
from supervisor_ai.drivers.checkpoint.queries.about import SupervisorOfRun
from supervisor_ai.drivers.checkpoint.queries.checkpoints import CheckpointView

_PRINTS: Final = """\
`checkpoint serve`, and other verbs on its run, print
`{"run": RunView, "checkpoint": SupervisorOfRun}`. `checkpoint request` and `checkpoint show` print
`{"checkpoint": CheckpointView}`, `checkpoint list` prints `{"checkpoints": [CheckpointView, …]}`.
"""
REFERENCE: Final = SliceReference(
    whose="a supervisor's",
    prints=_PRINTS,
    shapes=(CheckpointView, SupervisorOfRun),
)
