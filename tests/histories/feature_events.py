"""The facts of a feature, each of them once: its interfaces, an assignment, and its merges."""

from collections.abc import Iterator

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TreeSha
from supervisor_ai.domain.run.event_kinds.placed import RunEvent
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.feature import events as f

INTERFACES, COMPONENT = STEPS = (StepName("interfaces"), StepName("P1-PH1-C1"))
_AT = CommitSha("a" * 40)
_MERGED = Snapshot(commit=CommitSha("b" * 40), tree=TreeSha("c" * 40))


def kept(name: str) -> ArtifactHash:
    """Name an artifact."""
    return ArtifactHash(name.ljust(64, "0"))


def locking() -> Iterator[RunEvent]:
    """Write the interfaces, at the second try."""
    yield f.InterfacesStarted(step=INTERFACES, visit=1)
    yield f.InterfacesLost(step=INTERFACES, visit=1)
    yield f.InterfacesStarted(step=INTERFACES, visit=1)
    yield f.InterfacesWritten(step=INTERFACES, visit=1, snapshot=_MERGED, task=kept("interfaces"))


def building() -> Iterator[RunEvent]:
    """Write the assignment of a component, at the second try."""
    yield f.AssignmentStarted(step=COMPONENT, visit=1)
    yield f.AssignmentLost(step=COMPONENT, visit=1)
    yield f.AssignmentStarted(step=COMPONENT, visit=1)
    yield f.AssignmentWritten(step=COMPONENT, visit=1, task=kept("assignment"))


def merging() -> Iterator[RunEvent]:
    """Merge a component in each way that there is."""
    began = f.MergeStarted(step=COMPONENT, visit=1, child=RunId("golden-part"), onto=_AT)
    yield began
    yield f.MergeLost(step=COMPONENT, visit=1)
    yield began
    yield f.MergeRefused(step=COMPONENT, visit=1, reason="It conflicts.", report=kept("conflict"))
    yield began
    yield f.MergeNeedless(step=COMPONENT, visit=1)
    yield began
    yield f.MergePrepared(step=COMPONENT, visit=1, snapshot=_MERGED, touched=("src/a.py",))
