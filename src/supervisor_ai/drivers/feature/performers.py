"""Who performs what a feature asks for: assignments, interfaces and merges."""

from collections.abc import Iterator, Mapping
from typing import Final, cast

from supervisor_ai.domain.ids import CommitSha, run_stream
from supervisor_ai.domain.run.events import IntegrationLanded, RunSubmitted
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.effects import PrepareMerge, WriteAssignment, WriteInterfaces
from supervisor_ai.drivers.feature.plan.interfaces import interface_file, interface_text
from supervisor_ai.drivers.feature.plan.model import Component, Feature
from supervisor_ai.engine.effects.performer import performer
from supervisor_ai.engine.ports.branch_merges import BranchMerges, Conflicted
from supervisor_ai.engine.world import Operation, Performers

_TOLD: Final = 20_000
_PATHS: Final = 200


def make_performers(ports: Mapping[str, object]) -> Performers:
    """Make who performs the effects of features."""
    merges = _Merges(ports)
    return {
        **performer(WriteAssignment, write_assignment),
        **performer(WriteInterfaces, write_interfaces),
        **performer(PrepareMerge, merges.prepare),
    }


async def write_assignment(effect: WriteAssignment, operation: Operation) -> f.AssignmentWritten:
    """Write down what a component's run is asked for."""
    component = next(it for it in effect.feature.components if it.id == effect.component)
    told = [operation.text_of(it)[:_TOLD] for it in effect.feedback]
    text = "\n".join(_lines(effect.feature, component, told))
    task, _ = operation.keep(text)
    return f.AssignmentWritten(step=effect.step, visit=effect.visit, slot=effect.slot, task=task)


def _lines(feature: Feature, component: Component, told: list[str]) -> Iterator[str]:
    names = feature.short_names()
    yield f"{component.title or component.name} ({component.id})"
    yield ""
    if component.description:
        yield f"{component.description}\n"
    yield f"This is one component of the feature: {feature.title}"
    yield "Write only these files (directories end with a slash, patterns have stars):"
    yield from (f"- {file}" for file in component.files)
    if component.depends_on:
        yield "These components are done, and you can use them:"
        yield from (f"- {names[it]}" for it in component.depends_on)
    if feature.interfaces:
        yield "These interfaces are agreed on. Keep to them, and do not change their files:"
        yield from (f"- {interface_file(it)} ({it.kind.value})" for it in feature.interfaces)
    for text in told:
        yield "\nIt was built before, and could not be merged. This is what was found:\n"
        yield text


async def write_interfaces(effect: WriteInterfaces, operation: Operation) -> f.InterfacesWritten:
    """Write the interfaces of a feature into a commit."""
    interfaces = effect.feature.interfaces
    contents: dict[str, bytes | None] = {
        interface_file(it): interface_text(it).encode() for it in interfaces
    }
    snapshot = await operation.world.workspaces.compose(
        effect.onto, contents, at=operation.intended_at
    )
    await _keep(operation, snapshot.commit, effect)
    listed = "\n".join(f"- {file}" for file in sorted(contents))
    task, _ = operation.keep(f"Lock the interfaces of {effect.feature.id}\n\n{listed}")
    return f.InterfacesWritten(
        step=effect.step, visit=effect.visit, slot=effect.slot, snapshot=snapshot, task=task
    )


async def _keep(
    operation: Operation, commit: CommitSha, effect: WriteInterfaces | PrepareMerge
) -> None:
    ref = f"refs/supervisor/{operation.run}/{effect.step}/{effect.visit}.merge"
    await operation.world.workspaces.keep(commit, ref=ref)


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
        merges = cast("BranchMerges", self._ports["merges"])
        found = await merges.merge(effect.onto, built, at=operation.intended_at)
        if isinstance(found, Conflicted):
            reason = f"It conflicts with what is on the branch, in {', '.join(found.paths[:10])}."
            return _refused(effect, operation, reason, found.report)
        if found.tree == effect.tree:
            return f.MergeNeedless(step=effect.step, visit=effect.visit, slot=effect.slot)
        await _keep(operation, found.commit, effect)
        return f.MergePrepared(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            snapshot=found,
            touched=touched[:_PATHS],
        )


def _refused(effect: PrepareMerge, operation: Operation, reason: str, sides: str) -> f.MergeRefused:
    report, _ = operation.keep(f"{reason}\n\n{sides}".rstrip())
    return f.MergeRefused(
        step=effect.step, visit=effect.visit, slot=effect.slot, reason=reason, report=report
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
