"""`supervisor role`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.commands.definitions.role_packs import install, remove, search, update
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import base_option, dry_run_option, json_option
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.tables import columns, folded
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.packs import idle_packs
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.definitions import RoleDetail, RoleSummary
from supervisor_ai.control.queries.roles import (
    RoleDifference,
    RoleExchange,
    compare_roles,
    export_role,
    import_roles,
    list_roles,
    show_role,
)

_WIDTH = 60
_AGENTS = Path(".claude/agents")


class _ListOptions(TypedDict):
    base: str | None
    as_json: bool


class _ShowOptions(_ListOptions):
    name: str


class _ValidateOptions(_ListOptions):
    name: str | None


class _DiffOptions(_ShowOptions):
    other: str | None


class _WriteOptions(TypedDict):
    force: bool
    dry_run: bool
    as_json: bool


class _ImportOptions(_WriteOptions):
    path: Path


class _ExportOptions(_WriteOptions):
    name: str
    to: Path


force_option = click.option("--force", is_flag=True, help="Replace a file that is there already.")


@click.group(help="List, show, check, compare and exchange roles")
def role() -> None:
    """List, show, check, compare and exchange roles."""


for _command in (search, install, update, remove):
    role.add_command(_command)


@verb(example="supervisor role list", name="list", group=role)
@base_option
@json_option
@click.pass_obj
def list_verb(invocation: Invocation, **options: Unpack[_ListOptions]) -> int:
    """List the roles of all kinds of runs."""
    found = list_roles(invocation.preflight(), ref=options["base"])
    places = [invocation.pack_place(is_user=it) for it in (False, True)]
    idle = list(idle_packs(places, found))
    if options["as_json"]:
        write_json({"roles": found, "not_enabled": idle})
        return DONE
    write("\n".join(folded(_groups(found))))
    if idle:
        write(f"  [installed, not enabled: add to `packs:`] {', '.join(idle)}")
    write("")
    rows: list[tuple[str, ...]] = [("ROLE", "ORIGIN", "EXTENDS", "AGENT", "ANSWERS", "DESCRIPTION")]
    rows += [_row(it) for it in found]
    write("\n".join(columns(rows)))
    return DONE


@verb(example="supervisor role show reviewer", group=role)
@click.argument("name")
@base_option
@json_option
@click.pass_obj
def show(invocation: Invocation, **options: Unpack[_ShowOptions]) -> int:
    """Show a role, and which file and line each of its values comes from."""
    found = show_role(invocation.preflight(), options["name"], ref=options["base"])
    if options["as_json"]:
        write_json({"role": found})
    else:
        write("\n".join(folded(_page(found))))
    return DONE


@verb(example="supervisor role validate", group=role)
@click.argument("name", required=False)
@base_option
@json_option
@click.pass_obj
def validate(invocation: Invocation, **options: Unpack[_ValidateOptions]) -> int:
    """Check the role files and report every mistake.

    Reads the package's, your own and the project's, as they are in the commit: commit first.
    """
    preflight = invocation.preflight()
    names = [it.name for it in list_roles(preflight, ref=options["base"])]
    if options["name"] is not None:
        names = [show_role(preflight, options["name"], ref=options["base"]).summary.name]
    if options["as_json"]:
        write_json({"valid": names})
    else:
        write(f"No mistakes in {', '.join(names)}.")
    return DONE


@verb(example="supervisor role diff reviewer security_auditor", group=role)
@click.argument("name")
@click.argument("other", required=False)
@base_option
@json_option
@click.pass_obj
def diff(invocation: Invocation, **options: Unpack[_DiffOptions]) -> int:
    """Compare two roles, or a role with the one that it extends."""
    first, second = options["name"], options["other"]
    # With two names the difference leads from the first to the second.
    name, other = (first, None) if second is None else (second, first)
    found = compare_roles(invocation.preflight(), name, other, ref=options["base"])
    if options["as_json"]:
        write_json({"diff": found})
    else:
        write("\n".join(_difference(found)))
    return DONE


@verb(example="supervisor role import .claude/agents/code-reviewer.md", name="import", group=role)
@click.argument("path", type=click.Path(path_type=Path))
@force_option
@dry_run_option
@json_option
@click.pass_obj
def import_verb(invocation: Invocation, **options: Unpack[_ImportOptions]) -> int:
    """Make role files of agents in markdown.

    PATH is an agent as `.claude/agents` has them, or a directory of such files. The role files
    are written into the checkout, under .supervisor/roles; look at them and commit them.
    """
    made = import_roles(
        invocation.preflight(),
        options["path"],
        force=options["force"],
        dry_run=options["dry_run"],
    )
    return _report(made, as_json=options["as_json"])


@verb(example="supervisor role export security_auditor --to .claude/agents", group=role)
@click.argument("name")
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    default=_AGENTS,
    metavar="DIR",
    help="Write into this directory; .claude/agents unless given.",
)
@force_option
@dry_run_option
@json_option
@click.pass_obj
def export(invocation: Invocation, **options: Unpack[_ExportOptions]) -> int:
    """Write a role as an agent in markdown.

    What the role inherits is written out, as agents know no parents.
    """
    made = export_role(
        invocation.preflight(),
        options["name"],
        invocation.directory / options["to"],
        force=options["force"],
        dry_run=options["dry_run"],
    )
    return _report([made], as_json=options["as_json"])


def _groups(found: Sequence[RoleSummary]) -> Iterator[str]:
    """Name the roles by who they come from; those of packs of others with their versions."""
    groups = defaultdict[str, list[str]](list)
    for it in found:
        is_community = it.pack is not None and it.version and it.origin != "built-in"
        called = f"{it.name}@{it.version}" if is_community else it.name
        groups["community" if is_community else it.origin].append(called)
    for group in ("built-in", "user", "project", "community"):
        if groups[group]:
            yield f"  [{group}] {', '.join(groups[group])}"


def _row(it: RoleSummary) -> tuple[str, ...]:
    origin = f"{it.origin}, pack {it.pack}@{it.version}" if it.pack else it.origin
    return (it.name, origin, it.extends or "", it.cli, it.answer, one_line(it.description))


def _page(found: RoleDetail) -> Iterator[str]:
    it, plan = found.summary, found.role.context
    yield f"{it.name}: {one_line(it.description)}"
    yield ""
    rows = [("KEY", "VALUE", "FROM")]
    rows += [
        (value.key, _short(value.value), f"{value.file}:{value.line}") for value in found.values
    ]
    yield from (f"  {line}" for line in columns(rows))
    if plan is not None:
        sources = ", ".join(_source(kind, patterns) for kind, patterns in _sources(found))
        yield ""
        yield f"  sees {one_line(sources)}; at most {plan.token_budget} tokens"


def _sources(found: RoleDetail) -> Iterator[tuple[str, tuple[str, ...]]]:
    for source in found.role.context.sources if found.role.context else ():
        yield source.kind.value, source.patterns


def _source(kind: str, patterns: tuple[str, ...]) -> str:
    return f"{kind} ({' '.join(patterns)})" if patterns else kind


def _short(text: str) -> str:
    line = one_line(text.strip())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _difference(found: RoleDifference) -> Iterator[str]:
    yield f"{found.before} -> {found.after}"
    for change in found.changes:
        yield f"  {one_line(change.key)}"
        yield from (f"    - {one_line(value.strip())}" for value in change.before)
        yield from (f"    + {one_line(value.strip())}" for value in change.after)
    if not found.changes:
        yield "  no difference"


def _report(made: Iterable[RoleExchange], *, as_json: bool) -> int:
    exchanges = list(made)
    if as_json:
        write_json({"files": exchanges})
        return DONE
    for exchange in exchanges:
        write(f"{one_line(exchange.mutation.target)}: {one_line(exchange.mutation.detail)}")
        for note in exchange.notes:
            say(f"note: {one_line(note)}")
        if exchange.mutation.dry_run:
            write("\n".join(f"  {one_line(line)}" for line in exchange.text.splitlines()))
    return DONE
