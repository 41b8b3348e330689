"""`supervisor sandbox`.

What `supervisor sandbox check --json` prints, by example:

    {"backends": [{"name": "bubblewrap", "version": "0.8.0", "is_usable": true,
                   "reason": null, "remedy": null,
                   "findings": [{"name": "a command runs", "holds": true, "detail": "…"}],
                   "limits": [{"name": "memory", "hardness": "hard", "detail": "cgroup v2"}]}],
     "wanted": null, "chosen": "bubblewrap",
     "inside": [{"profile": "worker", "backend": "bubblewrap", "network": "only through …",
                 "path": ["/home/me/.cargo/bin", "/usr/bin"],
                 "commands": {"git": "/usr/bin/git", "go": null}, "problem": null},
                {"profile": "executor", "backend": "bubblewrap", "network": "none", …}],
     "tools": ["/home/me/.cargo/bin"], "ro_paths": ["/opt/tool"], "caches": ["npm"],
     "project": "/home/me/project", "problem": null}
"""

import sys
from collections.abc import Iterator
from typing import Final, TypedDict, Unpack

import click

from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option
from supervisor_ai.cli.output import has_colour, write, write_json
from supervisor_ai.cli.tables import columns, labelled
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.doctor import inspect_sandboxes
from supervisor_ai.control.exit_codes import DONE, ERROR_EXIT_CODES
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.queries.sandbox_check import BackendView, InsideView, SandboxCheck
from supervisor_ai.control.settings import BACKENDS
from supervisor_ai.domain.errors import ErrorKind

_WHO: Final = {"worker": "A worker", "executor": "A gate"}


class _Options(TypedDict):
    backend: str | None
    as_json: bool


@click.group(help="See which sandboxes work here, and what is inside")
def sandbox() -> None:
    """See which sandboxes work here, and what is inside."""


@verb(example="supervisor sandbox check --backend podman", group=sandbox)
@click.option("--backend", type=click.Choice(BACKENDS), help="Try only this one.")
@json_option
@click.pass_obj
def check(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Try the sandboxes of this machine and look around inside.

    Proves from inside what each one enforces, says how it keeps limits (hard: the kernel does;
    soft: the supervisor watches and kills), and lists what a worker and a gate find there. In a
    project, what its configuration shows is included. Exit code 6 when none works, or not the
    one that the project asks for.
    """
    found = run_interruptibly(inspect_sandboxes(invocation.machine(), backend=options["backend"]))
    if options["as_json"]:
        write_json(found)
    else:
        write("\n".join(_shown(found)))
    return DONE if found.chosen else ERROR_EXIT_CODES[ErrorKind.UNAVAILABLE]


def _shown(found: SandboxCheck) -> Iterator[str]:
    for backend in found.backends:
        yield from _backend(backend)
    if len(found.backends) > 1:
        yield _choice(found)
    for view in found.inside:
        yield from ("", f"{_WHO[view.profile]} in {view.backend}", *labelled(list(_inside(view))))
    if found.inside:
        yield from ("", "Shown read-only besides the system", *labelled(list(_read_only(found))))
    if found.problem:
        yield f"The project's settings are not included: {one_line(found.problem)}"


def _choice(found: SandboxCheck) -> str:
    if found.wanted is not None:
        return f"The project asks for {one_line(found.wanted)}."
    return f"auto takes {found.chosen}." if found.chosen else "None of these works here."


def _backend(view: BackendView) -> Iterator[str]:
    state = _painted("works", "green") if view.is_usable else _painted("cannot be used", "red")
    yield f"{view.name} {view.version}".strip() + f": {state}"
    rows = [
        ("", "ok" if finding.holds else "NO", finding.name, one_line(finding.detail))
        for finding in view.findings
    ]
    rows += [
        ("", limit.hardness.value, f"limit: {limit.name}", one_line(limit.detail))
        for limit in view.limits
    ]
    yield from columns(rows)
    if view.remedy and not view.is_usable:
        yield f"  hint: {one_line(view.remedy)}"
    yield ""


def _inside(view: InsideView) -> Iterator[tuple[str, str]]:
    yield "network", one_line(view.network)
    if view.problem:
        yield "problem", one_line(view.problem)
        return
    yield "PATH", "\n".join(map(one_line, view.path))
    found = [(name, one_line(place)) for name, place in view.commands.items() if place]
    yield "commands", "\n".join(columns(found))
    yield "missing", ", ".join(view.missing) or "nothing that was looked for"


def _read_only(found: SandboxCheck) -> Iterator[tuple[str, str]]:
    yield "tools", "\n".join(map(one_line, found.tools)) or "none"
    yield "ro_paths", "\n".join(map(one_line, found.ro_paths)) or "none"
    yield "caches", ", ".join(map(one_line, found.caches)) or "none"


def _painted(text: str, colour: str) -> str:
    return click.style(text, fg=colour, bold=True) if has_colour(sys.stdout) else text
