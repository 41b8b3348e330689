"""`supervisor init`.

What `supervisor init --yes --json` prints, by example:

    {"target": "/home/me/project", "applied": true, "dry_run": false, "detail": "…",
     "files": [{"path": ".supervisor/config.yaml", "state": "written"}],
     "packs": ["cli"], "survey": {…}, "untried": null,
     "committed": {"branch": "main", "commit": "9ab2…"},
     "trials": {"commit": "1f0c…", "sandbox": "bubblewrap",
                "way": {"setup": [], "gates": [{"name": "test", …}]},
                "trials": [{"gate": "test", "command": ["python3", "-m", "pytest"], "works": true,
                            "tests": 297, "reason": "…", "lines": [], "likely": null}]}}
"""

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from supervisor_ai.cli.commands.setup.init_summary import (
    NextSteps,
    shown_failures,
    shown_next,
    shown_survey,
)
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, yes_option
from supervisor_ai.cli.output import can_ask, say, write, write_json
from supervisor_ai.cli.tables import folded
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.decisions.knowledge import first_guide
from supervisor_ai.control.commands.project_init import (
    FileState,
    FileView,
    NewProject,
    check_packs,
    commit_new,
    initialise,
    suggested,
    uncommitted,
)
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.domain.errors import Conflict, InvalidInput, SupervisorError

if TYPE_CHECKING:
    from supervisor_ai.control.commands.gates.gate_trials import GateTrials
    from supervisor_ai.control.commands.project_init import CommittedFiles
    from supervisor_ai.control.ports.project_survey import ProjectSurvey


class _Options(TypedDict):
    packs: tuple[str, ...]
    no_try: bool
    commit: bool | None
    yes: bool
    dry_run: bool
    as_json: bool


@verb(example="supervisor init")
@click.option(
    "--pack", "packs", multiple=True, metavar="NAME", help="Enable this, not what is suggested."
)
@click.option("--no-try", is_flag=True, help="Write the gates that were found without trying them.")
@click.option(
    "--commit/--no-commit",
    default=None,
    help="Commit the new files, and nothing else, on your branch; by default a terminal is asked.",
)
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def init(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Look at the project and write its first settings.

    Reads the manifests and tries the commands that were found as gates, each in the sandbox on the
    files of HEAD, until one works: as the project is, and then with what its package manager would
    install. Writes .supervisor/config.yaml with what worked, and .supervisor/.gitignore. Files
    that are there are left as they are. A run reads its settings from a commit: on a terminal you
    are asked whether to commit the new files, and nothing else, on your branch (--commit).
    """
    project = invocation.new_project()
    if not options["as_json"]:
        say("Scanning project...")
    survey = project.survey()
    if not options["as_json"]:
        say("\n".join(folded(shown_survey(survey))))
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
    new = uncommitted(project, files)
    if options["as_json"]:
        is_asked = options["commit"] and not options["dry_run"]
        committed = _commit(invocation, project, new) if is_asked else None
        _write_json(str(project.top), files, dry_run=options["dry_run"], found={
            "packs": packs, "survey": survey, "trials": trials, "untried": untried,
            "committed": committed,
        })  # fmt: skip
        return DONE
    write("\n".join(folded(_told(files, trials))))
    is_committed = _is_asked_to_commit(new, options) and _commit(invocation, project, new)
    if any(file.state is not FileState.KEPT for file in files):
        guide = first_guide(project.top)
        added = [it.path for it in files]
        is_forced = any(map(project.is_ignored, added))
        add = f"add --force {shlex.join(added)}" if is_forced else None
        following = NextSteps(survey=survey, trials=trials, untried=untried, guide=guide, add=add)
        told = shown_next(invocation, following, is_committed=bool(is_committed))
        write("\n".join(told))
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
        indent = "    " if words.startswith(" ") else "  "
        say("\n".join(folded([f"{indent}{one_line(words)}"])))

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


def _is_asked_to_commit(new: tuple[str, ...], options: _Options) -> bool:
    """Find out whether the files are to be committed; without a word from anybody they are not."""
    if options["dry_run"] or options["commit"] is not None or not new:
        return bool(options["commit"]) and not options["dry_run"]
    if options["yes"] or not can_ask():
        return False
    return click.confirm("Commit these files? A run sees only what is committed.", default=True)


def _commit(
    invocation: Invocation, project: NewProject, new: tuple[str, ...]
) -> "CommittedFiles | None":
    """Commit the new files; where that cannot be done, say why, and that the user can."""
    from supervisor_ai.bootstrap.projects import open_merges

    try:
        with open_merges(invocation.directory, invocation.settings) as merges:
            committed = commit_new(project.top, merges.for_user(), new)
    except Conflict as error:
        say(f"note: The files were not committed. {one_line(error.message)}")
        return None
    if committed is not None:
        say(f"Committed on {one_line(committed.branch)} as {short(committed.commit)}.")
    return committed


def _told(files: tuple[FileView, ...], trials: "GateTrials | None") -> Iterator[str]:
    if trials is not None:
        yield from shown_failures(trials)
    for file in files:
        yield f"{file.path}: {file.state.value}"
