"""Dry run: what a run would do, shown before it does it."""

import shlex
from collections.abc import Iterator
from typing import Final

from supervisor_ai.cli.tables import folded, labelled, title
from supervisor_ai.control.commands.run_start import PreparedRun
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.control.registered_kinds import step_phrases
from supervisor_ai.control.settings import AUTO, BACKENDS
from supervisor_ai.control.slices import Rows, find_slice
from supervisor_ai.domain.run.definition import Definition, Step, StepKind
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.run.spending.budgets import Scope, in_words

_AUTO: Final = f"{AUTO}, the first that holds here of {', '.join(BACKENDS)}"


def preview(prepared: PreparedRun) -> str:
    """Show the steps, the agents and the commands of a run."""
    definition, base = prepared.definition, prepared.base
    rows = [
        ("task", title(prepared.task)),
        *_issue(prepared),
        ("workflow", f"{definition.workflow.name}: {' → '.join(definition.expected_steps)}"),
        *_own_rows(prepared),
        *([] if prepared.overseer is None else [("watched by", prepared.overseer)]),
        *(("agent", line) for line in _agents(definition)),
        *(("server", line) for line in _servers(definition)),
        *(("gate", line) for line in _gates(definition)),
        ("base", f"{base.ref} at {short(base.sha)}"),
        ("branch", prepared.branch),
        ("sandbox", _AUTO if prepared.sandbox == AUTO else prepared.sandbox),
        *(("budget", line) for line in _budgets(definition)),
        *([("cache", "nothing that is known from before is used")] if prepared.is_fresh else []),
    ]
    return "\n".join(folded(labelled([(label, one_line(value)) for label, value in rows])))


def _issue(prepared: PreparedRun) -> Rows:
    issue = prepared.issue
    if issue is None:
        return ()
    words = f"{issue.tracker} {issue.reference} {issue.url}"
    return (("issue", f"{words} (text of others, which is not believed)"),)


def _own_rows(prepared: PreparedRun) -> Rows:
    found = find_slice(prepared.driver)
    return () if found is None else found.preview(prepared.definition)


def _agents(definition: Definition) -> Iterator[str]:
    steps = [definition.workflow.steps[name] for name in definition.expected_steps]
    names = {name for step in steps for name in step.crew}
    roles = [role for role in definition.roles.values() if role.name in names]
    used = {cli for role in roles for cli in (role.cli, *role.fallback)}
    for cli in (cli for name, cli in definition.clis.items() if name in used):
        first = ", ".join(role.name for role in roles if role.cli == cli.name)
        later = ", ".join(role.name for role in roles if cli.name in role.fallback)
        parts = (first and f" as {first}", later and f" in place of others as {later}")
        command = shlex.join(cli.command) if cli.command else cli.adapter
        yield f"{cli.name} ({command}){','.join(filter(None, parts))}"


def _servers(definition: Definition) -> Iterator[str]:
    for role in definition.roles.values():
        for server in role.mcp_servers:
            yield f"{server.name} ({server.url or shlex.join(server.command)}) for {role.name}"


def _gates(definition: Definition) -> Iterator[str]:
    for step in definition.workflow.steps.values():
        if step.kind == StepKind.GATE and step.name in definition.expected_steps:
            yield f"{step.name}: {_checks(definition, step)}"


def _checks(definition: Definition, step: Step) -> str:
    """Show the commands of a step's gates, and by name those that look at the change."""
    gates = [definition.gates[name] for name in step.checks]
    return ", ".join(
        shlex.join(gate.command) if gate.kind == GateKind.COMMAND else gate.name for gate in gates
    )


def _budgets(definition: Definition) -> Iterator[str]:
    for scope in Scope:
        if scope in definition.budgets:
            yield f"{scope.value}: at most {in_words(definition.budgets[scope])}"


def describe_step(definition: Definition, step: Step) -> str:
    """Say what a step does."""
    if step.crew:
        roles = [definition.roles[name] for name in step.crew]
        return " and ".join(f"{role.name} with {role.cli}" for role in roles)
    preview = step_phrases(step.kind).preview
    return f"{preview}: {_checks(definition, step)}" if step.checks else preview


def approver_rows(definition: Definition) -> Iterator[tuple[str, str]]:
    """Name the roles that have to agree at a step, for each complexity of a change."""
    for step in definition.workflow.steps.values():
        for level, names in step.approvers.items():
            roles = ", ".join(definition.roles[name].name for name in names)
            yield f"{step.name}, {level.value}", roles or "nobody"
