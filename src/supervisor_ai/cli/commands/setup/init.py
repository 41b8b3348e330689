"""`supervisor init`.

What `supervisor init --yes --json` prints, by example:

    {"target": "/home/me/project", "applied": true, "dry_run": false, "detail": "…",
     "files": [{"path": ".supervisor/config.yaml", "state": "written"}],
     "packs": ["cli"], "survey": {…}, "untried": null,
     "trials": {"commit": "1f0c…", "way": {"setup": [], "gates": [{"name": "test", …}]},
                "trials": [{"gate": "test", "command": ["python3", "-m", "pytest"], "works": true,
                            "tests": 297, "reason": "…", "lines": [], "likely": null}]}}
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from supervisor_ai.cli.commands.setup.init_summary import shown_failures, shown_next, shown_survey
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, yes_option
from supervisor_ai.cli.output import can_ask, say, write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.project_init import (
    FileState,
    FileView,
    NewProject,
    check_packs,
    initialise,
    suggested,
)
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.errors import InvalidInput, SupervisorError

if TYPE_CHECKING:
    from supervisor_ai.control.commands.gates.gate_trials import GateTrials
    from supervisor_ai.control.ports.project_survey import ProjectSurvey


class _Options(TypedDict):
    packs: tuple[str, ...]
    no_try: bool
    yes: bool
    dry_run: bool
    as_json: bool


@verb(example="supervisor init")
@click.option(
    "--pack", "packs", multiple=True, metavar="NAME", help="Enable this, not what is suggested."
)
@click.option("--no-try", is_flag=True, help="Write the gates that were found without trying them.")
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def init(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Look at the project and write its first settings.

    Reads the manifests and tries the commands that were found as gates, each in the sandbox on the
    files of HEAD, until one works: as the project is, and then with what its package manager would
    install. Writes .supervisor/config.yaml with what worked, and .supervisor/.gitignore. Files
    that are there are left as they are.
    """
    project = invocation.new_project()
    survey = project.survey()
    if not options["as_json"]:
        say("\n".join(shown_survey(survey)))
    packs: Sequence[str] = options["packs"] or suggested(survey)
    check_packs(survey, packs)
    if packs and not (options["packs"] or options["yes"] or options["dry_run"]):
        packs = _ask(survey, packs)
    written: tuple[FileView, ...] = ()
    trials, untried = None, _why_not(project, survey, packs, options)
    if untried is None:
        written = _ignore_state(project, survey)
        trials, untried = _try(invocation, project, survey, is_quiet=options["as_json"])
    drafts = project.drafts(survey, packs, trials)
    files = initialise(project, drafts, dry_run=options["dry_run"])
    files = tuple({**{it.path: it for it in files}, **{it.path: it for it in written}}.values())
    if options["as_json"]:
        _write_json(str(project.top), files, dry_run=options["dry_run"], found={
            "packs": packs, "survey": survey, "trials": trials, "untried": untried
        })  # fmt: skip
        return DONE
    write("\n".join(_told(invocation, files, survey, trials, untried)))
    return DONE


def _why_not(
    project: NewProject, survey: "ProjectSurvey", packs: Sequence[str], options: _Options
) -> str | None:
    """Say why the gates are not tried; None where they are."""
    if options["no_try"] or options["dry_run"]:
        return "--no-try" if options["no_try"] else "--dry-run"
    config = next(iter(project.drafts(survey, packs, None)))
    if (project.top / config).exists():
        return f"{config} is there"
    return None if any(way.gates for way in survey.ways) else "no command was found"


def _ignore_state(project: NewProject, survey: "ProjectSurvey") -> tuple[FileView, ...]:
    """Keep out of git, first of all, what trying leaves behind."""
    first, *others = project.drafts(survey, (), None).items()
    del first
    return initialise(project, dict(others), dry_run=False)


def _try(
    invocation: Invocation, project: NewProject, survey: "ProjectSurvey", *, is_quiet: bool
) -> tuple["GateTrials | None", str | None]:
    from supervisor_ai.cli.interrupts import run_interruptibly
    from supervisor_ai.control.commands.gates.gate_trials import try_gates

    def tell(words: str) -> None:
        say(f"{'    ' if words.startswith(' ') else '  '}{one_line(words)}")

    def has(name: str) -> object:
        is_place = name.startswith("./")
        return (project.top / name).is_dir() if is_place else project.has_program(name)

    if not is_quiet:
        say("\nTrying the gates in the sandbox, on the files of HEAD (--no-try: not now):")
    try:
        opened = invocation.project()
        trials = run_interruptibly(try_gates(opened, survey, has_program=has, tell=tell))
    except SupervisorError as error:
        return None, f"{error.message} {error.hint or ''}".strip()
    return trials, None


def _write_json(
    target: str, files: tuple[FileView, ...], *, dry_run: bool, found: dict[str, object]
) -> None:
    written = [file.path for file in files if file.state is FileState.WRITTEN]
    write_json(
        {
            "target": target,
            "applied": bool(written),
            "dry_run": dry_run,
            "detail": "; ".join(f"{file.path}: {file.state.value}" for file in files),
            "files": files,
            **found,
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


def _told(
    invocation: Invocation,
    files: tuple[FileView, ...],
    survey: "ProjectSurvey",
    trials: "GateTrials | None",
    untried: str | None,
) -> Iterator[str]:
    if trials is not None:
        yield from shown_failures(trials)
    for file in files:
        yield f"{file.path}: {file.state.value}"
    if any(file.state is not FileState.KEPT for file in files):
        yield from shown_next(invocation, survey, trials, untried)
