"""Click commands of functions: help pages from docstrings, and groups that import lazily."""

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import click

from supervisor_ai.cli.discovery.help_pages import PageContext, fit_pages
from supervisor_ai.control.slice_names import import_value
from supervisor_ai.tools.text import nearest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


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


class Verb(NamedTuple):
    """A command that is known by its place and its first line of help."""

    place: str
    help: str
    section: str

    def load(self) -> click.Command:
        """Import the command."""
        return fit_pages(import_value(self.place, click.Command, "command"))


class LazyGroup(click.Group):
    """Lists its commands by section without importing them."""

    context_class = PageContext

    find_verbs: Callable[[], Mapping[str, Verb]] = dict
    """Asked anew at each call: a slice may be registered late."""

    @property
    def verbs(self) -> Mapping[str, Verb]:
        """All commands by their names, in the order of the help page."""
        return self.find_verbs()

    def list_commands(self, ctx: click.Context) -> list[str]:  # type: ignore[explicit-override]
        """Name the commands in the order of the help page."""
        del ctx
        return list(self.verbs)

    def get_command(  # type: ignore[explicit-override]
        self, ctx: click.Context, cmd_name: str
    ) -> click.Command | None:
        """Import one command."""
        verb = self.verbs.get(cmd_name)
        if verb is None:
            near = nearest(cmd_name, self.verbs)
            meant = f" Did you mean {near!r}?" if near else ""
            ctx.fail(f"There is no command {cmd_name!r}.{meant}")
        if not ctx.resilient_parsing:
            return verb.load()
        # Only a shell that completes a line reads one that may have mistakes.
        from supervisor_ai.cli.discovery.completions import offer_names

        return offer_names(verb.load(), cmd_name)

    def shell_complete(  # type: ignore[explicit-override]
        self, ctx: click.Context, incomplete: str
    ) -> "list[CompletionItem[str]]":
        """Offer the commands as the help page has them, without importing one of them."""
        from click.shell_completion import CompletionItem

        begun = ((name, it) for name, it in self.verbs.items() if name.startswith(incomplete))
        found = [CompletionItem(name, help=it.help) for name, it in begun]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(  # type: ignore[explicit-override]
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the sections of the help page."""
        del ctx
        width = max(map(len, self.verbs))
        for section in dict.fromkeys(verb.section for verb in self.verbs.values()):
            rows = [
                (name.ljust(width), verb.help)
                for name, verb in self.verbs.items()
                if verb.section == section
            ]
            with formatter.section(section):
                formatter.write_dl(rows)
