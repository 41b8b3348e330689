"""Puts what an agent has to know of us into its files, and takes it out again."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, cast

from msgspec import Struct

from supervisor_ai.control.ports.agent_installation import (
    AgentWish,
    FileRewrite,
    FileStanding,
    Installation,
    InstallationPlan,
    InstallationScope,
    InstalledFile,
)
from supervisor_ai.domain.errors import Conflict, NotFound, SupervisorError
from supervisor_ai.domain.structs import replace
from supervisor_ai.tools.json_value import Json
from supervisor_ai.workers.installation.confined_folder import ConfinedFolder
from supervisor_ai.workers.installation.json_notation import JSON
from supervisor_ai.workers.installation.notations import (
    Notation,
    entry_in,
    is_empty,
    with_entry,
    without_entry,
)
from supervisor_ai.workers.installation.receipts import (
    KeptEntry,
    KeptFile,
    Receipt,
    Receipts,
    text_hash,
)
from supervisor_ai.workers.installation.recipe import (
    Order,
    Recipe,
    Wanted,
    WantedEntry,
    find_recipe,
    start_line,
)
from supervisor_ai.workers.installation.toml_notation import TOML

_OWN: Final = ("SUPERVISOR_CONFIG", "SUPERVISOR_STATE")
"""An agent may be started where nobody has set them, or may not hand them on."""


class UserSurroundings(Struct, frozen=True, kw_only=True):
    """Where the user's agents and projects are."""

    home: Path
    environment: Mapping[str, str]
    project: Callable[[], Path]
    """Finds the top of the project; raises NotFound where there is none."""
    program: tuple[str, ...]
    """How an agent starts us."""


class FileAgentInstaller:
    """Knows the files of each agent, and what was in them."""

    def __init__(self, surroundings: UserSurroundings, receipts: Receipts) -> None:
        self._around = surroundings
        self._receipts = receipts

    def plan_install(self, wish: AgentWish) -> InstallationPlan:
        """Say which files would change; raises Conflict where the user has changed ours."""
        recipe = find_recipe(wish.agent)
        root, prefix = self._place(recipe, wish.scope)
        order = Order(
            scope=wish.scope,
            role=wish.role,
            session=wish.session,
            member=wish.member,
            team_role=wish.team_role,
            git_directories=wish.git_directories,
            program=self._around.program,
            environment={it: had for it in _OWN if (had := self._around.environment.get(it))},
        )
        known = self._receipts.find(wish.agent, wish.scope, root)
        _require_same_member(known, wish)
        site = _Site(root, self._receipts, known)
        wanted = [_at(it, recipe.folder, prefix) for it in recipe.wanted(order)]
        steps = [site.written(it) for it in wanted]
        paths = {it.path for it in wanted}
        steps += [site.restored(it) for it in site.kept if it.path not in paths]
        receipt = Receipt(
            agent=wish.agent,
            scope=wish.scope,
            directory=str(root),
            role=wish.role,
            session=wish.session,
            member=wish.member,
            files=tuple(it.kept for it in steps if it.kept is not None),
        )
        return InstallationPlan(
            agent=wish.agent,
            scope=wish.scope,
            directory=str(root),
            changes=tuple(it.change for it in steps if it.is_needed),
            offers=recipe.offers(order),
            apply=partial(site.install, steps, receipt),
            start=start_line(recipe, order),
        )

    def plan_uninstall(self, agent: str, scope: InstallationScope) -> InstallationPlan:
        """Say how all would be as it was; raises NotFound, or Conflict as above."""
        recipe = find_recipe(agent)
        root, _ = self._place(recipe, scope)
        receipt = self._receipts.find(agent, scope, root)
        if receipt is None:
            raise NotFound(
                f"Nothing of ours was put in for {agent} in {str(root)!r}.",
                hint="See what there is: supervisor agents list",
            )
        site = _Site(root, self._receipts, receipt)
        steps = [site.restored(it) for it in receipt.files]
        return InstallationPlan(
            agent=agent,
            scope=scope,
            directory=str(root),
            changes=tuple(it.change for it in steps if it.is_needed),
            offers=recipe.farewell(scope),
            apply=partial(site.uninstall, steps, receipt),
        )

    def list(self) -> tuple[Installation, ...]:
        """Tell what was put in, wherever that is."""
        return tuple(map(_installation, self._receipts.all()))

    def _place(self, recipe: Recipe, scope: InstallationScope) -> tuple[Path, str]:
        is_project = scope is InstallationScope.PROJECT
        top = self._around.project() if is_project else self._around.home
        return recipe.place(scope, top, self._around.environment)


