"""Demonstrations that type commands, one after the other, and say why."""

import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from typing import cast

import click
from msgspec import Struct

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say
from supervisor_ai.control.exit_codes import DONE


class DemoStep(Struct, frozen=True):
    """A command that is typed, and what a person should know before."""

    words: tuple[str, ...]
    says: str = ""


def play(here: Invocation, group: click.Group, steps: Sequence[DemoStep], *, as_json: bool) -> int:
    """Type commands of a group; what the last one prints is the data, and its code counts."""
    code = DONE
    for step in steps:
        is_data = not as_json or step is steps[-1]
        words = (*step.words, "--json") if as_json and is_data else step.words
        say(f"\n{step.says}" if step.says else "")
        say(f"$ supervisor {group.name} {shlex.join(words)}")
        with nullcontext() if is_data else redirect_stdout(sys.stderr):
            code = cast("int", group.main([*words], obj=here, standalone_mode=False))
    return code
