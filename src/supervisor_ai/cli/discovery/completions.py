"""Answers to a shell that completes a line: names of runs, steps, gates, workflows, roles, agents.

A shell that waits for an offer is told nothing of errors. What can be offered for an argument or an
option follows from its name, so that a verb has nothing to do for it.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    shell_complete,
    split_arg_string,
)

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.control.phrases import one_line

if TYPE_CHECKING:
    from supervisor_ai.control.records import Records
    from supervisor_ai.control.run_views import RunView
    from supervisor_ai.control.sessions.session_pages import SessionPage

VARIABLE: Final = "_SUPERVISOR_COMPLETE"
"""Set by a shell that wants an answer; click's own name for it."""
_MOST_RUNS: Final = 50
_OTHER_NAMES: Final = {"role remove"}
"""The verbs of a group that take a name of something else than the group is about."""
_BASH: Final = """\
%(complete_func)s() {
    local response completion type value line=${COMP_LINE:0:COMP_POINT}
    local whole=${line##*[[:space:]]} last
    last=$whole
    # Bash takes a word apart at some characters, and puts the last part in place only.
    if [[ $COMP_WORDBREAKS == *=* ]]; then last=${last##*=}; fi
    if [[ $COMP_WORDBREAKS == *:* ]]; then last=${last##*:}; fi
    response=$(env COMP_LINE="$line" %(complete_var)s=bash_complete "$1" 2>/dev/null)
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
        dir) compopt -o dirnames ;;
        file) compopt -o default ;;
        plain) COMPREPLY+=("${value#"${whole%%%%"$last"}"}") ;;
        esac
    done <<<"$response"
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class _Remembering(ShellComplete):
    """Completion that remembers the words before: click forgets those of an unfinished option."""

    def get_completions(  # type: ignore[explicit-override]
        self, args: list[str], incomplete: str
    ) -> list[CompletionItem[str]]:
        self.ctx_args["obj"] = tuple(args)
        return super().get_completions(args, incomplete)


class _Bash(_Remembering, BashComplete):
    """Completion that reads the line itself, and starts no program to ask for its version."""

    name = "bash"
    source_template = _BASH

    def source(self) -> str:  # type: ignore[explicit-override]
        return self.source_template % self.source_vars()

    def get_completion_args(self) -> tuple[list[str], str]:  # type: ignore[explicit-override]
        line = os.environ.get("COMP_LINE")
        if line is None:
            # A script of click's own, which may have been kept.
            return super().get_completion_args()
        words = split_arg_string(line)[1:]
        if not words or line[-1:].isspace():
            return words, ""
        return words[:-1], words[-1]


class _Zsh(_Remembering, ZshComplete):
    """Completion in zsh."""


class _Fish(_Remembering, FishComplete):
    """Completion in fish."""


SHELLS: Final[Mapping[str, type[ShellComplete]]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def answer_shell(command: click.Command) -> int:
    """Answer what a shell asks; return the exit code."""
    for kind in SHELLS.values():
        add_completion_class(kind)
    with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):  # noqa: PTH123 - a device
        try:
            return shell_complete(command, {}, "supervisor", VARIABLE, os.environ[VARIABLE])
        except Exception:  # noqa: BLE001 - the boundary of one request, which wants names or nothing
            return 1


def script_for(shell: str, command: click.Command) -> str:
    """Write the script that a shell reads once."""
    return SHELLS[shell](command, {}, "supervisor", VARIABLE).source()


Offers = Callable[[click.Context], Iterator[tuple[str, str]]]
"""Finds names, each with a few words about it."""


class OfferedName(click.ParamType[str]):
    """A text for which a shell is offered names."""

    name = "text"

    def __init__(self, offers: Offers) -> None:
        self._offers = offers

    def shell_complete(  # type: ignore[explicit-override]
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Offer what begins alike; `STEP=` in front of a name stays there."""
        del param
        before, sign, begun = incomplete.rpartition("=")
        found: list[CompletionItem[str]] = []
        with suppress(Exception):
            found.extend(
                CompletionItem(f"{before}{sign}{name}", help=one_line(about) or None)
                for name, about in self._offers(ctx)
                if name.startswith(begun) and name == one_line(name)
            )
        return found


