"""What the generated pages say about loops."""

from typing import Final

from supervisor_ai.control.slices import SliceReference
from supervisor_ai.drivers.loop.queries.about import LoopOfRun
from supervisor_ai.drivers.loop.queries.benefit import (
    BenefitView,
    DocumentBenefit,
    LookCosts,
    Rates,
)
from supervisor_ai.drivers.loop.queries.view import (
    DirectiveView,
    DoneTaskView,
    EscalationView,
    LookView,
    LoopView,
    MilestoneView,
)

_PRINTS: Final = """\
`loop run` and `loop resume`, and other verbs on their runs, print
`{"run": RunView, "loop": LoopOfRun}`. `loop status` and `loop show` print `{"loop": LoopView}`,
`loop directives` prints `{"directives": [DirectiveView, …]}`, `loop report` prints
`{"loop": LoopView, "report": "…", "benefit": BenefitView}`, and `loop pause`, `loop directives
--add` and `--drop` print what every change prints. `directives` prints
`{"pending_directives": [DirectiveView, …]}`: those of the project, whose age counts commits.
"""
REFERENCE: Final = SliceReference(
    whose="a loop's",
    prints=_PRINTS,
    shapes=(
        *(LoopOfRun, LoopView, MilestoneView, DoneTaskView, DirectiveView),
        *(LookView, EscalationView, BenefitView, Rates, DocumentBenefit, LookCosts),
    ),
)
