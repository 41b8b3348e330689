"""What the generated pages say about teams."""

from typing import Final

from supervisor_ai.control.slices import SliceReference
from supervisor_ai.drivers.team.queries.status import TeamStatus
from supervisor_ai.drivers.team.sent import TeamAnswer

_PRINTS: Final = """\
`team create` and `team status` print `{"team": TeamStatus}`; `team send`, `team handoff` and
`team ack` print `TeamAnswer`.
"""
REFERENCE: Final = SliceReference(whose="a team's", prints=_PRINTS, shapes=(TeamStatus, TeamAnswer))
