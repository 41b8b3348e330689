"""What the generated pages say about teams."""

from typing import Final

from supervisor_ai.control.slices import SliceReference
from supervisor_ai.drivers.team.queries.status import TeamStatus
from supervisor_ai.drivers.team.sent import TeamAnswer

_PRINTS: Final = """\
`team create` and `team status` print `{"team": TeamStatus}`; `team join` prints `{"team", "member",
"role", "token"}`, once. `team send`, `team handoff`, `team ack`, `team reconcile`, `team teardown`
and `team delete` print `TeamAnswer`, also where it is not accepted (exit code 4). `team report`
prints `{"report": {"window", "healthy", "alerts", "actions", "needs_decision"}}`, `team serve`
what every verb prints that starts a run.
"""
REFERENCE: Final = SliceReference(whose="a team's", prints=_PRINTS, shapes=(TeamStatus, TeamAnswer))
