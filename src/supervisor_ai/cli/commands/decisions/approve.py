"""`supervisor approve` and `supervisor reject`."""

from collections.abc import Callable
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import (
    drive_option,
    dry_run_option,
    fresh_option,
    json_option,
    optional_run_argument,
    tree_option,
)
from supervisor_ai.cli.output import can_ask, report_mutation, say
from supervisor_ai.cli.run_details import say_who_continues
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.decisions.approvals import PersonsDecision, judge
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import RunId

F = TypeVar("F", bound=Callable[..., object])


class _Shared(TypedDict):
    run: str | None
    tree: str | None
    claimed: str | None
    export: Path | None
    imported: Path | None
    drive: bool | None
    no_cache: bool
    dry_run: bool
    as_json: bool


class _ApproveOptions(_Shared):
    note: str | None


class _RejectOptions(_Shared):
    reason: str | None


def _proof_options(verb: F) -> F:
    """Let a decision be somebody else's, with a proof."""
    file = click.Path(dir_okay=False, path_type=Path)
    for option in (
        click.option("--as", "claimed", metavar="NAME", help="Who decides; refused unless proven."),
        click.option("--import", "imported", type=file, help="Bring a signed decision back."),
        click.option("--export", type=file, help="Write the decision down for somebody to sign."),
    ):
        verb = option(verb)
    return verb


@verb(example='supervisor approve RUN --note "Use port 8080"')
@optional_run_argument
@click.option("--note", metavar="TEXT", help="Words for the next worker; why you accept findings.")
@tree_option
@_proof_options
@drive_option
@fresh_option
@dry_run_option
@json_option
@click.pass_obj
def approve(invocation: Invocation, **options: Unpack[_ApproveOptions]) -> int:
    """Say yes to what a run asks.

    The answer is bound to the tree that the run asks about. Whoever drives the run takes it in;
    on a terminal, where nobody does, the run goes on here. What a yes means depends on the
    question, which `supervisor status RUN` shows:

    \b
      a step that asks     the run goes on
      a blocked worker     it tries again, and is told your note
      findings of a gate   they are accepted as they are; --note has to say why
      a blocked checkpoint you override it; --note has to say why
      a review loop        you overrule the reviewers, and the step passes
      an impossible wait   the step passes without those who cannot be had
      a pull request       you opened it yourself, and the run goes on
      files of the plan    you mended them, and they are read again
      a refused landing    it is tried again

    Somebody else decides with an SSH key that you have listed: --export FILE writes the decision
    down, `ssh-keygen -Y sign` signs it on any machine, and --import FILE brings FILE and FILE.sig
    back. Nobody else is believed to be who they say they are.
    """  # noqa: D301 - \b keeps click from joining the lines
    return _decide(invocation, _judgement(options, options["note"], is_approval=True), options)


@verb(example='supervisor reject RUN --reason "The endpoint must not need a login"')
@optional_run_argument
@click.option("--reason", metavar="TEXT", help="Why; the next worker is told.")
@tree_option
@_proof_options
@drive_option
@fresh_option
@dry_run_option
@json_option
@click.pass_obj
def reject(invocation: Invocation, **options: Unpack[_RejectOptions]) -> int:
    """Say no to what a run asks.

    What a no means depends on the question, which `supervisor status RUN` shows:

    \b
      a step that asks     back with your words: to `on_reject`, else to who made it
      a blocked worker     the run ends
      findings of a gate   back to the worker with your words
      a blocked checkpoint the work before it is revised, with your words
      a review loop        back to the worker with your words; rounds are counted anew
      an impossible wait   back to the worker with your words
      a pull request       the run ends
      files of the plan    the run ends
      a refused landing    it is done again, from the files as they are now

    Somebody else says no as `supervisor approve --help` says: with --export and --import.
    """  # noqa: D301 - \b keeps click from joining the lines
    return _decide(invocation, _judgement(options, options["reason"], is_approval=False), options)


def _judgement(options: _Shared, words: str | None, *, is_approval: bool) -> PersonsDecision:
    return PersonsDecision(
        is_approval=is_approval, words=words, tree=options["tree"], claimed=options["claimed"]
    )


def _decide(invocation: Invocation, judgement: PersonsDecision, options: _Shared) -> int:
    _require_one_way(judgement, options)
    if options["imported"] is not None:
        return _import(invocation, judgement, options, options["imported"])
    if options["run"] is None:
        raise InvalidInput(
            "Which run is meant?", hint=f"Name it: {invocation.command} {judgement.verb} RUN"
        )
    if options["export"] is not None:
        return _export(invocation, judgement, options, options["run"], options["export"])
    return _judge(invocation, judgement, options, options["run"])


