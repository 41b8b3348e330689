"""Sentences about a feature's events, in a person's words."""

from typing import Final

from supervisor_ai.control.phrases import short
from supervisor_ai.control.registered_kinds import StepPhrases
from supervisor_ai.control.sentence_table import SentenceTable, on
from supervisor_ai.drivers.feature import events as f

FEATURE_SENTENCES: Final[SentenceTable] = (
    on(f.AssignmentStarted, lambda _: "its task is to be written", is_routine=True),
    on(f.AssignmentWritten, lambda _: "its task is written", is_routine=True),
    on(f.AssignmentLost, lambda _: "had no task yet when its owner died"),
    on(f.InterfacesStarted, lambda _: "the interfaces are to be written", is_routine=True),
    on(f.InterfacesWritten, lambda it: f"the interfaces are in {short(it.snapshot.commit)}"),
    on(f.InterfacesLost, lambda _: "had not written the interfaces when its owner died"),
    on(
        f.MergeStarted,
        lambda it: f"the work of run {it.child} is merged on top of {short(it.onto)}",
        mark="merging",
    ),
    on(f.MergePrepared, lambda it: f"is merged in {short(it.snapshot.commit)}", mark="merged"),
    on(f.MergeNeedless, lambda _: "adds nothing to the branch"),
    on(f.MergeRefused, lambda it: f"cannot be merged: {it.reason}", mark="conflict"),
    on(f.MergeLost, lambda _: "was not merged when its owner died"),
)
FEATURE: Final = StepPhrases(deed="builds the feature", preview="build the components")
COMPONENT: Final = StepPhrases(deed="a run builds it", preview="a run builds it, then it is merged")
