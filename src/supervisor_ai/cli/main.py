"""The command `supervisor`; imports no more than its help page needs."""

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.streams import output_trouble, prepare_streams
from supervisor_ai.cli.verbs import LazyGroup, Verb
from supervisor_ai.cli.version import VERSION
from supervisor_ai.control.slice_names import register, registered_slices
from supervisor_ai.drivers.registry import SLICES

_START: Final = "Start here"
_DAILY: Final = "Daily work"
_TOGETHER: Final = "Work together"
_INSIGHT: Final = "Look inside a run"
_SETTINGS: Final = "Change how runs go"
_CARE: Final = "Look after the machine"
_OBJECTS: Final = 200_000
"""How many new objects are worth a search for garbage; to import and to drive a run makes half."""
_COMPLETE: Final = "_SUPERVISOR_COMPLETE"
"""Set by a shell that completes a line."""
_PAGE: Final = """\
Give AI coding agents the discipline of production jobs

\b
Example:
  supervisor demo   # watch; needs no key
  supervisor init   # in your own project
  supervisor run "Add a /health endpoint"
"""


def _verb(place: str, text: str, section: str) -> Verb:
    return Verb(place=f"supervisor_ai.cli.commands.{place}", help=text, section=section)


_KERNEL: Final = {
    "demo": _verb("setup.demo:demo", "Watch a small task go through all steps", _START),
    "doctor": _verb(
        "setup.doctor:doctor", "Check whether this machine can run agents safely", _START
    ),
    "init": _verb("setup.init:init", "Look at the project and write its first settings", _START),
    "trust": _verb("setup.trust:trust", "Agree to what the project may do on your machine", _START),
    "login": _verb("setup.login:login", "Let an agent work with your subscription", _START),
    "logout": _verb("setup.login:logout", "Forget a login that was kept", _START),
    "run": _verb("runs.run:run", "Run one task to its end", _DAILY),
    "start-task": _verb(
        "runs.start_task:start_task", "Start a task on a branch of its own", _DAILY
    ),
    "complete-task": _verb("runs.complete_task:complete_task", "Land a task that is done", _DAILY),
    "status": _verb("runs.status:status", "Show the runs of the project, or one of them", _DAILY),
    "tui": _verb("runs.tui:tui", "Watch all runs on one screen, and answer them", _DAILY),
    "diff": _verb("runs.diff:diff", "Show what a run changed", _DAILY),
    "merge": _verb("runs.merge:merge", "Merge a completed run's work into your branch", _DAILY),
    "approvals": _verb(
        "decisions.approvals:approvals", "Show what waits for people, the riskiest first", _DAILY
    ),
    "approve": _verb("decisions.approve:approve", "Say yes to what a run asks", _DAILY),
    "reject": _verb("decisions.approve:reject", "Say no to what a run asks", _DAILY),
    "comment": _verb(
        "decisions.comment:comment", "Say something about a line of a run's change", _DAILY
    ),
    "edit": _verb("decisions.edit:edit", "Change the files that a run asks about", _DAILY),
    "resume": _verb("runs.resume:resume", "Go on with a run from its last fact", _DAILY),
    "cancel": _verb("runs.cancel:cancel", "Stop a run", _DAILY),
    "fork": _verb("runs.fork:fork", "Start a new run from a step of another one", _DAILY),
    "serve": _verb("runs.serve:serve", "Drive whatever is due until stopped", _DAILY),
    "session": _verb(
        "sessions.session:session",
        "Let members work together: tasks and messages",
        _TOGETHER,
    ),
    "msg": _verb(
        "sessions.msg:msg", "Say something in a session, and read what was said", _TOGETHER
    ),
    "mcp": _verb("sessions.mcp:mcp", "Serve the tools of a session to agents", _TOGETHER),
    "agents": _verb(
        "sessions.agents:agents", "Let an agent of yours coordinate a session", _TOGETHER
    ),
    "events": _verb("runs.events:events", "Show the facts of a run in order", _INSIGHT),
    "logs": _verb(
        "runs.logs:logs", "Show what was sent, what came back and what the gates printed", _INSIGHT
    ),
    "replay": _verb(
        "runs.replay:replay", "Fold a run's facts again and show what each one moved", _INSIGHT
    ),
    "context": _verb(
        "definitions.context:context", "See what a worker is told, and what it is not", _INSIGHT
    ),
    "conflicts": _verb(
        "runs.conflicts:conflicts",
        "Predict which runs will conflict when they are merged",
        _INSIGHT,
    ),
    "config": _verb(
        "definitions.config:config", "See the settings that hold, and which file says so", _SETTINGS
    ),
    "workflow": _verb(
        "definitions.workflow:workflow",
        "List, show, draw, validate and migrate workflows",
        _SETTINGS,
    ),
    "role": _verb(
        "definitions.role:role", "List, show, check, compare and exchange roles", _SETTINGS
    ),
    "knowledge": _verb(
        "definitions.knowledge:knowledge",
        "Keep what the project knows: what workers are told, and what waits for you",
        _SETTINGS,
    ),
    "gate": _verb(
        "definitions.gate:gate",
        "List gates, run one on any two commits, and count false reports",
        _SETTINGS,
    ),
    "worker": _verb(
        "setup.worker:worker", "Look after the agents' commands and what they print", _CARE
    ),
    "sandbox": _verb(
        "setup.sandbox:sandbox", "See which sandboxes work here, and what is inside", _CARE
    ),
    "notify": _verb("setup.notify:notify", "See whether you can be reached", _CARE),
    "workspace": _verb(
        "runs.workspace:workspace", "List, show, restore and clean up what workers left", _CARE
    ),
    "ledger": _verb("setup.ledger:ledger", "Verify, rebuild or erase from the ledger", _CARE),
    "lab": _verb("setup.lab:lab", "Rehearse with a model that says what a script says", _CARE),
    "completion": _verb(
        "setup.completion:completion", "Print a script that completes commands in your shell", _CARE
    ),
}


