"""`supervisor workflow`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypedDict, Unpack, cast

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    base_option,
    dry_run_option,
    json_option,
    run_argument,
    yes_option,
)
from supervisor_ai.cli.output import can_ask, report_mutation, say, write, write_json
from supervisor_ai.cli.tables import columns, folded, labelled
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.definitions import WorkflowSummary
from supervisor_ai.control.queries.workflows import find_warnings, read_graph
from supervisor_ai.control.slice_names import import_place
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.terminal import plain

if TYPE_CHECKING:
    from supervisor_ai.control.queries.workflows import WorkflowGraph


class _ListOptions(TypedDict):
    base: str | None
    as_json: bool


class _ShowOptions(_ListOptions):
    name: str | None
    cli: str | None


class _GraphOptions(_ListOptions):
    name: str | None
    form: str


class _MigrateOptions(_ShowOptions):
    run: str
    yes: bool
    dry_run: bool


_GRAPHS: Final = "supervisor_ai.cli.commands.definitions.workflow_graphs"
_FORMS: Final = {it: f"{_GRAPHS}.{it}:draw_{it}" for it in ("text", "mermaid", "svg")}
"""Where each form of a graph is drawn, imported when it is asked for."""


@click.group(help="List, show, draw, validate and migrate workflows")
def workflow() -> None:
    """List, show, draw, validate and migrate workflows."""


@verb(example="supervisor workflow list", name="list", group=workflow)
@base_option
@json_option
@click.pass_obj
def list_workflows(invocation: Invocation, **options: Unpack[_ListOptions]) -> int:
    """List the workflows that can be run."""
    preflight = invocation.preflight()
    found = preflight.catalog.workflows(preflight.repository.resolve(options["base"]).sha)
    if options["as_json"]:
        write_json({"workflows": found})
        return DONE
    rows = [("WORKFLOW", "ORIGIN", "DESCRIPTION")]
    rows += [(it.name, it.origin, one_line(_described(it))) for it in found]
    write("\n".join(columns(rows)))
    return DONE


@verb(example="supervisor workflow show standard --cli my_agent", group=workflow)
@click.argument("name", required=False)
@click.option("-c", "--cli", metavar="NAME", help="As if this agent had every role.")
@base_option
@json_option
@click.pass_obj
def show(invocation: Invocation, **options: Unpack[_ShowOptions]) -> int:
    """Show a workflow with everything that its steps name."""
    preflight = invocation.preflight()
    commit = preflight.repository.resolve(options["base"]).sha
    loaded = preflight.catalog.load(commit, workflow=options["name"], cli=options["cli"])
    if options["as_json"]:
        write_json({"definition": loaded.definition})
    else:
        write("\n".join(folded(_shown(loaded.definition))))
    return DONE


@verb(example="supervisor workflow validate", group=workflow)
@click.argument("name", required=False)
@click.option("-c", "--cli", metavar="NAME", help="As if this agent had every role.")
@base_option
@json_option
@click.pass_obj
def validate(invocation: Invocation, **options: Unpack[_ShowOptions]) -> int:
    """Check the definitions and report every mistake.

    Without NAME the files of all workflows are checked; with NAME also whether that workflow
    could be run. Definitions are read from the commit, as a run would.
    """
    preflight = invocation.preflight()
    commit = preflight.repository.resolve(options["base"]).sha
    if options["name"] is None:
        found_all = preflight.catalog.workflows(commit)
        cautions = preflight.catalog.cautions(commit)
        return _report_all(found_all, cautions, as_json=options["as_json"])
    loaded = preflight.catalog.load(commit, workflow=options["name"], cli=options["cli"])
    outline = preflight.catalog.outline(commit, workflow=options["name"])
    warnings = find_warnings(outline, loaded.definition)
    if options["as_json"]:
        found = {"valid": [options["name"]], "warnings": warnings, "notes": loaded.notes}
        write_json(found)
    else:
        write(f"No mistakes in {options['name']}.")
        _write_all("warning", warnings)
        _write_all("note", loaded.notes)
    return DONE


@verb(example="supervisor workflow graph enterprise --format svg > enterprise.svg", group=workflow)
@click.argument("name", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(_FORMS)),
    default="text",
    show_default=True,
    help="How to draw it.",
)
@base_option
@json_option
@click.pass_obj
def graph(invocation: Invocation, **options: Unpack[_GraphOptions]) -> int:
    """Draw a workflow.

    As text for a terminal, as Mermaid for a document, or as an SVG picture. Without NAME it is
    the workflow of the config. A workflow that still misses a gate is drawn too.
    """
    preflight = invocation.preflight()
    commit = preflight.repository.resolve(options["base"]).sha
    drawn = read_graph(preflight.catalog, commit, options["name"])
    if options["as_json"]:
        write_json({"graph": drawn})
        return DONE
    if drawn.problem is not None:
        say(f"It cannot be run yet. {plain(drawn.problem)}")
    draw = cast("Callable[[WorkflowGraph], str]", import_place(_FORMS[options["form"]]))
    write(draw(drawn))
    return DONE


@verb(example="supervisor workflow migrate RUN", group=workflow)
@run_argument
@click.option("-c", "--cli", metavar="NAME", help="Use this agent for every role.")
@base_option
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def migrate(invocation: Invocation, **options: Unpack[_MigrateOptions]) -> int:
    """Move a run to today's definition.

    Shows the difference first. Every step that the run has visited must still exist.
    """
    from supervisor_ai.control.commands.run_migration import migrate as move
    from supervisor_ai.control.commands.run_migration import plan_migration

    project = invocation.project()
    planned = plan_migration(project, options["run"], ref=options["base"], cli=options["cli"])
    if planned.is_needed:
        say(plain(planned.difference))
        if not (options["yes"] or options["dry_run"]):
            _require_agreement()
    mutation = move(project, planned, dry_run=options["dry_run"])
    return report_mutation(mutation, as_json=options["as_json"])


def _report_all(found: Sequence[WorkflowSummary], cautions: Sequence[str], *, as_json: bool) -> int:
    missing = {it.name: it.missing for it in found if it.missing}
    if as_json:
        valid = [it.name for it in found]
        write_json({"valid": valid, "missing": missing, "notes": cautions})
        return DONE
    write(f"No mistakes in {', '.join(it.name for it in found)}.")
    _write_all(
        "to be configured", [f"{name} needs {', '.join(it)}" for name, it in missing.items()]
    )
    _write_all("note", cautions)
    return DONE


def _write_all(label: str, lines: Sequence[str]) -> None:
    for line in lines:
        write(f"  {label}: {one_line(line)}")


def _described(summary: WorkflowSummary) -> str:
    if not summary.missing:
        return summary.description
    return f"{summary.description} (needs: {', '.join(summary.missing)})"


def _require_agreement() -> None:
    if not can_ask():
        raise InvalidInput("Somebody must agree to the difference.", hint="If you do, say --yes.")
    click.confirm("Migrate the run?", abort=True, err=True)


def _shown(definition: Definition) -> list[str]:
    from supervisor_ai.cli.run_preview import approver_rows, describe_step

    flow = definition.workflow
    rows = [("STEP", "DOES", "NEXT", "ON FAIL", "ON REJECT")]
    for step in flow.steps.values():
        after = "end" if step.terminal or step.next is None else step.next
        rows.append(
            (
                step.name,
                one_line(describe_step(definition, step)),
                after,
                step.on_fail or "",
                step.on_reject or "",
            )
        )
    limits = definition.limits
    facts = [
        *approver_rows(definition),
        ("step timeout", str(limits.step_timeout)),
        ("retries", str(limits.step_max_retries)),
        ("most visits", str(limits.workflow_max_steps)),
        ("run timeout", str(limits.workflow_timeout or "none")),
    ]
    title = f"{flow.name}: {one_line(flow.description)}"
    return [title, "", *(f"  {line}" for line in columns(rows)), "", *labelled(facts)]
