"""What each of a workflow's `settings` does to its steps, and what it demands of them."""

from collections.abc import Callable, Mapping
from typing import Final

from supervisor_ai.control.slice_names import registered_step
from supervisor_ai.definitions.schema.workflows import FollowShape, StepShape
from supervisor_ai.definitions.templates.agreement import needed
from supervisor_ai.definitions.templates.approvers import smallest_crew
from supervisor_ai.definitions.templates.arrows import drop_disabled, put_after, put_before
from supervisor_ai.definitions.templates.draft import DraftStep, StepSource, WorkflowDraft
from supervisor_ai.definitions.templates.hooks import gate_step
from supervisor_ai.definitions.templates.kit import Kit, commit_of, is_kind
from supervisor_ai.definitions.templates.step_kinds import kind_of
from supervisor_ai.domain.run.definition import StepKind

_SECURITY: Final = "security_review"
_CHANGELOG: Final = "changelog"
_PR: Final = "create_pr"
_PR_WORDS: Final = "The commits of the run become a pull request"
_CHANGELOG_WORDS: Final = (
    "Add an entry for this change to the project's changelog, in the form that it has there."
)
_OF_SEVERAL: Final = ("roles", "approvers", "parallel", "aggregate", "gate")
_FEWEST: Final = 2

Effect = Callable[[WorkflowDraft, Kit, StepSource], WorkflowDraft]


def apply_settings(draft: WorkflowDraft, kit: Kit) -> WorkflowDraft:
    """Change the steps as the settings say."""
    for key, effects in _EFFECTS.items():
        value = getattr(draft.settings, key)
        if value in effects:
            draft = effects[value](draft, kit, draft.settings_from[key])
    return draft


def check_settings(draft: WorkflowDraft, kit: Kit) -> None:
    """Note what the settings demand and the steps do not do."""
    for key, (is_kept, problem) in _DEMANDS.items():
        if getattr(draft.settings, key) and not is_kept(draft, kit):
            kit.mistakes.add(draft.settings_from[key].place(key), problem)


def _first_only(draft: WorkflowDraft, kit: Kit, source: StepSource) -> WorkflowDraft:
    """Leave the review to the first of several roles."""
    del source
    return draft.with_steps(
        step.changed(role=step.crew[0], **dict.fromkeys(_OF_SEVERAL))
        if len(step.crew) > 1 and kit.reviews(step)
        else step
        for step in draft.steps.values()
    )


def _approved_commit(draft: WorkflowDraft, kit: Kit, source: StepSource) -> WorkflowDraft:
    """Ask a person before the commit, where the step does not say otherwise itself."""
    del kit, source
    commit = commit_of(draft)
    if commit is None or draft.steps[commit].shape.human_approval is not None:
        return draft
    return draft.with_step(draft.steps[commit].changed(human_approval=True))


def _unattended(draft: WorkflowDraft, kit: Kit, source: StepSource) -> WorkflowDraft:
    """Ask nobody after a step; human gates stay."""
    del kit, source
    return draft.with_steps(
        step.changed(human_approval=False) if step.shape.human_approval else step
        for step in draft.steps.values()
    )


def _audited(draft: WorkflowDraft, kit: Kit, source: StepSource) -> WorkflowDraft:
    """Add a security review before the commit, unless there is one or a file has disabled it."""
    commit = commit_of(draft)
    if commit is None or _SECURITY in draft.steps or _SECURITY in draft.dropped:
        return draft
    back = kit.way_back(draft, commit)
    shape = StepShape(role="security_auditor", on_reject=back)
    made = DraftStep(name=_SECURITY, shape=shape, home=source, cause=(_SECURITY,))
    return put_before(draft, commit, made)


def _unaudited(draft: WorkflowDraft, kit: Kit, source: StepSource) -> WorkflowDraft:
    """Take the security review out."""
    if _SECURITY not in draft.steps:
        return draft
    place = source.place(_SECURITY)
    return drop_disabled(draft, [(_SECURITY, place)], kit.mistakes)


