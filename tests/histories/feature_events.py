"""The facts of a feature, each of them once: its plan, interfaces, assignments and merges."""

from collections.abc import Iterator

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TreeSha
from supervisor_ai.domain.run.event_kinds.placed import RunEvent
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.interfaces import events as i
from supervisor_ai.drivers.feature.interfaces.checks import CheckScope, InterfaceCheck
from supervisor_ai.drivers.feature.plan.model import ComponentId, InterfaceKind
from supervisor_ai.drivers.feature.projects import events as p
from supervisor_ai.drivers.feature.projects import landings as m
from supervisor_ai.drivers.feature.projects.values import ProjectOrigin

INTERFACES, COMPONENT, CHECK, PROJECTS, PUBLISHED = STEPS = (
    StepName("interfaces"),
    StepName("P1-PH1-C1"),
    StepName("check"),
    StepName("projects"),
    StepName("publish.types"),
)
_AT = CommitSha("a" * 40)
_MERGED = Snapshot(commit=CommitSha("b" * 40), tree=TreeSha("c" * 40))

_CHECKS = (
    InterfaceCheck(
        kind=InterfaceKind.TYPESCRIPT,
        by="tsc",
        verdict=Verdict.WARNED,
        scope=CheckScope.PROJECT,
        command=("tsc", "--noEmit"),
        reason="it does not pass before anybody builds",
        report=ArtifactHash("report".ljust(64, "0")),
    ),
    InterfaceCheck(kind=InterfaceKind.SQL, by="", verdict=Verdict.NOT_RUN),
)


def kept(name: str) -> ArtifactHash:
    """Name an artifact."""
    return ArtifactHash(name.ljust(64, "0"))


def locking() -> Iterator[RunEvent]:
    """Write the interfaces, at the second try."""
    yield f.InterfacesStarted(step=INTERFACES, visit=1)
    yield f.InterfacesLost(step=INTERFACES, visit=1)
    yield f.InterfacesStarted(step=INTERFACES, visit=1)
    yield f.InterfacesWritten(step=INTERFACES, visit=1, snapshot=_MERGED, task=kept("interfaces"))
    looked = i.ValidationStarted(step=INTERFACES, visit=1, snapshot=_MERGED.commit)
    yield looked
    yield i.ValidationLost(step=INTERFACES, visit=1)
    yield looked
    yield i.InterfacesValidated(step=INTERFACES, visit=1, checks=_CHECKS)


def planned() -> RunEvent:
    """Say what is built."""
    return f.FeaturePlanned(
        step=INTERFACES,
        visit=1,
        feature="P1",
        phases=(f.PhasePlace(id="P1-PH1", sequence=1),),
        components=(
            f.ComponentPlace(id=COMPONENT, phase="P1-PH1", role="implementer"),
            f.ComponentPlace(id="P1-PH1-C2", phase="P1-PH1", depends_on=(COMPONENT,)),
        ),
    )


def planning() -> Iterator[RunEvent]:
    """Put a plan together, at the third try."""
    yield f.PlanDraftStarted(step=CHECK, visit=1)
    yield f.PlanDraftLost(step=CHECK, visit=1)
    yield f.PlanDraftStarted(step=CHECK, visit=1)
    yield f.PlanRefused(step=CHECK, visit=1, findings=kept("findings"))
    yield f.PlanDraftStarted(step=CHECK, visit=1)
    yield f.PlanDrafted(step=CHECK, visit=1, feature="P1", plan=kept("plan"), components=1)


def undoing() -> Iterator[RunEvent]:
    """Take a component back in each way that there is."""
    began = f.RevertStarted(step=COMPONENT, visit=1, commit=_MERGED.commit, onto=_AT)
    yield began
    yield f.RevertLost(step=COMPONENT, visit=1)
    yield began
    yield f.RevertRefused(step=COMPONENT, visit=1, reason="It conflicts.", report=kept("revert"))
    yield began
    yield f.RevertNeedless(step=COMPONENT, visit=1)
    yield began
    yield f.RevertPrepared(step=COMPONENT, visit=1, snapshot=_MERGED, task=kept("reverted"))
    yield f.PhaseUndone(step=COMPONENT, visit=1, phase="P1-PH1", components=(COMPONENT,))


def building() -> Iterator[RunEvent]:
    """Write the assignment of a component, at the second try."""
    yield f.AssignmentStarted(step=COMPONENT, visit=1)
    yield f.AssignmentLost(step=COMPONENT, visit=1)
    yield f.AssignmentStarted(step=COMPONENT, visit=1)
    yield f.AssignmentWritten(step=COMPONENT, visit=1, task=kept("assignment"))