class _Step(Struct, frozen=True, kw_only=True):
    """What becomes of one file, and what is remembered of it."""

    change: FileRewrite
    base: str | None
    """What is there without us."""
    kept: KeptFile | None

    @property
    def is_needed(self) -> bool:
        return self.change.before != self.change.after


class _Site:
    """The files of one agent at one place."""

    def __init__(self, root: Path, receipts: Receipts, receipt: Receipt | None) -> None:
        self._folder = ConfinedFolder(root)
        self._receipts = receipts
        self._receipt = receipt

    @property
    def kept(self) -> tuple[KeptFile, ...]:
        return () if self._receipt is None else self._receipt.files

    def written(self, wanted: Wanted) -> _Step:
        """Say what a file is to be with us in it."""
        old = next((it for it in self.kept if it.path == wanted.path), None)
        now = self._folder.read(wanted.path)
        base = now if old is None else self._base(old, now)
        text, entries = _applied(wanted, base)
        made = () if old is None else old.directories
        return _Step(
            change=FileRewrite(path=wanted.path, before=now, after=text),
            base=base,
            kept=KeptFile(
                path=wanted.path,
                before=None if base is None else text_hash(base),
                written=(*(() if old is None else old.written), text_hash(text)),
                entry=next(iter(entries), None),
                more=entries[1:],
                directories=made or self._folder.missing_directories(wanted.path),
            ),
        )

    def restored(self, kept: KeptFile) -> _Step:
        """Say what a file is to be without us."""
        now = self._folder.read(kept.path)
        base = self._base(kept, now)
        change = FileRewrite(path=kept.path, before=now, after=base)
        return _Step(change=change, base=base, kept=None)

    def install(self, steps: Sequence[_Step], receipt: Receipt) -> None:
        """Remember what is there, then write; whoever comes after a crash finds both."""
        with self._receipts.alone():
            self._require_as_seen(receipt)
            for step in steps:
                if step.base is not None and step.kept is not None:
                    self._receipts.keep_text(step.base)
            gone = tuple(it for it in self.kept if receipt.file(it.path) is None)
            self._receipts.keep(replace(receipt, files=(*receipt.files, *gone)))
            self._write(steps)
            self._remove_directories(gone)
            settled = tuple(replace(it, written=it.written[-1:]) for it in receipt.files)
            self._receipts.keep(replace(receipt, files=settled))

    def uninstall(self, steps: Sequence[_Step], receipt: Receipt) -> None:
        """Write what was there, then forget it."""
        with self._receipts.alone():
            self._require_as_seen(receipt)
            self._write(steps)
            self._remove_directories(receipt.files)
            self._receipts.forget(receipt)

    def _require_as_seen(self, receipt: Receipt) -> None:
        """Refuse a plan that others have overtaken, before anything is touched."""
        place = receipt.agent, receipt.scope, Path(receipt.directory)
        if self._receipts.find(*place) != self._receipt:
            raise Conflict(
                f"Another process has changed the files of {receipt.agent} since they were looked"
                " at. Nothing was touched.",
                hint="Ask again.",
            )

    def _write(self, steps: Sequence[_Step]) -> None:
        for change in (it.change for it in steps if it.is_needed):
            if self._folder.read(change.path) != change.before:
                raise Conflict(
                    f"The file {change.path!r} has changed since it was looked at.",
                    hint="Ask again.",
                )
            if change.after is None:
                self._folder.remove(change.path)
            else:
                self._folder.write(change.path, change.after)

    def _remove_directories(self, files: Sequence[KeptFile]) -> None:
        made = {it for file in files for it in file.directories}
        for path in sorted(made, key=lambda it: it.count("/"), reverse=True):
            self._folder.remove_empty(path)

    def _base(self, kept: KeptFile, now: str | None) -> str | None:
        """Find out what would be there without us; raises Conflict where nobody can know."""
        name = None if now is None else text_hash(now)
        if now is None or name == kept.before:
            return now
        if name in kept.written:
            return None if kept.before is None else self._receipts.text(kept.before)
        if kept.entry is None:
            raise self._changed(kept)
        left = now
        for entry in kept.entries:
            left = self._without_entry(kept, entry, left)
        is_gone = left != now and is_empty(_notation(kept.path), kept.path, left)
        return None if kept.before is None and is_gone else left

    def _without_entry(self, kept: KeptFile, entry: KeptEntry, now: str) -> str:
        """Take our entry alone out of a file that others have changed."""
        notation = _notation(kept.path)
        found = entry_in(notation, kept.path, now, entry.keys)
        if found is None or found == entry.before:
            return now
        if found != entry.value:
            raise self._changed(kept)
        if entry.before is not None:
            return with_entry(notation, kept.path, now, entry.keys, cast("Json", entry.before))
        return without_entry(notation, kept.path, now, entry.keys)

    def _changed(self, kept: KeptFile) -> Conflict:
        what = "Our entry in the file" if kept.entry else "The file"
        before = ""
        if kept.before is not None:
            before = f" What was there before is in {str(self._receipts.text_path(kept.before))!r}."
        return Conflict(
            f"{what} {kept.path!r} was changed since it was put in.",
            hint=f"Move your version away, or take it out by hand, and ask again.{before}",
        )


