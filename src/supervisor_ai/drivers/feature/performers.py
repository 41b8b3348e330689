"""Who performs what a feature asks for: assignments, interfaces and merges."""

from collections.abc import Iterator, Mapping
from typing import Final, cast

from supervisor_ai.domain.ids import CommitSha, StepName, TreeSha, run_stream
from supervisor_ai.domain.run.definition import Definition, Gate
from supervisor_ai.domain.run.events import (
    AttemptSucceeded,
    GateEnded,
    GateStarted,
    IntegrationLanded,
    RunSubmitted,
)
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.drafts.performers import Planning
from supervisor_ai.drivers.feature.effects import (
    DraftPlan,
    LookAtTouched,
    PrepareMerge,
    PrepareRevert,
    WriteAssignment,
    WriteInterfaces,
)
from supervisor_ai.drivers.feature.interfaces.effects import ValidateInterfaces
from supervisor_ai.drivers.feature.interfaces.validation import Validator, redefined
from supervisor_ai.drivers.feature.merges.structural_merges import merge_by_structure
from supervisor_ai.drivers.feature.merges.touched_files import look_at_touched
from supervisor_ai.drivers.feature.merges.worker_notes import left_notes, told_notes
from supervisor_ai.drivers.feature.plan.claims import undeclared
from supervisor_ai.drivers.feature.plan.interfaces import interface_file, interface_text
from supervisor_ai.drivers.feature.plan.model import Component, Feature
from supervisor_ai.drivers.feature.projects.kept_commits import keep_commit
from supervisor_ai.drivers.feature.projects.performers import project_performers
from supervisor_ai.engine.effects.performer import performer
from supervisor_ai.engine.ports.branch_merges import BranchMerges, Conflicted
from supervisor_ai.engine.world import Operation, Performers

Place = tuple[StepName, int, int]
_TOLD: Final = 20_000
_PATHS: Final = 200
_NAMED: Final = 20
_REOPENED: Final = "its work is on the branch. It has to be looked at again, and this is why"
_SENT_BACK: Final = "could not be merged. This is what was found"


def make_performers(ports: Mapping[str, object]) -> Performers:
    """Make who performs the effects of features."""
    merges = _Merges(ports)
    return {
        **performer(WriteAssignment, write_assignment),
        **performer(WriteInterfaces, write_interfaces),
        **performer(PrepareMerge, merges.prepare),
        **project_performers(ports),
        **performer(LookAtTouched, look_at_touched),
        **performer(PrepareRevert, merges.revert),
        **performer(DraftPlan, Planning(ports).draft),
        **performer(ValidateInterfaces, Validator(ports).validate),
    }


async def write_assignment(effect: WriteAssignment, operation: Operation) -> f.AssignmentWritten:
    """Write down what a component's run is asked for."""
    component = next(it for it in effect.feature.components if it.id == effect.component)
    told = [operation.text_of(it)[:_TOLD] for it in effect.feedback]
    lines = list(_lines(effect.feature, component, told, is_reopened=effect.is_reopened))
    lines += told_notes(effect.notes, effect.feature.short_names(), operation)
    text = "\n".join(lines)
    task, _ = operation.keep(text)
    return f.AssignmentWritten(step=effect.step, visit=effect.visit, slot=effect.slot, task=task)


def _lines(
    feature: Feature, component: Component, told: list[str], *, is_reopened: bool
) -> Iterator[str]:
    names = feature.short_names()
    yield f"{component.title or component.name} ({component.id})"
    yield ""
    if component.description:
        yield f"{component.description}\n"
    if component.is_checkpoint:
        yield from _checkpoint_lines(feature, component)
        return
    yield f"This is one component of the feature: {feature.title}"
    yield "Write only these files (directories end with a slash, patterns have stars):"
    yield from (f"- {file}" for file in component.files)
    if component.depends_on:
        yield "These components are done, and you can use them:"
        yield from (f"- {names[it]}" for it in component.depends_on)
    after = [names[it.id] for it in feature.components if component.id in it.depends_on]
    if after:
        yield "These components are built on it. Where their workers have to know something, add to"
        yield 'your answer: "notes": [{"to": "COMPONENT", "text": "..."}]. Only they read it.'
        yield from (f"- {it}" for it in after[:_NAMED])
    if feature.interfaces:
        yield "These interfaces are agreed on. Keep to them, and do not change their files:"
        yield from (f"- {interface_file(it)} ({it.kind.value})" for it in feature.interfaces)
    for text in told:
        yield f"\nIt was built before, and {_REOPENED if is_reopened else _SENT_BACK}:\n"
        yield text


