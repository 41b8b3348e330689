"""Migrate a run to today's definition."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.run_start import within
from supervisor_ai.control.commands.trust import keep_consent, require_trust
from supervisor_ai.control.ports.definitions import Loaded, Power
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.control.slices import definition_of, find_slice
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, LetterKey, RunId
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.gates import BaselinePolicy
from supervisor_ai.domain.run.inbox_commands import InboxCommand, Migrate
from supervisor_ai.domain.run.spending.budgets import NOTHING, Scope
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.pinned import pinned_powers

_STEPS: Final = "workflow.steps."
_LONGEST: Final = 100


class Migration(Struct, frozen=True, kw_only=True):
    """What a run would go on under, and what is different there."""

    run: RunId
    previous: ArtifactHash
    definition: ArtifactHash
    difference: str
    powers: tuple[Power, ...] = ()
    """What the project asks the user to trust today."""

    @property
    def is_needed(self) -> bool:
        """Tell whether the definitions differ."""
        return self.previous != self.definition


def plan_migration(
    project: OpenProject, name: str, *, ref: str | None = None, cli: str | None = None
) -> Migration:
    """Load today's definition and compare; refuse where the run cannot go on under it."""
    row = project.records.find(name)
    if row.status in ENDED:
        raise Conflict(f"Run {row.id!r} cannot be migrated: it is {row.status.value} already.")
    documents = project.world.documents
    playback, _ = project.player.play(row.id)
    pinned = documents.load(playback.run.definition, definition_of(row.driver))
    commit = project.repository.resolve(ref).sha
    today = load_today(project, row.driver, pinned, commit, cli)
    require_trust(project.preflight, today.powers)
    # What the run may cost was said when it started, and no file says it again.
    definition = within(today.definition, pinned.budgets.get(Scope.RUN, NOTHING))
    target = documents.save(definition)
    if problems := playback.migration_problems(target):
        raise Conflict(f"Run {row.id!r} cannot be migrated: {' '.join(problems)}")
    return Migration(
        run=row.id,
        previous=playback.run.definition,
        definition=target,
        difference=difference_of(project, pinned, definition),
        powers=today.powers,
    )


def migrate(project: OpenProject, migration: Migration, *, dry_run: bool = False) -> MutationView:
    """Ask the run's owner to go on under the new definition."""
    if not migration.is_needed:
        detail = "The run is at today's definition already."
        return MutationView(target=migration.run, applied=False, dry_run=dry_run, detail=detail)
    moved = f"definition {migration.previous} -> {migration.definition}"
    if dry_run:
        detail = f"Would change the {moved}."
        return MutationView(target=migration.run, applied=False, dry_run=True, detail=detail)
    document = project.world.artifacts.get(migration.definition)
    pinned = pinned_powers(document, sandbox=project.birth(migration.run).sandbox)
    keep_consent(project.preflight, pinned, migration.powers)
    letter = InboxCommand(
        key=LetterKey(f"migrate:{migration.run}:{migration.previous}:{migration.definition}"),
        run=migration.run,
        command=Migrate(definition=migration.definition),
        actor=project.actor,
        sent_at=project.world.clock.now(),
    )
    is_new = project.world.inbox.put(letter)
    detail = f"Asked for the {moved}; the run's owner takes it in when it next drives the run."
    return MutationView(target=migration.run, applied=is_new, dry_run=False, detail=detail)


def load_today(
    project: OpenProject, driver: str, pinned: Definition, commit: CommitSha, cli: str | None
) -> Loaded:
    """Load what a run like this one would pin today."""
    catalog, found = project.preflight.catalog, find_slice(driver)
    if found is not None and found.today is not None:
        loaded = found.today(catalog, pinned, commit, cli)
    else:
        cli = cli or only_cli(pinned)
        loaded = catalog.load(commit, workflow=pinned.workflow.name, cli=cli)
    return replace(loaded, definition=_attended_as(pinned, loaded.definition))


def _attended_as(pinned: Definition, today: Definition) -> Definition:
    """Ask about the baseline only where the run was begun in front of a person.

    A task that waits with its landing until a person completes it goes on to wait, and workers that
    were members of a session stay its members.
    """
    today = replace(today, session=pinned.session)
    if not pinned.git.auto_commit:
        today = replace(today, git=replace(today.git, auto_commit=False))
    is_alone = pinned.baseline is BaselinePolicy.NOTE and today.baseline is BaselinePolicy.ASK
    return replace(today, baseline=pinned.baseline) if is_alone else today


def only_cli(definition: Definition, *, besides: str | None = None) -> str | None:
    """Keep the agent of a run that has only one: it may have been chosen for this run."""
    chosen = [it.name for it in definition.clis.values() if it.adapter != besides]
    return chosen[0] if len(chosen) == 1 else None


def difference_of(project: OpenProject, before: Definition, after: Definition) -> str:
    """List what is different under another definition."""
    old, new = (json.loads(project.world.documents.encode(it)) for it in (before, after))
    return "\n".join(_changes(old, new, ""))


def _changes(old: Mapping[str, object], new: Mapping[str, object], at: str) -> Iterator[str]:
    """List what is new, gone or another, one line each."""
    for key in dict.fromkeys((*old, *new)):
        was, now, path = old.get(key), new.get(key), f"{at}{key}"
        is_step = at == _STEPS
        name = f"step {key}" if is_step else path
        if was == now:
            continue
        if key not in old:
            sources = [it for it, step in new.items() if is_step and key in _targets(step)]
            leads = f", {' and '.join(sources)} {'leads' if len(sources) == 1 else 'lead'} to it"
            yield f"{name} is new{leads if sources else ''}{'' if is_step else _shown(now)}"
        elif key not in new:
            yield f"{name} is gone"
        elif isinstance(was, dict) and isinstance(now, dict):
            yield from _changes(was, now, f"{name}: " if is_step else f"{path}.")
        else:
            yield f"{name}{_shown(was)} ->{_shown(now).removeprefix(':')}"


def _targets(step: object) -> tuple[object, ...]:
    keys = ("next", "on_fail", "on_reject")
    return tuple(map(step.get, keys)) if isinstance(step, dict) else ()


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f": {text}" if len(text) <= _LONGEST else ": (long)"
