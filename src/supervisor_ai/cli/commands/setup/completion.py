"""`supervisor completion`."""

import click
from click.shell_completion import get_completion_class

from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.domain.errors import InternalError


@verb(example="supervisor completion bash > ~/.local/share/bash-completion/completions/supervisor")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
@click.pass_context
def completion(ctx: click.Context, shell: str, *, as_json: bool) -> int:
    """Print a script that completes commands in your shell."""
    kind = get_completion_class(shell)
    if kind is None:
        raise InternalError(f"click knows no completion for {shell!r}.")
    source = kind(ctx.find_root().command, {}, "supervisor", "_SUPERVISOR_COMPLETE").source()
    _ = write_json({"shell": shell, "script": source}) if as_json else write(source)
    return DONE