def _require_one_way(judgement: PersonsDecision, options: _Shared) -> None:
    """Refuse what makes no sense together, before anything is done."""
    if options["export"] is None and options["imported"] is None:
        return
    if options["export"] is not None and options["imported"] is not None:
        raise InvalidInput("Both --export and --import were asked for.", hint="Give one of them.")
    if options["drive"] or options["no_cache"]:
        raise InvalidInput(
            "A run is not driven while a decision is written down or brought back.",
            hint="Go on with the run afterwards: supervisor resume RUN",
        )
    if options["imported"] is not None and (judgement.words or judgement.tree):
        raise InvalidInput(
            "The words and the tree of a signed decision are those that were signed.",
            hint="Give them with --export.",
        )
    if "-" in {str(options["export"]), str(options["imported"])}:
        raise InvalidInput("A decision is a file with a name, not '-'.")


def _export(
    invocation: Invocation, judgement: PersonsDecision, options: _Shared, run: str, file: Path
) -> int:
    from supervisor_ai.control.commands.decisions.signed_decisions import export_decision

    project = invocation.project()
    view = export_decision(project, run, judgement, file, dry_run=options["dry_run"])
    say(f"Whoever decides looks at commit {view.commit}, and signs: {view.sign}")
    say(f"Bring both files back: {invocation.command} {judgement.verb} --import {view.file}")
    return report_mutation(view, as_json=options["as_json"])


def _import(
    invocation: Invocation, judgement: PersonsDecision, options: _Shared, file: Path
) -> int:
    from supervisor_ai.control.commands.decisions.signed_decisions import (
        ImportRequest,
        import_decision,
    )

    project = invocation.project()
    request = ImportRequest(file=file, judgement=judgement, run=options["run"])
    mutation = import_decision(project, request, dry_run=options["dry_run"])
    if not options["dry_run"]:
        say_who_continues(invocation, project.records, RunId(mutation.target))
    return report_mutation(mutation, as_json=options["as_json"])


def _judge(invocation: Invocation, judgement: PersonsDecision, options: _Shared, name: str) -> int:
    _require_use(options, drives=_drives(options, is_free=True))
    project = invocation.project()
    run = project.records.find(name).id
    owner = project.records.queries.owner(run)
    is_driven = owner is not None and owner.is_alive
    is_free = not (is_driven or project.records.is_served)
    drives = _drives(options, is_free=is_free)
    _require_use(options, drives=drives)
    if drives and not options["dry_run"]:
        if options["drive"] is None:
            say("No process drives the run, so it goes on here; --no-drive leaves it alone.")
        return _judge_and_drive(invocation, judgement, options, name)
    mutation = judge(project, run, judgement, dry_run=options["dry_run"])
    if not options["dry_run"]:
        say_who_continues(invocation, project.records, run)
    return report_mutation(mutation, as_json=options["as_json"])


def _require_use(options: _Shared, *, drives: bool) -> None:
    if options["no_cache"] and not drives:
        raise InvalidInput(
            "--no-cache was asked for, but nothing is driven here.",
            hint="Add --drive, or say it where the run goes on: supervisor resume --no-cache",
        )


def _drives(options: _Shared, *, is_free: bool) -> bool:
    """Go on with the run where that is said, or where a person would have to do it next."""
    if options["drive"] is not None:
        return options["drive"]
    return is_free and can_ask() and not options["as_json"]


def _judge_and_drive(
    invocation: Invocation, judgement: PersonsDecision, options: _Shared, name: str
) -> int:
    from supervisor_ai.cli.foreground.foreground_run import ForegroundRun
    from supervisor_ai.cli.foreground.progress import make_progress
    from supervisor_ai.cli.interrupts import run_interruptibly
    from supervisor_ai.control.commands.run_execution import prepare_resume

    progress = make_progress(verbose=False)
    project = invocation.project(progress, is_fresh=options["no_cache"])
    preparation = prepare_resume(project, name, will_approve=judgement.is_approval)
    run_interruptibly(preparation)
    run = RunId(judge(project, name, judgement).target)
    attendance = ForegroundRun(
        invocation=invocation, project=project, progress=progress, as_json=options["as_json"]
    )
    return attendance.attend(run)