def _verbs() -> Mapping[str, Verb]:
    """Return all verbs with those of slices, which come behind `run`."""
    own: dict[str, Verb] = {}
    for it in registered_slices().values():
        named = {it.name: it.verb, **it.further_verbs}
        own |= {
            name: Verb(place=found.place, help=found.help, section=_DAILY)
            for name, found in named.items()
            if found is not None
        }
    kernel, ahead = list(_KERNEL.items()), list(_KERNEL).index("run") + 1
    return dict((*kernel[:ahead], *own.items(), *kernel[ahead:]))


@click.group(cls=LazyGroup, help=_PAGE, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="supervisor", message="%(prog)s %(version)s")
@click.option(
    "-C",
    "directory",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Act as if started in this directory.",
)
@click.pass_context
def supervisor(ctx: click.Context, directory: Path) -> None:
    """Open the door to all verbs."""
    from supervisor_ai.bootstrap.adapters import distrust_surroundings

    ctx.obj = Invocation(directory=directory)
    distrust_surroundings(directory, ctx.obj.settings)


register(SLICES)
supervisor.find_verbs = _verbs


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one call of the command and exit."""
    arguments = sys.argv[1:] if arguments is None else arguments
    gc.set_threshold(_OBJECTS)
    prepare_streams()
    if _COMPLETE in os.environ:
        from supervisor_ai.cli.discovery.completions import answer_shell

        sys.exit(answer_shell(supervisor))
    try:
        code = supervisor.main(list(arguments), prog_name="supervisor", standalone_mode=False)
    except BaseException as error:  # noqa: BLE001 - the last boundary: no traceback ever
        from supervisor_ai.cli.failures import report_failure

        code = report_failure(error, as_json="--json" in arguments)
    code = _settled(code or 0)
    # The process ends: to look for garbage among all that was imported would only take time.
    gc.freeze()
    sys.exit(code)


def _settled(code: int) -> int:
    """Do not call a call done whose output was wanted and could not be written."""
    sys.stdout.flush()
    trouble = output_trouble(sys.stdout)
    if code or trouble is None or isinstance(trouble, BrokenPipeError):
        return code
    from supervisor_ai.cli.failures import report_failure
    from supervisor_ai.domain.errors import Unavailable

    error = Unavailable(
        f"What was asked was done, but stdout could not be written: {trouble.strerror}.",
        hint="Send the output somewhere else and ask again.",
    )
    return report_failure(error, as_json=False)
