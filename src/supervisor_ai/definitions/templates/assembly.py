"""A workflow file and all that it extends, put together into one draft."""

from collections.abc import Sequence

from supervisor_ai.definitions.layers import Layer, Written
from supervisor_ai.definitions.templates.draft import Draft
from supervisor_ai.definitions.templates.hooks import link_hooks
from supervisor_ai.definitions.templates.inheritance import lineage
from supervisor_ai.definitions.templates.kit import Kit
from supervisor_ai.definitions.templates.merging import merge
from supervisor_ai.definitions.templates.step_config import link_config, words_of
from supervisor_ai.definitions.templates.switches import apply_settings, check_settings
from supervisor_ai.definitions.workflow_shapes import WorkflowShape


def assemble(
    name: str, written: Written[WorkflowShape], layers: Sequence[Layer], kit: Kit
) -> Draft | None:
    """Put a workflow together; None where what it extends cannot be found."""
    files = lineage(name, written, layers, kit.mistakes)
    if files is None:
        return None
    draft = merge(name, files, kit.mistakes)
    draft = apply_settings(draft, kit)
    draft = link_config(draft, kit)
    draft = link_hooks(draft, kit)
    if not any(kit.mistakes.any_below(file.document.file) for file in files):
        check_settings(draft, kit)
    return draft.with_steps(step.telling(*words_of(step, kit)) for step in draft.steps.values())
