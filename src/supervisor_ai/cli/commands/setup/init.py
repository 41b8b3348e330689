"""`supervisor init`."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, yes_option
from supervisor_ai.cli.output import can_ask, say, write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.project_init import (
    FileState,
    FileView,
    check_packs,
    initialise,
    suggested,
)
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import InvalidInput

if TYPE_CHECKING:
    from supervisor_ai.control.ports.project_survey import Detected, ProjectSurvey


class _Options(TypedDict):
    packs: tuple[str, ...]
    yes: bool
    dry_run: bool
    as_json: bool


@verb(example="supervisor init")
@click.option(
    "--pack", "packs", multiple=True, metavar="NAME", help="Enable this, not what is suggested."
)
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def init(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Look at the project and write its first settings.

    Reads the manifests, never runs anything of the project, and writes .supervisor/config.yaml
    with the commands that were found as gates, and .supervisor/.gitignore. Files that are there
    are left as they are.
    """
    project = invocation.new_project()
    survey = project.survey()
    if not options["as_json"]:
        say("\n".join(_shown(survey)))
    packs: Sequence[str] = options["packs"] or suggested(survey)
    check_packs(survey, packs)
    if not (options["packs"] or options["yes"] or options["dry_run"]):
        packs = _ask(survey, packs)
    files = initialise(project, survey, packs, dry_run=options["dry_run"])
    if options["as_json"]:
        _write_json(str(project.top), survey, packs, files, dry_run=options["dry_run"])
    else:
        write("\n".join(_told(invocation, files)))
    return DONE


def _write_json(
    target: str,
    survey: "ProjectSurvey",
    packs: Sequence[str],
    files: tuple[FileView, ...],
    *,
    dry_run: bool,
) -> None:
    written = [file.path for file in files if file.state is FileState.WRITTEN]
    write_json(
        {
            "target": target,
            "applied": bool(written),
            "dry_run": dry_run,
            "detail": "; ".join(f"{file.path}: {file.state.value}" for file in files),
            "files": files,
            "packs": packs,
            "survey": survey,
        }
    )


def _ask(survey: "ProjectSurvey", packs: Sequence[str]) -> Sequence[str]:
    if not can_ask():
        hint = "If the marked packs are right, say --yes; else name them with --pack."
        raise InvalidInput("Somebody must choose the packs.", hint=hint)
    if click.confirm("\nEnable selected packs?", default=True, err=True):
        return packs
    text = click.prompt("Which ones (names, or none)", default="none", err=True)
    chosen = [name for name in str(text).replace(",", " ").split() if name != "none"]
    check_packs(survey, chosen)
    return chosen


def _shown(survey: "ProjectSurvey") -> Iterator[str]:
    found = (*survey.languages[:3], *survey.frameworks, *survey.services)
    yield f"Detected: {' + '.join(it.name for it in found) or 'nothing that is known here'}"
    for label, group in (("installers", survey.installers), ("services", survey.services)):
        if group:
            yield f"  {label}: {', '.join(map(_with_evidence, group))}"
    for gate in survey.gates:
        evidence = ", ".join(it.text for it in gate.evidence)
        yield one_line(f"  gate {gate.name}: {' '.join(gate.command)} ({evidence})")
    if survey.unread:
        yield f"  not read: {one_line(', '.join(survey.unread[:5]))}"
    yield from ("", "Suggested role packs:")
    for advice in survey.packs:
        mark, roles = "x" if advice.is_suggested else " ", ", ".join(advice.roles)
        yield one_line(f"  [{mark}] {advice.name}: {advice.title} ({roles}) - {advice.reason}")


def _with_evidence(it: "Detected") -> str:
    return one_line(f"{it.name} ({it.evidence[0].text})")


def _told(invocation: Invocation, files: tuple[FileView, ...]) -> Iterator[str]:
    for file in files:
        yield f"{file.path}: {file.state.value}"
    if any(file.state is not FileState.KEPT for file in files):
        yield from (
            "",
            "Next:",
            f"  {invocation.git} add .supervisor && {invocation.git} commit -m 'Add supervisor'",
            f"  {invocation.command} trust",
            f'  {invocation.command} run "Describe a task"',
        )
