"""Let snapshots of completed runs expire whose work is found elsewhere."""

import asyncio
from contextlib import suppress

from supervisor_ai.control.commands.workspaces.cleanup import safe_refs
from supervisor_ai.control.ports.workspace_inventory import KeptStanding
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.queries.workspaces import WorkspaceRecords
from supervisor_ai.control.slices import definition_of
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.git_flow.policy import GitPolicy
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.status import RunStatus


async def expire_after(project: OpenProject, run: RunId) -> None:
    """Do what a run that has ended has pinned about snapshots; what cannot be done stays."""
    if project.inventory is None:
        return
    with suppress(SupervisorError):
        birth = project.birth(run)
        policy = project.records.documents.load(birth.definition, definition_of(birth.driver)).git
        if policy.keep_snapshots is None:
            return
        room = WorkspaceRecords(
            inventory=project.inventory(),
            workspaces=project.world.workspaces,
            records=project.records,
            clock=project.world.clock,
        )
        await asyncio.to_thread(expire_snapshots, room, policy)


def expire_snapshots(room: WorkspaceRecords, policy: GitPolicy) -> int:
    """Remove what the policy lets go; return how many refs went."""
    if room.records is None:
        return 0
    now, queries = room.clock.now(), room.records.queries
    with room.inventory.turn():
        works = []
        for work in safe_refs(room):
            row = queries.run(work.place.run)
            is_over = policy.lets_go(
                now - work.at,
                is_completed=row is not None and row.status is RunStatus.COMPLETED,
                is_elsewhere=work.standing is not KeptStanding.UNMERGED,
            )
            works += [work] if is_over else []
        return room.inventory.expire(works, at=now) if works else 0