def _checkpoint_lines(feature: Feature, component: Component) -> Iterator[str]:
    """Say what somebody looks at who builds nothing."""
    built = [it for it in feature.components if it.id in component.depends_on]
    yield f"This is the checkpoint of a phase of the feature: {feature.title}"
    yield "Change no file. Its components are done, and you look at what they have written:"
    for it in built:
        yield f"- {it.title or it.name} ({it.id}): {', '.join(it.files)}"


async def write_interfaces(effect: WriteInterfaces, operation: Operation) -> f.InterfacesWritten:
    """Write the interfaces of a feature into a commit."""
    interfaces = redefined(effect.feature.interfaces, effect.definitions, operation)
    contents: dict[str, bytes | None] = {
        interface_file(it): interface_text(it).encode() for it in interfaces
    }
    snapshot = await operation.world.workspaces.compose(
        effect.onto, contents, at=operation.intended_at
    )
    await keep_commit(operation, snapshot.commit, effect)
    listed = "\n".join(f"- {file}" for file in sorted(contents))
    task, _ = operation.keep(f"Lock the interfaces of {effect.feature.id}\n\n{listed}")
    return f.InterfacesWritten(
        step=effect.step, visit=effect.visit, slot=effect.slot, snapshot=snapshot, task=task
    )


class _Merges:
    """Merges the work of components."""

    def __init__(self, ports: Mapping[str, object]) -> None:
        self._ports = ports

    async def prepare(
        self, effect: PrepareMerge, operation: Operation
    ) -> f.MergePrepared | f.MergeNeedless | f.MergeRefused:
        """Merge what a component's run has put on its branch with the feature's."""
        start, built = _built(effect, operation)
        if built is None:
            return f.MergeNeedless(step=effect.step, visit=effect.visit, slot=effect.slot)
        touched = await operation.world.workspaces.changed_paths(start, built)
        broken = sorted(set(touched).intersection(effect.locked))
        if broken:
            reason = f"It changes interfaces that are locked: {', '.join(broken)}."
            return _refused(effect, operation, reason, "")
        stray = () if effect.claims is None else undeclared(effect.claims, touched)
        if stray:
            named = ", ".join(map(repr, stray[:_NAMED]))
            reason = f"It writes files that its plan does not name: {named}."
            return _refused(effect, operation, reason, "")
        merges = cast("BranchMerges", self._ports["merges"])
        found, structural = await _merged(merges, effect, operation, built)
        if isinstance(found, Conflicted):
            reason = f"It conflicts with what is on the branch, in {', '.join(found.paths[:10])}."
            return _refused(effect, operation, reason, found.report)
        if found.tree == effect.tree:
            return f.MergeNeedless(step=effect.step, visit=effect.visit, slot=effect.slot)
        await keep_commit(operation, found.commit, effect)
        return f.MergePrepared(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            snapshot=found,
            touched=touched[:_PATHS],
            known=_known_gates(effect, operation, found.tree),
            structural=structural,
            notes=left_notes(_answers(effect, operation), effect.names, operation),
        )

    async def revert(
        self, effect: PrepareRevert, operation: Operation
    ) -> f.RevertPrepared | f.RevertNeedless | f.RevertRefused:
        """Take back what a component has put on the feature's branch."""
        merges = cast("BranchMerges", self._ports["merges"])
        at = (effect.step, effect.visit, effect.slot)
        found = await merges.revert(effect.onto, effect.commit, at=operation.intended_at)
        if isinstance(found, Conflicted):
            paths = ", ".join(found.paths[:10])
            reason = f"What came after it has changed the same lines, in {paths}."
            report, _ = operation.keep(f"{reason}\n\n{found.report}".rstrip())
            return f.RevertRefused(
                step=at[0], visit=at[1], slot=at[2], reason=reason, report=report
            )
        if found.tree == effect.tree:
            return f.RevertNeedless(step=at[0], visit=at[1], slot=at[2])
        await keep_commit(operation, found.commit, effect)
        words = f"Revert {effect.title}\n\nThis takes back {effect.commit}."
        task, _ = operation.keep(words)
        return f.RevertPrepared(step=at[0], visit=at[1], slot=at[2], snapshot=found, task=task)


