"""Who brings other projects in, and hands on what a project publishes."""

from collections.abc import Mapping
from typing import cast

from supervisor_ai.domain.errors import HostFailure, SupervisorError
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.feature.projects import events as p
from supervisor_ai.drivers.feature.projects.effects import GatherProjects, PublishProject
from supervisor_ai.drivers.feature.projects.kept_commits import keep_commit
from supervisor_ai.drivers.feature.projects.ports import ProjectTrees
from supervisor_ai.engine.effects.performer import performer
from supervisor_ai.engine.world import Operation, Performers


def project_performers(ports: Mapping[str, object]) -> Performers:
    """Make who performs what features ask for projects."""
    deeds = _Projects(ports)
    return {
        **performer(GatherProjects, deeds.gather),
        **performer(PublishProject, deeds.publish),
    }


class _Projects:
    """Puts the files of projects where they are needed."""

    def __init__(self, ports: Mapping[str, object]) -> None:
        self._ports = ports

    @property
    def _trees(self) -> ProjectTrees:
        return cast("ProjectTrees", self._ports["trees"])

    async def gather(
        self, effect: GatherProjects, operation: Operation
    ) -> p.ProjectsGathered | p.ProjectsRefused:
        """Bring the files of other repositories into a commit."""
        step, visit, slot = effect.step, effect.visit, effect.slot
        try:
            snapshot, origins = await self._trees.gather(
                effect.onto, effect.projects, at=operation.intended_at
            )
        except HostFailure:
            raise
        except SupervisorError as error:
            reason = operation.world.redactor.redact(plain(error.message)).text
            return p.ProjectsRefused(step=step, visit=visit, slot=slot, reason=reason)
        await keep_commit(operation, snapshot.commit, effect)
        listed = "\n".join(f"- {it.project}: {it.sha} of {it.branch}" for it in origins)
        task, _ = operation.keep(f"Bring other projects in\n\n{listed}")
        return p.ProjectsGathered(
            step=step, visit=visit, slot=slot, snapshot=snapshot, task=task, origins=origins
        )

    async def publish(
        self, effect: PublishProject, operation: Operation
    ) -> p.HandoverMade | p.HandoverNeedless | p.HandoverRefused:
        """Copy what a project publishes to those who depend on it."""
        step, visit, slot = effect.step, effect.visit, effect.slot
        snapshot = await self._trees.copy(effect.onto, effect.copies, at=operation.intended_at)
        if snapshot is None:
            listed = ", ".join(effect.copies[0].files)
            reason = f"The project {effect.project!r} has none of what it publishes: {listed}."
            return p.HandoverRefused(step=step, visit=visit, slot=slot, reason=reason)
        if snapshot.tree == effect.tree:
            return p.HandoverNeedless(step=step, visit=visit, slot=slot)
        await keep_commit(operation, snapshot.commit, effect)
        targets = "\n".join(f"- {it.target}/" for it in effect.copies)
        task, _ = operation.keep(f"Publish {effect.project}\n\n{targets}")
        return p.HandoverMade(step=step, visit=visit, slot=slot, snapshot=snapshot, task=task)