def _with_pull_request(draft: WorkflowDraft, kit: Kit, source: StepSource) -> WorkflowDraft:
    """Open a pull request after the commit."""
    del kit
    commit = commit_of(draft)
    if commit is None or _PR in draft.steps or _PR in draft.dropped:
        return draft
    shape = StepShape(type="pull_request", description=_PR_WORDS)
    made = DraftStep(name=_PR, shape=shape, home=source, cause=("auto_pr",))
    return put_after(draft, commit, made)


def _followed(draft: WorkflowDraft, kit: Kit, source: StepSource) -> WorkflowDraft:
    """Follow every pull request whose step does not say otherwise itself."""
    del kit, source
    return draft.with_steps(
        step.changed(follow=FollowShape())
        if is_kind(step, StepKind.PULL_REQUEST) and step.shape.follow is None
        else step
        for step in draft.steps.values()
    )


def _with_changelog(draft: WorkflowDraft, kit: Kit, source: StepSource) -> WorkflowDraft:
    """Tell those who write to mind the changelog, and look before the commit whether they did."""
    told = draft.with_steps(
        step.telling(_CHANGELOG_WORDS) if kit.writes(step) else step
        for step in draft.steps.values()
    )
    commit = commit_of(told)
    is_checked = any(_CHANGELOG in _gates_of(step) for step in told.steps.values())
    is_wanted = kit.has_gate(_CHANGELOG) and _CHANGELOG not in {*told.steps, *told.dropped}
    if commit is None or is_checked or not is_wanted:
        return told
    back = kit.way_back(told, commit)
    cause = ("require_changelog",)
    made = gate_step(_CHANGELOG, _CHANGELOG, back=back, source=source, cause=cause)
    return put_before(told, commit, made)


def _gates_of(step: DraftStep) -> tuple[str, ...]:
    shape = step.shape
    return (*((shape.gate,) if shape.gate else ()), *(shape.gates or ()))


def _is_tested(draft: WorkflowDraft, kit: Kit) -> bool:
    """Tell whether a gate stands between the last step that writes and the commit."""
    return any(is_kind(step, StepKind.GATE) for step in _behind_writing(draft, kit))


def _is_reviewed_twice(draft: WorkflowDraft, kit: Kit) -> bool:
    """Tell whether two roles, who must agree, review what was written."""
    return any(
        smallest_crew(step.shape) >= _FEWEST and kit.reviews(step) and needed(step.shape) is None
        for step in _behind_writing(draft, kit)
    )


def _behind_writing(draft: WorkflowDraft, kit: Kit) -> list[DraftStep]:
    steps, commit = draft.path, commit_of(draft)
    names = [step.name for step in steps]
    end = names.index(commit) if commit in names else len(names)
    writers = [at for at, step in enumerate(steps[:end]) if kit.writes(step)]
    return steps[writers[-1] + 1 : end] if writers else []


def _switched_off(switch: str) -> Effect:
    """Leave steps of slices in their places, and let them be skipped."""

    def leave(draft: WorkflowDraft, kit: Kit, source: StepSource) -> WorkflowDraft:
        del kit, source
        return draft.with_steps(_skipped(step, switch) for step in draft.steps.values())

    return leave


def _skipped(step: DraftStep, switch: str) -> DraftStep:
    kind = kind_of(step.name, step.shape)
    registered = None if kind is None else registered_step(kind)
    if registered is None or registered.switch != switch:
        return step
    return step.changed(options={**(step.shape.options or {}), "enabled": False})


_EFFECTS: Final[Mapping[str, Mapping[bool, Effect]]] = {
    "parallel_reviews": {False: _first_only},
    "security_review": {True: _audited, False: _unaudited},
    "human_approval": {True: _approved_commit, False: _unattended},
    "auto_pr": {True: _with_pull_request},
    "follow_pull_request": {True: _followed},
    "require_changelog": {True: _with_changelog},
    "supervision": {False: _switched_off("supervision")},
}
"""`audit_trail` does nothing: the ledger keeps every run, and no workflow can switch it off."""

_DEMANDS: Final[Mapping[str, tuple[Callable[[WorkflowDraft, Kit], bool], str]]] = {
    "require_tests": (
        _is_tested,
        "is true, but no gate stands between the last step that writes and the commit",
    ),
    "dual_review": (
        _is_reviewed_twice,
        "is true, but no step behind the last one that writes has two roles who must both agree",
    ),
}
