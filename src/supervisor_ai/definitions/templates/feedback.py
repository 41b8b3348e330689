"""A gate whose policy is to send back gets a way back."""

from supervisor_ai.definitions.config.gate_order import with_needed
from supervisor_ai.definitions.templates.draft import DraftStep, WorkflowDraft
from supervisor_ai.definitions.templates.kit import Kit, is_kind
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.gates import GatePolicy


def link_feedback(draft: WorkflowDraft, kit: Kit) -> WorkflowDraft:
    """Lead from each gate that sends back to who can mend what it found."""
    for step in list(draft.steps.values()):
        teller = _teller(step, kit)
        if teller is None or step.shape.on_fail is not None:
            continue
        back = kit.way_back(draft, step.name)
        if back is None:
            key = "gate" if step.shape.gates is None else "gates"
            problem = f"the gate {teller!r} sends its findings back (policy: feedback)"
            advice = "but no step before it writes; name one: `on_fail: STEP`"
            kit.mistakes.add(step.place(key), f"{problem}, {advice}")
        else:
            draft = draft.with_step(step.changed(on_fail=back))
    return draft


def _teller(step: DraftStep, kit: Kit) -> str | None:
    """Name the first gate of a step whose policy is to send back."""
    if not is_kind(step, StepKind.GATE):
        return None
    running = with_needed((it for it in step.checks if kit.has_gate(it)), kit.gates)
    tellers = (it for it in running if kit.gates[it].policy is GatePolicy.FEEDBACK)
    return next(tellers, None)
