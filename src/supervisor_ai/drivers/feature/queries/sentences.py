"""Sentences about a feature's events, in a person's words."""

from typing import Final

from supervisor_ai.control.phrases import short
from supervisor_ai.control.registered_kinds import ApprovalPhrases, StepPhrases
from supervisor_ai.control.sentence_table import SentenceTable, on
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.interfaces import events as i
from supervisor_ai.drivers.feature.interfaces.checks import told
from supervisor_ai.drivers.feature.merges.structural_merges import TOOL
from supervisor_ai.drivers.feature.projects import events as p
from supervisor_ai.drivers.feature.projects import landings
from supervisor_ai.tools.text import counted


def _repository(project: str) -> str:
    return f"the project {project}" if project else "this repository"


def _by_structure(files: tuple[str, ...]) -> str:
    return f", by {TOOL} in {', '.join(files)}" if files else ""


def _touched(seen: tuple[f.TouchedFiles, ...]) -> str:
    counts = (f"{it.component} has changed {counted(len(it.files), 'file')}" for it in seen)
    return ", ".join(counts)


FEATURE_SENTENCES: Final[SentenceTable] = (
    on(p.GatheringStarted, lambda _: "the files of other projects are to be brought in"),
    on(p.ProjectsGathered, lambda it: f"other projects are in {short(it.snapshot.commit)}"),
    on(p.ProjectsRefused, lambda it: f"other projects cannot be brought in: {it.reason}"),
    on(p.GatheringLost, lambda _: "had brought nothing in when its owner died"),
    on(p.HandoverStarted, lambda _: "is to be published", is_routine=True),
    on(p.HandoverMade, lambda it: f"is published in {short(it.snapshot.commit)}"),
    on(p.HandoverNeedless, lambda _: "is published already"),
    on(p.HandoverRefused, lambda it: f"cannot be published: {it.reason}"),
    on(p.HandoverLost, lambda _: "was not published when its owner died"),
    on(
        landings.LandingPrepared,
        lambda it: f"the work of run {it.run} is about to land in {len(it.moves)} repositories",
    ),
    on(landings.LandingMoved, lambda it: f"{_repository(it.project)} has it"),
    on(landings.LandingTurned, lambda it: f"{_repository(it.project)} cannot take it: {it.reason}"),
    on(landings.LandingRestored, lambda it: f"{_repository(it.project)} is as it was"),
    on(landings.LandingKept, lambda it: f"somebody built on it in {_repository(it.project)}"),
    on(landings.LandingCompleted, lambda _: "it has landed in all repositories"),
    on(landings.LandingUndone, lambda _: "it has landed in no repository"),
    on(landings.LandingSplit, lambda _: "it has landed in some repositories and not in others"),
    on(f.AssignmentStarted, lambda _: "its task is to be written", is_routine=True),
    on(f.AssignmentWritten, lambda _: "its task is written", is_routine=True),
    on(f.AssignmentLost, lambda _: "had no task yet when its owner died"),
    on(f.InterfacesStarted, lambda _: "the interfaces are to be written", is_routine=True),
    on(f.InterfacesWritten, lambda it: f"the interfaces are in {short(it.snapshot.commit)}"),
    on(f.InterfacesLost, lambda _: "had not written the interfaces when its owner died"),
    on(
        f.TouchedFilesLookStarted,
        lambda _: "what components at work have changed is to be looked at",
        is_routine=True,
    ),
    on(f.TouchedFilesSeen, lambda it: _touched(it.seen), is_routine=True),
    on(f.TouchedFilesLookLost, lambda _: "had not looked when its owner died", is_routine=True),
    on(
        f.MergeStarted,
        lambda it: f"the work of run {it.child} is merged on top of {short(it.onto)}",
        mark="merging",
    ),
    on(
        f.MergePrepared,
        lambda it: f"is merged in {short(it.snapshot.commit)}{_by_structure(it.structural)}",
        mark="merged",
    ),
    on(f.MergeNeedless, lambda _: "adds nothing to the branch"),
    on(f.MergeRefused, lambda it: f"cannot be merged: {it.reason}", mark="conflict"),
    on(
        f.MergeEvicted,
        lambda it: f"is red together with what landed meanwhile: {it.reason}",
        mark="evicted",
    ),
    on(f.MergeDropped, lambda _: "is merged anew: what it was merged with did not land"),
    on(f.MergeLost, lambda _: "was not merged when its owner died"),
    on(
        f.RevertStarted,
        lambda it: f"{short(it.commit)} is taken back on top of {short(it.onto)}",
        mark="reverting",
    ),
    on(f.RevertPrepared, lambda it: f"is taken back in {short(it.snapshot.commit)}"),
    on(f.RevertNeedless, lambda _: "has nothing on the branch any more"),
    on(f.RevertRefused, lambda it: f"cannot be taken back: {it.reason}", mark="conflict"),
    on(f.RevertLost, lambda _: "was not taken back when its owner died"),
    on(
        f.FeaturePlanned,
        lambda it: (
            f"{it.feature} has {counted(len(it.components), 'component')}"
            f" in {counted(len(it.phases), 'phase')}"
        ),
        is_routine=True,
    ),
    on(
        f.PhaseUndone,
        lambda it: (
            f"{it.phase} is taken back; "
            f"{counted(len(it.components), 'component')} can be built again"
        ),
        mark="undone",
    ),
    on(f.PlanDraftStarted, lambda _: "the plan is put together", is_routine=True),
    on(
        f.PlanDrafted,
        lambda it: f"the plan of {it.feature} has {counted(it.components, 'component')}",
        mark="drafted",
    ),
    on(f.PlanRefused, lambda _: "what was answered makes no plan", mark="refused"),
    on(f.PlanDraftLost, lambda _: "had no plan yet when its owner died"),
    on(i.ValidationStarted, lambda _: "the interfaces are looked at", is_routine=True),
    on(i.InterfacesValidated, lambda it: f"interfaces: {told(it.checks)}", mark="validated"),
    on(i.ValidationLost, lambda _: "had not looked at the interfaces when its owner died"),
    on(i.InterfaceUnlocked, lambda it: f"interface {it.name} is unlocked", mark="unlocked"),
    on(i.InterfaceLocked, lambda it: f"interface {it.name} is locked again", mark="locked"),
    on(i.ComponentReopened, lambda it: f"{it.component} has to be built again", mark="reopened"),
)
UNLOCK: Final = ApprovalPhrases(
    asking="has an interface that somebody wants to change and ",
    why="components have agreed on an interface, and somebody wants to change it",
    yes="the interface is unlocked, and what depends on it is built again once it is locked",
    no="the interface stays as it is",
)
FEATURE: Final = StepPhrases(deed="builds the feature", preview="build the components")
COMPONENT: Final = StepPhrases(deed="a run builds it", preview="a run builds it, then it is merged")
PLAN: Final = StepPhrases(deed="checks the plan", preview="put the plan together and check it")
PLAN_RISK: Final = ApprovalPhrases(
    asking="has a plan whose risk somebody has to look at and ",
    why="the approval policy wants people to decide about this plan, by the files that it names",
    yes="the plan is built, once all have agreed who have to",
    no="nothing is built and the run ends; edit the plan and run it again",
)
