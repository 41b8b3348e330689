"""`supervisor role search|install|update|remove`: packs of roles from elsewhere."""

from contextlib import suppress
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, yes_option
from supervisor_ai.cli.output import can_ask, report_mutation, say, write, write_json
from supervisor_ai.cli.tables import columns
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.packs import (
    carry_out,
    describe_plan,
    plan_install,
    search_packs,
    switch_on,
)
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.control.queries.roles import list_roles
from supervisor_ai.domain.errors import Denied, SupervisorError

if TYPE_CHECKING:
    from supervisor_ai.control.commands.packs import PackPlace
    from supervisor_ai.control.ports.packs import PackPlan

_SOURCE = click.option(
    "--from", "source", metavar="SOURCE", help="A directory or a git repository with packs."
)
_USER = click.option(
    "--user", "is_user", is_flag=True, help="For all your projects, not for this one."
)


class _Mutation(TypedDict):
    is_user: bool
    yes: bool
    dry_run: bool
    as_json: bool


class _Install(_Mutation):
    pack: str
    source: str | None
    enable: bool | None


class _Update(_Mutation):
    names: tuple[str, ...]


class _Remove(_Mutation):
    name: str


@verb(example="supervisor role search trading --from https://example.org/packs.git")
@click.argument("text", default="")
@_SOURCE
@json_option
@click.pass_obj
def search(invocation: Invocation, *, text: str, source: str | None, as_json: bool) -> int:
    """Find packs of roles.

    Looks at the built-in packs and at the sources that packs.yaml of your own config lists.
    """
    found = search_packs(invocation.pack_place(is_user=True), text, source)
    if as_json:
        write_json({"packs": found})
        return DONE
    rows = [("PACK", "VERSION", "SOURCE", "DESCRIPTION")]
    rows += [(it.name, it.version, one_line(it.source), one_line(it.description)) for it in found]
    write("\n".join(columns(rows)))
    return DONE


@verb(example="supervisor role install trading-desk@^1.2 --from https://example.org/packs.git")
@click.argument("pack", metavar="[OWNER/]NAME[@RANGE]")
@_SOURCE
@_USER
@click.option(
    "--enable/--no-enable",
    default=None,
    help="Add it to `packs:` of the project's config and commit both, and nothing else, on your "
    "branch; by default a terminal is asked.",
)
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def install(invocation: Invocation, **options: Unpack[_Install]) -> int:
    """Install a pack of roles and what it needs.

    OWNER/NAME is a repository on GitHub, or in the `registry` of your packs.yaml; NAME alone is
    looked for in the sources that packs.yaml lists.

    Shows what the pack may do and asks. The files go to .supervisor/packs/, for you to commit;
    what they may do in this project still needs `supervisor trust`. The pack is switched on by
    `packs:` in the config.
    """
    place = invocation.pack_place(is_user=options["is_user"])
    with place.open() as installer:
        plan = plan_install(installer, options["pack"], options["source"])
        code = _finish(place, plan, options)
    name = options["pack"].partition("@")[0].rpartition("/")[2]
    if options["dry_run"] or _is_used(invocation, name):
        return code
    if options["is_user"]:
        say(f"To have its roles, write into your own config: packs: [{name}]")
        return code
    wanted = options["enable"]
    if wanted is None and can_ask() and not options["yes"]:
        question = f"Add {name} to `packs:` of the config and commit both?"
        wanted = click.confirm(question, default=True, err=True)
    if not (wanted and _is_enabled(invocation, place, name)):
        git = f"{invocation.git} add .supervisor && {invocation.git} commit -m 'Use {name}'"
        say(f"To have its roles, write into the config: packs: [{name}]\nand commit both: {git}")
    return code


def _is_used(invocation: Invocation, name: str) -> bool:
    with suppress(SupervisorError):  # Definitions may have mistakes, or no commit.
        return name in {role.pack for role in list_roles(invocation.preflight())}
    return False


def _is_enabled(invocation: Invocation, place: "PackPlace", name: str) -> bool:
    from supervisor_ai.bootstrap.projects import open_merges

    repository = invocation.preflight().repository
    known = repository.read(repository.resolve(None).sha, ".supervisor/config.yaml")
    config = place.directory / "config.yaml"
    if known != (config.read_text(encoding="utf-8") if config.exists() else None):
        say("note: The config has changes that no commit holds, so it is left to you.")
        return False
    files = switch_on(place, name)
    if files is None:
        return False
    with open_merges(invocation.directory, invocation.settings) as merges:
        branch, commit = merges.for_user().commit_files(files, f"Use the pack {name}\n")
    say(f"Committed on {one_line(branch)} as {short(commit)}.")
    return True


@verb(example="supervisor role update")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@_USER
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def update(invocation: Invocation, **options: Unpack[_Update]) -> int:
    """Bring installed packs to their newest versions.

    Stays within the range that each pack was installed with.
    """
    place = invocation.pack_place(is_user=options["is_user"])
    with place.open() as installer:
        return _finish(place, installer.plan_update(options["names"]), options)


@verb(example="supervisor role remove trading-desk")
@click.argument("name")
@_USER
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def remove(invocation: Invocation, **options: Unpack[_Remove]) -> int:
    """Remove a pack and what only it needed."""
    place = invocation.pack_place(is_user=options["is_user"])
    with place.open() as installer:
        return _finish(place, installer.plan_remove(options["name"]), options)


def _finish(place: "PackPlace", plan: "PackPlan", options: _Mutation) -> int:
    if plan.changes:
        say("\n".join(one_line(line) for line in describe_plan(plan)))
        if not (options["yes"] or options["dry_run"]):
            _require_agreement()
    mutation = carry_out(place, plan, dry_run=options["dry_run"])
    if not options["as_json"]:
        return report_mutation(mutation, as_json=False)
    write_json(
        {
            "target": mutation.target,
            "applied": mutation.applied,
            "dry_run": mutation.dry_run,
            "detail": mutation.detail,
            "changes": plan.changes,
            "powers": plan.powers,
            "prompts": plan.prompts,
        }
    )
    return DONE


def _require_agreement() -> None:
    if not can_ask():
        hint = "Read it, and if you agree, say --yes."
        raise Denied("Somebody must agree to what the packs may do.", hint=hint)
    if not click.confirm("Accept?", default=False, err=True):
        raise Denied("You did not agree; nothing was changed.")