def offer_names(command: click.Command, path: str) -> click.Command:
    """Let the texts that a command takes be completed by what their names mean."""
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            offer_names(below, f"{path} {name}")
        return command
    group = "" if path in _OTHER_NAMES else path.partition(" ")[0]
    for param in command.params:
        offers = _OFFERS.get(group if param.name == "name" else param.name or "")
        if offers is not None and isinstance(param.type, type(click.STRING)):
            param.type = OfferedName(offers)
    return command


def _invocation(ctx: click.Context) -> Invocation:
    directory = ctx.find_root().params.get("directory")
    return Invocation(directory=directory if isinstance(directory, Path) else Path())


def _runs(ctx: click.Context) -> Iterator[tuple[str, str]]:
    records = _invocation(ctx).records()
    rows, _ = records.queries.runs(limit=_MOST_RUNS) if records else ((), 0)
    yield from ((row.id, f"{row.status.value}: {row.task}") for row in rows)


def _steps(ctx: click.Context) -> Iterator[tuple[str, str]]:
    view = _run(ctx, _invocation(ctx).require_records())
    yield from ((step.step, step.status.value) for step in view.steps)


def _gates(ctx: click.Context) -> Iterator[tuple[str, str]]:
    if all(param.name != "run" for param in ctx.command.params):
        catalog, commit = _invocation(ctx).catalog()
        yield from ((it.name, it.description) for it in catalog.gates(commit))
        return
    records = _invocation(ctx).require_records()
    rows = records.queries.gates(_run(ctx, records).id)
    yield from {row.gate: row.step for row in rows}.items()


def _run(ctx: click.Context, records: "Records") -> "RunView":
    """Find the run that the line is about; the newest one where it names none yet."""
    from supervisor_ai.control.run_views import show_run

    words = [word for word in ctx.obj if not word.startswith("-")]
    named = words[words.index(str(ctx.info_name)) + 1 :]
    return show_run(records, named[0] if named else "last")


def _workflows(ctx: click.Context) -> Iterator[tuple[str, str]]:
    catalog, commit = _invocation(ctx).catalog()
    yield from ((it.name, it.description) for it in catalog.workflows(commit))


def _roles(ctx: click.Context) -> Iterator[tuple[str, str]]:
    catalog, commit = _invocation(ctx).catalog()
    yield from ((it.name, it.description) for it in catalog.roles(commit))


def _agents(ctx: click.Context) -> Iterator[tuple[str, str]]:
    catalog, commit = _invocation(ctx).catalog()
    yield from ((it.name, "") for it in catalog.agents(commit))


def _sessions(ctx: click.Context) -> Iterator[tuple[str, str]]:
    records = _invocation(ctx).records()
    rows = records.sessions.sessions() if records else ()
    yield from ((row.id, f"{row.pipeline}, {row.team}") for row in rows)


def _session_tasks(ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Offer sessions where the line names none, and the tasks of the one that it is about."""
    yield from _sessions(ctx)
    yield from ((it.id, it.status.value) for it in _session_page(ctx).tasks)


def _session_members(ctx: click.Context) -> Iterator[tuple[str, str]]:
    yield from _sessions(ctx)
    yield from _members(ctx)


def _members(ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Offer who takes part, and for whom there are tasks."""
    page = _session_page(ctx)
    yield from {
        **{it.owner: "has tasks" for it in page.tasks if it.owner},
        **{it.name: it.role for it in page.members},
    }.items()


def _session_page(ctx: click.Context) -> "SessionPage":
    from supervisor_ai.control.sessions.desk import find_session
    from supervisor_ai.control.sessions.session_pages import show_session

    desk = _invocation(ctx).session_office().desk
    known = {row.id for row in desk.queries.sessions()}
    named = next((word for word in ctx.obj if word in known), None)
    return show_session(desk, find_session(desk, named))


def _pipelines(ctx: click.Context) -> Iterator[tuple[str, str]]:
    from supervisor_ai.bootstrap.projects import open_pipelines

    del ctx
    yield from ((it.name, it.description) for it in open_pipelines().all())


_OFFERS: Final[Mapping[str, Offers]] = {
    "run": _runs,
    "step": _steps,
    "gate": _gates,
    "workflow": _workflows,
    "role": _roles,
    "cli": _agents,
    "session": _sessions,
    "session_task": _session_tasks,
    "session_member": _session_members,
    "blocked_by": _session_tasks,
    "sender": _members,
    "recipient": _members,
    "member": _members,
    "owner": _members,
    "pipeline": _pipelines,
}
