"""Permits: places of which the runs of a project share a limited number."""

from dataclasses import dataclass, field, replace

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.project.events import PermitFreed, PermitTaken


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What the runs of a project share."""

    holders: dict[str, frozenset[RunId]] = field(default_factory=dict)

    def has_room(self, permit: str, *, limit: int) -> bool:
        """Tell whether one more run may hold the permit."""
        return len(self.holders.get(permit, frozenset())) < limit


def evolve(project: Project, event: Event) -> Project:
    """Fold one recorded fact into the project."""
    match event:
        case PermitTaken(permit=permit, run=run):
            held = project.holders.get(permit, frozenset()) | {run}
        case PermitFreed(permit=permit, run=run):
            held = project.holders.get(permit, frozenset()) - {run}
        case _:
            return project
    return replace(project, holders={**project.holders, permit: held})
