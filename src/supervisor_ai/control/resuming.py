"""Going on with a run."""

from supervisor_ai.control.commands.sandbox_choice import require_sandbox
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.engine.consent import require_consent


async def prepare_resume(project: OpenProject, name: str) -> RunRow:
    """Find a run and make sure that it could be driven here, unless it has ended."""
    row = project.records.find(name)
    if row.status not in ENDED:
        playback, _ = project.player.play(row.id)
        require_consent(project.world, playback.run)
        await require_sandbox(project, project.birth(row.id).sandbox)
    return row