def _require_same_member(known: Receipt | None, wish: AgentWish) -> None:
    """Refuse to put one member into the place of another: a checkout has one of each agent."""
    if known is None or None in {known.member, wish.member} or known.member == wish.member:
        return
    raise Conflict(
        f"{wish.agent} is {known.member!r} in {known.directory!r} already.",
        hint=f"Give {wish.member} a checkout of its own: git worktree add ../{wish.member}; or take"
        f" the other out first: supervisor agents uninstall {wish.agent}",
    )


def _applied(wanted: Wanted, base: str | None) -> tuple[str, tuple[KeptEntry, ...]]:
    if not isinstance(wanted, WantedEntry):
        return wanted.text, ()
    text, kept = base or "", list[KeptEntry]()
    for keys, value in ((wanted.keys, wanted.value), *wanted.more):
        before = entry_in(wanted.notation, wanted.path, text, keys)
        is_added = isinstance(before, list) and isinstance(value, list)
        new = cast("Json", [*before, *value]) if is_added else value  # type: ignore[misc]
        text = with_entry(wanted.notation, wanted.path, text, keys, new)
        kept.append(KeptEntry(keys=keys, value=new, before=before))
    return text, tuple(kept)


def _at(wanted: Wanted, folder: str, prefix: str) -> Wanted:
    inside = wanted.path.removeprefix(f"{folder}/")
    return wanted if inside == wanted.path else replace(wanted, path=f"{prefix}{inside}")


def _notation(path: str) -> Notation:
    return TOML if path.endswith(".toml") else JSON


def _installation(receipt: Receipt) -> Installation:
    folder = ConfinedFolder(Path(receipt.directory))
    return Installation(
        agent=receipt.agent,
        scope=receipt.scope,
        directory=receipt.directory,
        role=receipt.role,
        session=receipt.session,
        member=receipt.member,
        files=tuple(
            InstalledFile(path=it.path, standing=_standing(folder, it)) for it in receipt.files
        ),
    )


def _standing(folder: ConfinedFolder, kept: KeptFile) -> FileStanding:
    try:
        now = folder.read(kept.path)
        if now is None or text_hash(now) in kept.written:
            return FileStanding.GONE if now is None else FileStanding.AS_WRITTEN
        return _entry_standing(kept, now)
    except NotFound:
        return FileStanding.GONE
    except SupervisorError:
        return FileStanding.CHANGED


def _entry_standing(kept: KeptFile, now: str) -> FileStanding:
    if kept.entry is None:
        return FileStanding.CHANGED
    found = [entry_in(_notation(kept.path), kept.path, now, it.keys) for it in kept.entries]
    if None in found:
        return FileStanding.GONE
    is_ours = found == [it.value for it in kept.entries]
    return FileStanding.AS_WRITTEN if is_ours else FileStanding.CHANGED
