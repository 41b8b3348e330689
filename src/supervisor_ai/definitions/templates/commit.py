"""A commit that a template inherits and no step leads to."""

from supervisor_ai.definitions.templates.arrows import put_before
from supervisor_ai.definitions.templates.draft import WorkflowDraft
from supervisor_ai.definitions.templates.kit import commit_of, is_kind
from supervisor_ai.domain.run.definition import StepKind


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
