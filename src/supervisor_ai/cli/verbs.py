"""How a function becomes a verb: its docstring is the help page, with a worked example."""

import inspect
from collections.abc import Callable

import click


def verb(
    *, example: str, name: str | None = None, group: click.Group | None = None
) -> Callable[[Callable[..., int]], click.Command]:
    """Make a command of a function."""

    def decorate(function: Callable[..., int]) -> click.Command:
        command = click.command(name, help=help_page(function, example))(function)
        if group is not None:
            group.add_command(command)
        return command

    return decorate


def help_page(function: Callable[..., object], example: str) -> str:
    """Make a help page of a docstring; its first line stands in lists, without a full stop."""
    first, _, rest = inspect.cleandoc(function.__doc__ or "").partition("\n")
    return f"{first.removesuffix('.')}\n{rest}\n\n\b\nExample:\n  {example}"
