"""Words that the verbs of teams share: which team is meant, who speaks, and what came of it."""

from typing import TYPE_CHECKING, Final

import click

from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.control.exit_codes import DONE, ERROR_EXIT_CODES
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import ErrorKind

if TYPE_CHECKING:
    from supervisor_ai.cli.invocation import Invocation
    from supervisor_ai.domain.envelope import Actor
    from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.sent import TeamAnswer

team_argument = click.argument("team", metavar="TEAM")
epoch_option = click.option(
    "--epoch",
    type=click.IntRange(min=1),
    metavar="N",
    help="Which epoch; the one that is next unless said.",
)
_REFUSED: Final = ERROR_EXIT_CODES[ErrorKind.CONFLICT]


def open_teams(invocation: "Invocation") -> "tuple[TeamDesk, Actor]":
    """Open the teams of the project; you are the user of this machine."""
    from supervisor_ai.drivers.team.commands.team_desk import TeamDesk

    office = invocation.session_office()
    return TeamDesk(desk=office.desk, folders=office.folders), office.actor


def report_answer(answer: "TeamAnswer", *, as_json: bool) -> int:
    """Print what came of an event; one that is not taken is a conflict."""
    if as_json:
        write_json(answer)
    else:
        word = "accepted" if answer.accepted else "refused"
        tell = write if answer.accepted else say
        tell(f"{answer.event}: {word}. {one_line(answer.reason)}".strip())
    return DONE if answer.accepted else _REFUSED
