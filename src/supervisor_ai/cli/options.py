"""Arguments and options that several verbs share."""

from collections.abc import Callable
from typing import Final, TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")
run_argument = click.argument("run", metavar="RUN")
optional_run_argument = click.argument("run", metavar="[RUN]", required=False)
dry_run_option = click.option("--dry-run", is_flag=True, help="Say what would be done and stop.")
yes_option = click.option("-y", "--yes", is_flag=True, help="Do not ask whether to proceed.")
queue_option = click.option(
    "--queue", is_flag=True, help="Leave the run to `supervisor serve` and return at once."
)
wait_option = click.option(
    "--wait", is_flag=True, help="Stay while the run waits for a person or a time."
)
verbose_option = click.option(
    "-v", "--verbose", is_flag=True, help="Show every line that workers and gates print."
)
drive_option = click.option(
    "--drive/--no-drive",
    default=None,
    help="Go on with the run here; by default on a terminal, where nobody drives it.",
)
fresh_option = click.option(
    "--no-cache", is_flag=True, help="Use no verdict and no set-up that is known from before."
)
tree_option = click.option(
    "--tree", metavar="SHA", help="Refuse unless the run asks about this tree."
)
base_option = click.option(
    "-b", "--base", metavar="REF", help="Read this commit, not the checkout's."
)
_STRATEGIES: Final = (
    ("--ff", "ff", "Only let the branch go forward; refuse if it has moved."),
    ("--merge", "merge", "Take it with a merge commit, in any case."),
    ("--squash", "squash", "Take all of it as one commit of yours."),
)


def strategy_options(function: F) -> F:
    """Let a verb be told how a branch takes a run's work; the last of several counts."""
    for flag, word, text in reversed(_STRATEGIES):
        function = click.option(flag, "strategy", flag_value=word, default=None, help=text)(
            function
        )
    return function
