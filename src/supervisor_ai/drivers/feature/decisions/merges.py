"""From the queue to the branch: a component is merged, tested, landed, or sent back."""

from datetime import timedelta
from typing import Final

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Gate
from supervisor_ai.domain.run.effects import CommitStyle, Integrate, RunGate
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.decisions.entries import entry_of, known_value, perform
from supervisor_ai.drivers.feature.decisions.notes import called
from supervisor_ai.drivers.feature.decisions.queue import QueueTurn, below, landed_before, turn_of
from supervisor_ai.drivers.feature.definition import WATCHED
from supervisor_ai.drivers.feature.effects import PrepareMerge
from supervisor_ai.drivers.feature.interfaces.checks import failed_checks, idle_checks
from supervisor_ai.drivers.feature.interfaces.effects import VALIDATION, ValidateInterfaces
from supervisor_ai.drivers.feature.parts import Part
from supervisor_ai.drivers.feature.plan.interfaces import locked_files
from supervisor_ai.drivers.feature.plan.model import ComponentId, UndeclaredFiles
from supervisor_ai.drivers.feature.state import LOCKING, FeatureState, is_component, step_of
from supervisor_ai.drivers.moves.attempts import base_of

_OF_SUPERVISORS: Final = "knowledge: what the quality supervisors wrote down"
_GOOD: Final = frozenset({Verdict.PASSED, Verdict.WARNED})
_STRUCTURE: Final = Gate(name="merge", command=(), timeout=timedelta(minutes=2))
"""How long another tool may look for a merge; its command is its own."""


