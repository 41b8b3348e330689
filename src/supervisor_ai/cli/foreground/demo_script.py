"""Demonstrations that type commands, one after the other, and say why."""

import shlex
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import cast

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say
from supervisor_ai.control.exit_codes import DONE


def play(project: Path, group: click.Group, script: str, *, as_json: bool) -> int:
    """Type the lines of a script in a project that we have made; lines with `#` are said.

    What the last command prints is the data, and its exit code counts.
    """
    # The project was made a moment ago by us, so that there is nothing to ask about trust.
    here, lines, code = Invocation(directory=project, trusts=True), script.splitlines(), DONE
    for line in lines:
        if line.startswith("# "):
            say(line[2:])
            continue
        is_last = line is lines[-1]
        words = [*shlex.split(line), *(["--json"] if as_json and is_last else [])]
        say(f"$ supervisor {group.name} {line}")
        with nullcontext() if is_last or not as_json else redirect_stdout(sys.stderr):
            code = cast("int", group.main(words, obj=here, standalone_mode=False))
        say("")
    say(f"The project stays in {project}. Look around: {here.command} status")
    return code
