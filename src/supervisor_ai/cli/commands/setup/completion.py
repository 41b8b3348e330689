"""`supervisor completion`."""

import click

from supervisor_ai.cli.discovery.completions import SHELLS, script_for
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE


@verb(example="supervisor completion bash > ~/.local/share/bash-completion/completions/supervisor")
@click.argument("shell", type=click.Choice(list(SHELLS)))
@json_option
@click.pass_context
def completion(ctx: click.Context, shell: str, *, as_json: bool) -> int:
    """Print a script that completes commands in your shell.

    It completes verbs and options, and the names of runs, steps, gates, workflows, roles and agents
    of the project in which you stand. For zsh put it into a file `_supervisor` of your fpath, for
    fish into ~/.config/fish/completions/supervisor.fish.
    """
    source = script_for(shell, ctx.find_root().command)
    _ = write_json({"shell": shell, "script": source}) if as_json else write(source)
    return DONE