def merge_part(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Merge the first of the queue with the branch, and others on top of what is tested."""
    part, base = state.part(name), below(state, name)
    if base is None or state.is_resting:
        return None
    return perform(
        PrepareMerge(
            step=step_of(name),
            visit=part.visit,
            child=known_value(part.child),
            onto=base.commit,
            tree=base.tree,
            gates=state.definition.command_gates,
            locked=locked_files(state.definition.feature),
            claims=_claims(state, name),
            names=called(state.definition.feature, name),
            frame=_command(run, state, name, _STRUCTURE, base),
        )
    )


def _claims(state: FeatureState, name: ComponentId) -> tuple[str, ...] | None:
    """Say which files alone a component may write, where the user wants it held to its plan."""
    if state.definition.undeclared_files is UndeclaredFiles.WARN:
        return None
    components = state.definition.feature.components
    return next((it.files for it in components if it.id == name), None)


def test_merge(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Run the gates on the merged files, one after the other, until one fails."""
    part, gates, turn = state.part(name), state.definition.command_gates, turn_of(state, name)
    if turn is QueueTurn.STALE:
        return _drop(state, name)
    is_first = turn is QueueTurn.FIRST
    unvalidated = _validate(run, state, name)
    if unvalidated is not None:
        return unvalidated if is_first or unvalidated.effects else None
    for slot, gate in enumerate(gates, 1):
        said = part.verdicts.get(slot)
        if gate.name in part.known:
            continue
        if said is None:
            return perform(_gate(run, state, name, gate, slot))
        if said.verdict not in _GOOD and not gate.only_warns:
            return _back(state, name, said) if is_first else None
    return perform(_landing(run, state, name)) if is_first else None


def _drop(state: FeatureState, name: ComponentId) -> Decision:
    """Throw a merge away that was made on top of one that did not land."""
    dropped = f.MergeDropped(step=step_of(name), visit=state.part(name).visit)
    return Decision(events=(dropped,))


def need_no_merge(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Be done with a component that adds nothing, once that is sure."""
    turn = turn_of(state, name)
    if turn is QueueTurn.STALE:
        return _drop(state, name)
    return finish_part(run, state, name) if turn is QueueTurn.FIRST else None


def _validate(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Look at the interfaces in the merged files before any gate runs."""
    part = state.part(name)
    if not state.definition.feature.interfaces:
        return None
    if part.checks is None:
        return perform(
            ValidateInterfaces(
                step=step_of(name),
                visit=part.visit,
                interfaces=state.definition.feature.interfaces,
                snapshot=known_value(part.snapshot).commit,
                frame=_gate(run, state, name, VALIDATION, 1),
                known=None if name == LOCKING else state.lock_checks,
                definitions=state.book.definitions,
            )
        )
    failed, idle = failed_checks(part.checks), idle_checks(part.checks)
    if idle:
        reason = f"{idle[0].by} looked at the interfaces before, and does not now: {idle[0].reason}"
        return _failed(name, part, reason)
    if not failed:
        return None
    first, told = failed[0], tuple(it.report for it in failed if it.report is not None)
    reason = f"The interfaces do not hold on the merged files, says {first.by}: {first.reason}"
    return _again(state, name, replace(part, feedback=told), reason)


def _gate(run: Run, state: FeatureState, name: ComponentId, gate: Gate, slot: int) -> RunGate:
    merged = known_value(state.part(name).snapshot)
    return replace(_command(run, state, name, gate, merged), slot=slot)


def _command(run: Run, state: FeatureState, name: ComponentId, gate: Gate, on: Snapshot) -> RunGate:
    definition, origin = state.definition, base_of(run.birth).sha
    return RunGate(
        step=step_of(name),
        visit=state.part(name).visit,
        gate=gate,
        snapshot=on.commit,
        tree=on.tree,
        sandbox=definition.sandbox,
        workspace=definition.workspace,
        output_bytes=definition.limits.output_bytes,
        origin=origin,
        vouched=origin,
        harness=definition.harness,
    )


def _landing(run: Run, state: FeatureState, name: ComponentId) -> Integrate:
    part = state.part(name)
    return Integrate(
        step=step_of(name),
        visit=part.visit,
        snapshot=known_value(part.snapshot).commit,
        branch=run.birth.branch or "",
        base=base_of(run.birth).sha,
        expected=_expected(run, state),
        task=part.task or run.birth.task,
        subject=_OF_SUPERVISORS if name == WATCHED else "",
        style=CommitStyle(),
        is_signed=state.definition.git.sign_commits,
    )


def _expected(run: Run, state: FeatureState) -> CommitSha | None:
    """Say where the branch stands; what another run has begun is gone on with."""
    is_continued = run.birth.branch == state.branch
    return state.landed or (state.left if is_continued else None)


def _back(state: FeatureState, name: ComponentId, said: e.GateEnded) -> Decision:
    """Send a component whose merge is red back with the gate's own words."""
    reason = f"Gate {said.gate!r} does not pass on the merged files: {said.reason}"
    told = tuple(it for it in (said.feedback or said.output,) if it is not None)
    part = replace(state.part(name), feedback=told)
    if said.verdict is Verdict.NOT_RUN:
        return _failed(name, part, reason)
    began, last = landed_before(state, part.start), len(state.line) - 1
    if not is_component(name) or part.is_undone or last == began:
        return _again(state, name, part, reason)
    evicted = f.MergeEvicted(
        step=step_of(name),
        visit=part.visit,
        slot=said.slot,
        gate=said.gate,
        low=began - 1,
        high=last,
        reason=reason,
        told=told,
    )
    return Decision(events=(evicted,))


def search_partner(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Find out with whom a component is red, by halves, and send it back with that."""
    part = state.part(name)
    search = known_value(part.search)
    if search.is_over:
        reason = f"{search.reason} {_whose(state, part, search.high)}"
        return _again(state, name, replace(part, feedback=search.told), reason)
    if state.is_resting:
        return None
    gates = state.definition.command_gates
    if part.snapshot is not None:
        return perform(_gate(run, state, name, gates[search.slot - 1], search.slot))
    onto = _landed_at(run, state, search.middle)
    return perform(
        PrepareMerge(
            step=step_of(name),
            visit=part.visit,
            child=known_value(part.child),
            onto=onto.commit,
            tree=onto.tree,
            gates=gates,
        )
    )


def _whose(state: FeatureState, part: Part, first: int) -> str:
    """Say since when a merge is red: with a landing, or before there was anything to go with."""
    if first <= landed_before(state, part.start):
        return "It is red by itself, without what others have landed since."
    partner = state.line[first][0]
    who = state.definition.feature.short_names().get(partner, "what nobody builds")
    return f"It is red since {who} ({partner}) landed."


def _landed_at(run: Run, state: FeatureState, place: int) -> Snapshot:
    """Return what a landing has made of the branch; before the first one it is the base."""
    if place >= 0:
        return state.line[place][1]
    base = base_of(run.birth)
    return Snapshot(commit=base.sha, tree=base.tree)


def send_back(run: Run, state: FeatureState, name: ComponentId) -> Decision | None:
    """Send back what conflicts, once it is sure that what it conflicts with has landed."""
    del run
    part, turn = state.part(name), turn_of(state, name)
    if turn is QueueTurn.STALE:
        return _drop(state, name)
    return _again(state, name, part, part.reason) if turn is QueueTurn.FIRST else None


def _again(state: FeatureState, name: ComponentId, part: Part, reason: str) -> Decision:
    """Let a component be built once more, as long as that may go on."""
    failed = e.StepFailed(step=step_of(name), visit=part.visit, reason=reason)
    is_final = not is_component(name) or part.is_undone
    if part.returns >= state.definition.max_returns or is_final:
        return Decision(events=(failed,))
    return Decision(events=(failed, entry_of(state, name, part)))


def finish_part(run: Run, state: FeatureState, name: ComponentId) -> Decision:
    """Be done with a component that is on the branch."""
    del run
    passed = e.StepPassed(step=step_of(name), visit=state.part(name).visit)
    return Decision(events=(passed,))


def stop_part(run: Run, state: FeatureState, name: ComponentId) -> Decision:
    """Let a component fail whose run, or whose landing, did."""
    del run
    part = state.part(name)
    return _failed(name, part, part.reason)


def _failed(name: ComponentId, part: Part, reason: str) -> Decision:
    failed = e.StepFailed(step=step_of(name), visit=part.visit, reason=reason)
    return Decision(events=(failed,))
