"""A workflow file and all that it extends, put together into one draft."""

from collections.abc import Sequence

from supervisor_ai.definitions.config.gate_order import check_circles, check_gates
from supervisor_ai.definitions.config.gates import read_gates
from supervisor_ai.definitions.overlay.layers import Layer, WrittenFile
from supervisor_ai.definitions.overlay.tables import CONFIG
from supervisor_ai.definitions.schema.workflows import WorkflowShape
from supervisor_ai.definitions.templates.arrows import put_before
from supervisor_ai.definitions.templates.draft import WorkflowDraft
from supervisor_ai.definitions.templates.feedback import link_feedback
from supervisor_ai.definitions.templates.hooks import link_hooks
from supervisor_ai.definitions.templates.inheritance import lineage
from supervisor_ai.definitions.templates.kit import Kit, commit_of, is_kind
from supervisor_ai.definitions.templates.merge import merge
from supervisor_ai.definitions.templates.step_config import link_config, words_of
from supervisor_ai.definitions.templates.switches import apply_settings, check_settings
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.structs import replace


def assemble(
    name: str, written: WrittenFile[WorkflowShape], layers: Sequence[Layer], kit: Kit
) -> WorkflowDraft | None:
    """Put a workflow together; None where what it extends cannot be found."""
    files = lineage(name, written, layers, kit.mistakes)
    if files is None:
        return None
    kit = _with_gates(kit, files)
    draft = replace(merge(name, files, kit.mistakes), gates=kit.gates)
    draft = apply_settings(link_commit(draft), kit)
    draft = link_config(draft, kit)
    draft = link_hooks(draft, kit)
    draft = link_feedback(draft, kit)
    if not any(kit.mistakes.any_below(file.document.file) for file in files):
        check_settings(draft, kit)
    return draft.with_steps(step.telling(*words_of(step, kit)) for step in draft.steps.values())


def _with_gates(kit: Kit, files: Sequence[WrittenFile[WorkflowShape]]) -> Kit:
    """Lay the gates of the workflow files over those of the config."""
    gates = kit.gates
    for file in files:
        gates = read_gates(gates, file.planted(CONFIG).child("gates"), kit.mistakes)
    own = dict.fromkeys(name for file in files for name in file.shape.gates)
    if own:
        check_gates(gates, own, kit.mistakes, are_gates_known=kit.are_gates_known)
        check_circles(gates, kit.mistakes)
    return replace(kit, gates=gates)


def link_commit(draft: WorkflowDraft) -> WorkflowDraft:
    """Put an inherited commit before the pull request, which has nothing to show without it."""
    path = draft.path
    commit = commit_of(draft)
    publishing = [step for step in path if is_kind(step, StepKind.PULL_REQUEST)]
    if not draft.is_inherited or commit is None or not publishing:
        return draft
    if any(step.name == commit for step in path) or draft.steps[commit].shape.next is not None:
        return draft
    first = publishing[0]
    linked = put_before(draft, first.name, draft.steps[commit].changed(terminal=False))
    text = f"{commit!r} comes first, as a pull request shows what is committed"
    return linked.noting(first.place(), text)