async def _merged(
    merges: BranchMerges, effect: PrepareMerge, operation: Operation, built: CommitSha
) -> tuple[Snapshot | Conflicted, tuple[str, ...]]:
    """Merge by git alone, or else with a tool that knows the structure of the files."""
    at = operation.intended_at
    found = await merges.merge(effect.onto, built, at=at)
    if not isinstance(found, Conflicted) or not found.files or effect.frame is None:
        return found, ()
    merged = await merge_by_structure(effect.frame, operation, effect.onto, found.files)
    if merged is None:
        return found, ()
    return await merges.merge(effect.onto, built, at=at, merged=merged), tuple(sorted(merged))


def _refused(effect: PrepareMerge, operation: Operation, reason: str, sides: str) -> f.MergeRefused:
    report, _ = operation.keep(f"{reason}\n\n{sides}".rstrip())
    return f.MergeRefused(
        step=effect.step, visit=effect.visit, slot=effect.slot, reason=reason, report=report
    )


def _answers(effect: PrepareMerge, operation: Operation) -> list[AttemptSucceeded]:
    events = (it.event for it in operation.world.log.read(run_stream(effect.child)))
    return [it for it in events if isinstance(it, AttemptSucceeded)]


def _known_gates(effect: PrepareMerge, operation: Operation, tree: TreeSha) -> tuple[str, ...]:
    """Name the gates that passed on these very files in the component's own run.

    Its run began where the branch stood, and was held against more than a merge is: what the tests
    were before. So its word counts, though the cache of verdicts has it under another name.
    """
    trees: dict[CommitSha, TreeSha] = {}
    tested: dict[Place, CommitSha] = {}
    passed: set[str] = set()
    gates: tuple[Gate, ...] = ()
    for envelope in operation.world.log.read(run_stream(effect.child)):
        match envelope.event:
            case RunSubmitted(definition=definition):
                pinned = operation.world.documents.load(definition, Definition)
                gates = tuple(pinned.gates.values())
            case AttemptSucceeded(snapshot=Snapshot(commit=commit, tree=made)):
                trees[commit] = made
            case GateStarted(snapshot=commit) as started:
                tested[started.place] = commit
            case GateEnded(verdict=Verdict.PASSED, gate=name) as ended:
                if trees.get(tested.get(ended.place, effect.onto)) == tree:
                    passed.add(name)
            case _:
                pass
    is_fresh = operation.world.is_fresh
    return tuple(
        it.name
        for it in effect.gates
        if it.name in passed and it in gates and not (it.is_fresh or is_fresh)
    )


def _built(effect: PrepareMerge, operation: Operation) -> tuple[CommitSha, CommitSha | None]:
    """Find where a component's run began and what it put on its branch last, in its own stream."""
    start, built = effect.onto, None
    for envelope in operation.world.log.read(run_stream(effect.child)):
        match envelope.event:
            case RunSubmitted(base=base) if base is not None:
                start = base.sha
            case IntegrationLanded(commit=commit):
                built = commit
            case _:
                pass
    return start, built
