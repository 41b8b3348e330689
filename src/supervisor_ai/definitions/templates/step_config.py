"""What a step's `config` asks: words for its role, and gates that measure."""

import re
from collections.abc import Iterator
from typing import Final

from supervisor_ai.definitions.config.known_gates import line_to_write
from supervisor_ai.definitions.schema.workflows import StepConfigShape
from supervisor_ai.definitions.templates.arrows import put_after
from supervisor_ai.definitions.templates.draft import DraftStep, GateTerms, WorkflowDraft
from supervisor_ai.definitions.templates.hooks import gate_step
from supervisor_ai.definitions.templates.kit import Kit, is_kind
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.structs import replace

_COVERAGE: Final = "coverage"
_TEST: Final = "test"
_FAIL_UNDER: Final = re.compile(r"--(?:cov-)?fail-under[= ](\d{1,3})\b")
_SWITCHES: Final = {
    "tdd": (
        "Work test first: write a test that fails, make it pass with the smallest change, "
        "then clean up."
    ),
    "add_docstrings": "Give every public function, class and module a docstring.",
    "skip_edge_cases": (
        "Do the usual cases well and leave rare ones; name those that you left in your summary."
    ),
}


def words_of(step: DraftStep, kit: Kit) -> Iterator[str]:
    """Say what the step asks in sentences for its role."""
    shape = step.shape
    yield from _config_words(shape.config or StepConfigShape(), writes=kit.writes(step))
    if shape.context_scope == "component_only":
        yield "Stay inside your component: change no file that does not belong to it."
    if shape.outputs:
        yield f"The step is expected to bring forth: {', '.join(shape.outputs)}."


def _config_words(config: StepConfigShape, *, writes: bool) -> Iterator[str]:
    for key, words in _SWITCHES.items():
        if getattr(config, key):
            yield words
    if config.test_types:
        deed = "Write tests of these kinds" if writes else "Test for"
        yield f"{deed}: {', '.join(config.test_types)}."
    if config.min_tests_per_component is not None:
        yield f"Write at least {config.min_tests_per_component} tests for each component."
    wanted = coverage_of(config)
    if wanted is not None:
        yield f"Tests must cover at least {wanted} % of the code; a gate measures it."


def coverage_of(config: StepConfigShape) -> int | None:
    """Return the highest coverage that is asked for."""
    asked = [it for it in (config.coverage, config.unit_test_coverage) if it is not None]
    return max(asked, default=None)


def link_config(draft: WorkflowDraft, kit: Kit) -> WorkflowDraft:
    """Add the gates that the steps' configs ask for."""
    for name in list(draft.steps):
        draft = _counted(draft, name, kit)
        wanted = coverage_of(draft.steps[name].shape.config or StepConfigShape())
        if wanted is not None:
            draft = _measured(draft, name, wanted, kit)
        else:
            draft = _measured_for_roles(draft, name, kit)
    return draft


def _measured_for_roles(draft: WorkflowDraft, name: str, kit: Kit) -> WorkflowDraft:
    """Measure what the roles of a step ask for, where the project says how."""
    step, wanted = draft.steps[name], kit.least_coverage(draft.steps[name])
    if wanted is None or not kit.are_gates_known:
        return draft
    if kit.has_gate(_COVERAGE):
        return _measured(draft, name, wanted, kit)
    said = f"its role asks for {wanted} % coverage, and no gate {_COVERAGE!r} is configured"
    place = step.place("role")
    return draft.noting(place, f"{said}, so it is left out; {line_to_write(_COVERAGE)}")


def _counted(draft: WorkflowDraft, name: str, kit: Kit) -> WorkflowDraft:
    """Let the gate that follows a step count its tests; where none follows, add one."""
    step, following = draft.steps[name], _gate_behind(draft, name)
    asked = (step.shape.config or StepConfigShape()).min_tests_per_component
    least = asked or kit.least_tests(step)
    if least is not None and following is not None:
        if least < (following.terms.min_tests_each or 0):
            return draft
        terms = replace(following.terms, min_tests_each=least, judges=name)
        return draft.with_step(following.on_terms(terms))
    if asked is None:
        return draft
    cause = ("config", "min_tests_per_component")
    made = gate_step(f"{name}_tests", _TEST, back=name, source=step.source("config"), cause=cause)
    return put_after(draft, name, made.on_terms(GateTerms(min_tests_each=asked, judges=name)))


def _measured(draft: WorkflowDraft, name: str, wanted: int, kit: Kit) -> WorkflowDraft:
    """Add the gate `coverage` behind the gate of a step."""
    step, following = draft.steps[name], _gate_behind(draft, name)
    own = f"{name}_{_COVERAGE}"
    if own in draft.steps or (following and _least_measured(following, kit) >= wanted):
        return draft
    config = step.shape.config or StepConfigShape()
    key = _COVERAGE if config.coverage == wanted else "unit_test_coverage"
    made = gate_step(
        own, _COVERAGE, back=name, source=step.source("config"), cause=("config", key)
    ).on_terms(GateTerms(numbers={_COVERAGE: wanted}))
    setting = kit.gates.get(_COVERAGE)
    if setting is not None and not any("{coverage}" in it for it in setting.command or ()):
        text = f"the gate {_COVERAGE!r} does not say {{coverage}}, so {wanted} % is not told to it"
        draft = draft.noting(setting.place, text)
    return put_after(draft, following.name if following else name, made)


def _least_measured(gate: DraftStep, kit: Kit) -> int:
    """Return the coverage below which the command of a gate fails by itself."""
    setting = kit.gates.get(gate.shape.gate or "")
    said = gate.shape.command or (setting.command if setting is not None else None) or ()
    found = _FAIL_UNDER.search(" ".join(said))
    return int(found[1]) if found else 0


def _gate_behind(draft: WorkflowDraft, name: str) -> DraftStep | None:
    following = draft.steps.get(draft.steps[name].shape.next or "")
    return following if following and is_kind(following, StepKind.GATE) else None
