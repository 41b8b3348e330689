"""How steps are linked in, taken out and put in order."""

from collections.abc import Collection, Iterable, Mapping, Set
from typing import Final

from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown
from supervisor_ai.definitions.templates.draft import DraftStep, WorkflowDraft
from supervisor_ai.domain.structs import replace

_BACK: Final = ("on_fail", "on_reject")


def put_after(draft: WorkflowDraft, anchor: str, step: DraftStep) -> WorkflowDraft:
    """Link a step in behind another one."""
    before = draft.steps[anchor]
    following = step.shape.next or before.shape.next
    steps = dict(draft.steps)
    steps[anchor] = before.changed(next=step.name, terminal=False)
    steps[step.name] = step.changed(next=following, terminal=following is None)
    return _linked(replace(draft, steps=steps), step)


def put_before(draft: WorkflowDraft, anchor: str, step: DraftStep) -> WorkflowDraft:
    """Link a step in so that every way forward to the other one leads through it."""
    steps = {
        name: it.changed(next=step.name) if it.shape.next == anchor and name != step.name else it
        for name, it in draft.steps.items()
    }
    steps[step.name] = step.changed(next=step.shape.next or anchor)
    initial = step.name if draft.initial_step == anchor else draft.initial_step
    return _linked(replace(draft, steps=steps, initial_step=initial), step)


def link_positions(
    draft: WorkflowDraft, said: Collection[str], new: Set[str], mistakes: FileMistakes
) -> WorkflowDraft:
    """Link in the steps of one file that say where they stand."""
    nexts = {name: step.shape.next for name, step in draft.steps.items()}
    for name in said:
        step = draft.steps[name]
        side, _, anchor = (step.shape.position or "").partition(" ")
        if name not in new:
            mistakes.add(step.place("position"), "moves a step that is there already")
        elif anchor not in draft.steps or anchor == name:
            known = sorted(set(draft.steps) - {name})
            mistakes.add(step.place("position"), unknown("step", anchor, known))
        elif side == "before":
            draft = put_before(draft, anchor, step)
        else:
            # Two steps behind the same one, each before what follows: one behind the other.
            is_between = step.shape.next == nexts[anchor]
            draft = put_after(draft, anchor, step.changed(next=None) if is_between else step)
    return draft


def drop_disabled(
    draft: WorkflowDraft, names: Iterable[tuple[str, FilePlace]], mistakes: FileMistakes
) -> WorkflowDraft:
    """Take steps out; what led to one leads to what follows it."""
    for name, place in names:
        problem = _why_needed(draft, name)
        if problem is not None:
            mistakes.add(place, problem)
        else:
            draft = _without(draft, name)
    return draft


def _why_needed(draft: WorkflowDraft, name: str) -> str | None:
    step = draft.steps.get(name)
    if step is None:
        return unknown("step", name, sorted(draft.steps))
    if step.shape.required:
        return f"disables {name!r}, which {step.source('required').written.document.file} requires"
    for other in draft.steps.values():
        for key in _BACK:
            if other.name != name and getattr(other.shape, key) == name:
                where = f"`{key}` of {other.name!r}"
                return f"disables {name!r}, the only way back for {other.name!r}; change {where}"
    return None


def _without(draft: WorkflowDraft, name: str) -> WorkflowDraft:
    following = draft.steps[name].shape.next
    steps = {
        step.name: step.changed(next=following, terminal=following is None)
        if step.shape.next == name
        else step
        for step in draft.steps.values()
        if step.name != name
    }
    initial = following or "" if draft.initial_step == name else draft.initial_step
    known = tuple(it for it in draft.known if it != name)
    return replace(draft, steps=steps, initial_step=initial, known=known)


def _linked(draft: WorkflowDraft, step: DraftStep) -> WorkflowDraft:
    return ordered(replace(draft, known=tuple(dict.fromkeys((*draft.known, step.name)))))


def ordered(draft: WorkflowDraft) -> WorkflowDraft:
    """Put the steps into the order in which a run takes them; the others stand at the end."""
    path: Mapping[str, DraftStep] = {step.name: step for step in draft.path}
    return replace(draft, steps={**path, **draft.steps})
