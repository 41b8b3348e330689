"""Hooks become gate steps of their own."""

from supervisor_ai.definitions.config.known_gates import line_to_write
from supervisor_ai.definitions.schema.workflows import StepShape
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.templates.arrows import put_before
from supervisor_ai.definitions.templates.draft import DraftStep, StepSource, WorkflowDraft
from supervisor_ai.definitions.templates.kit import Kit, commit_of


def link_hooks(draft: WorkflowDraft, kit: Kit) -> WorkflowDraft:
    """Put the gates of `hooks.pre_commit` before the commit."""
    names, source, commit = draft.hooks.pre_commit or [], draft.hooks_from, commit_of(draft)
    if source is None or not names:
        return draft
    if commit is None:
        kit.mistakes.add(source.place("pre_commit"), "has no meaning: no step commits")
        return draft
    for name in names:
        if name in draft.steps:
            continue
        if kit.has_gate(name):
            draft = put_before(draft, commit, _gate_before(draft, kit, commit, name, source))
        elif name not in kit.gates and kit.are_gates_known:
            draft = _left_out(draft, kit, name, source)
    return draft


def _gate_before(
    draft: WorkflowDraft, kit: Kit, commit: str, name: str, source: StepSource
) -> DraftStep:
    back = kit.way_back(draft, commit)
    return gate_step(name, name, back=back, source=source, cause=("pre_commit",))


def _left_out(draft: WorkflowDraft, kit: Kit, name: str, source: StepSource) -> WorkflowDraft:
    place, problem = source.place("pre_commit"), f"no gate {name!r} is configured"
    if source.origin is Origin.BUILT_IN:
        return draft.noting(place, f"{problem}, so it is left out; {line_to_write(name)}")
    kit.mistakes.add(place, f"{problem}; {line_to_write(name)}")
    return draft


def gate_step(
    name: str, gate: str, *, back: str | None, source: StepSource, cause: tuple[str, ...]
) -> DraftStep:
    """Make a gate step that no file describes."""
    shape = StepShape(type="orchestrator_gate", gate=gate, on_fail=back)
    return DraftStep(name=name, shape=shape, home=source, cause=cause)