def looking() -> Iterator[RunEvent]:
    """Look at what a component has changed, at the second try."""
    yield f.TouchedFilesLookStarted(step=COMPONENT, visit=1)
    yield f.TouchedFilesLookLost(step=COMPONENT, visit=1)
    yield f.TouchedFilesLookStarted(step=COMPONENT, visit=1)
    seen = f.TouchedFiles(
        component=ComponentId(COMPONENT), child=RunId("golden-part"), files=("src/a.py",)
    )
    yield f.TouchedFilesSeen(step=COMPONENT, visit=1, seen=(seen,))


def merging() -> Iterator[RunEvent]:
    """Merge a component in each way that there is."""
    began = f.MergeStarted(step=COMPONENT, visit=1, child=RunId("golden-part"), onto=_AT)
    yield began
    yield f.MergeLost(step=COMPONENT, visit=1)
    yield began
    yield f.MergeRefused(step=COMPONENT, visit=1, reason="It conflicts.", report=kept("conflict"))
    yield began
    yield f.MergeNeedless(step=COMPONENT, visit=1)
    yield f.MergeDropped(step=COMPONENT, visit=1)
    yield f.MergeEvicted(
        step=COMPONENT,
        visit=1,
        gate="test",
        low=-1,
        high=2,
        reason="It is red.",
        told=(kept("log"),),
    )
    yield began
    yield f.MergePrepared(
        step=COMPONENT,
        visit=1,
        snapshot=_MERGED,
        touched=("src/a.py",),
        structural=("src/a.py",),
        notes=(f.WorkerNote(to=ComponentId("P1-PH1-C2"), text=kept("note")),),
    )
    yield i.InterfaceUnlocked(step=COMPONENT, visit=1, name="User", number=1, why=kept("why"))
    yield i.ComponentReopened(
        step=COMPONENT, visit=1, component=ComponentId(COMPONENT), why=kept("why")
    )
    yield i.InterfaceLocked(step=COMPONENT, visit=1, name="User", commit=_AT)


def gathering() -> Iterator[RunEvent]:
    """Bring another repository in, at the third try."""
    yield p.GatheringStarted(step=PROJECTS, visit=1)
    yield p.GatheringLost(step=PROJECTS, visit=1)
    yield p.GatheringStarted(step=PROJECTS, visit=1)
    yield p.ProjectsRefused(step=PROJECTS, visit=1, reason="There is no repository.")
    yield p.GatheringStarted(step=PROJECTS, visit=1)
    origin = ProjectOrigin(
        project="types",
        place="projects/types",
        repository="/home/ada/types",
        branch="main",
        sha=_AT,
    )
    yield p.ProjectsGathered(
        step=PROJECTS, visit=1, snapshot=_MERGED, task=kept("projects"), origins=(origin,)
    )


def publishing() -> Iterator[RunEvent]:
    """Publish what a project has, in each way that there is."""
    began = p.HandoverStarted(step=PUBLISHED, visit=1)
    yield began
    yield p.HandoverLost(step=PUBLISHED, visit=1)
    yield began
    yield p.HandoverRefused(step=PUBLISHED, visit=1, reason="It has nothing of it.")
    yield began
    yield p.HandoverNeedless(step=PUBLISHED, visit=1)
    yield began
    yield p.HandoverMade(step=PUBLISHED, visit=1, snapshot=_MERGED, task=kept("published"))


def landing(run: RunId) -> Iterator[Event]:
    """Land in two repositories: not at all, in one of them only, and in both."""
    moves = tuple(
        m.RepositoryMove(
            project=name,
            repository=f"/home/ada/{name or 'shop'}",
            branch="main",
            old=_AT,
            new=_MERGED.commit,
        )
        for name in ("", "types")
    )
    prepared = m.LandingPrepared(run=run, moves=moves)
    turned = m.LandingTurned(project="types", reason="The branch moved.")
    restored = m.LandingRestored(project="types")
    yield from (prepared, m.LandingMoved(project=""), turned, restored)
    yield from (m.LandingRestored(project=""), m.LandingUndone())
    yield from (prepared, m.LandingMoved(project=""), turned, restored)
    yield from (m.LandingKept(project=""), m.LandingSplit())
    yield from (prepared, m.LandingMoved(project=""), m.LandingMoved(project="types"))
    yield m.LandingCompleted()
