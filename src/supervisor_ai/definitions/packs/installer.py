"""Finding, installing, updating and removing packs in one place."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.packs import PackOffer, PackPlan
from supervisor_ai.definitions.packs.contents import MANIFEST
from supervisor_ai.definitions.packs.index import read_manifest
from supervisor_ai.definitions.packs.inspection import PackInspection, examine
from supervisor_ai.definitions.packs.installation import carry_out
from supervisor_ai.definitions.packs.lock import PACKS, Lock, LockedPack, read_lock
from supervisor_ai.definitions.packs.plans import LockChange, change, departure, locked
from supervisor_ai.definitions.packs.resolution import ANY, Chosen, Market, Need, resolve
from supervisor_ai.definitions.packs.sources import PackSources
from supervisor_ai.definitions.roles.packs import builtin_packs
from supervisor_ai.definitions.sources.files import BUILTIN_DIRECTORY
from supervisor_ai.definitions.sources.mistakes import FileMistakes, suggestion
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.structs import replace
from supervisor_ai.tools.file_lock import held

BUILT_IN = "built-in"
_PATIENCE: Final = 30.0
REGISTRY: Final = "https://github.com"
_PART: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class FilePackInstaller(Struct, frozen=True, kw_only=True):
    """One place for packs, the project's or the user's, and the sources that the user knows."""

    directory: Path
    sources: PackSources
    known: tuple[str, ...]
    registry: str = REGISTRY
    """Where `OWNER/NAME` is looked for."""

    def source_of(self, owner: str, name: str) -> str:
        """Name the repository of a pack that somebody publishes under their own name."""
        for part in (owner, name):
            if not _PART.fullmatch(part):
                raise InvalidInput(
                    f"{owner}/{name} names no pack: {part!r} is not made of letters, digits, "
                    "'.', '-' and '_'.",
                    hint="Example: supervisor role install trading-roles/risk-manager",
                )
        return f"{self.registry.rstrip('/')}/{owner}/{name}"

    def installed(self) -> Mapping[str, str]:
        """Return the version of each pack that is installed in the place."""
        return {name: pack.version for name, pack in read_lock(self.directory).packs.items()}

    def search(self, text: str, source: str | None) -> tuple[PackOffer, ...]:
        """Find packs whose name, description or author has the text in it."""
        offers = [*self._offers(source, ()), *_builtin_offers()]
        wanted = text.lower()
        return tuple(
            offer
            for offer in offers
            if wanted in f"{offer.name}\n{offer.description}\n{offer.author}".lower()
        )

    def plan_published(self, owner: str, name: str, versions: str) -> PackPlan:
        """Say what installing a pack of somebody's would change; others have what it needs."""
        others = [offer for offer in self._offers(None, ()) if offer.name != name]
        return self.plan_install(name, versions, self.source_of(owner, name), others)

    def plan_install(
        self, name: str, versions: str, source: str | None, others: Sequence[PackOffer] = ()
    ) -> PackPlan:
        """Say what installing a pack would change."""
        lock = read_lock(self.directory)
        kept = [need for need in _wanted(lock) if need.name != name]
        wanted = [Need(name=name, versions=versions, by="you"), *kept]
        offers = [*self._offers(source, lock.packs.values()), *others]
        return self._plan(lock, wanted, _faithful(offers, lock, but=name))

    def plan_update(self, names: Sequence[str]) -> PackPlan:
        """Say what the newest versions that suit would change; no names mean all packs."""
        lock = read_lock(self.directory)
        for name in names:
            _require(lock, name)
        offers = _faithful(self._offers(None, lock.packs.values()), lock)
        return self._plan(lock, _wanted(lock), offers, names)

    def plan_remove(self, name: str) -> PackPlan:
        """Say what goes with a pack: what only it needed."""
        lock = read_lock(self.directory)
        _require(lock, name)
        users = sorted(other for other, pack in lock.packs.items() if name in pack.needs)
        if users:
            raise Conflict(
                f"The pack {name!r} is needed by {', '.join(users)}.",
                hint=f"Remove those first: supervisor role remove {users[0]}",
            )
        left = _still_needed({other: it for other, it in lock.packs.items() if other != name})
        gone = [departure(it, pack) for it, pack in lock.packs.items() if it not in left]
        becomes = LockChange(
            changes=tuple(gone), before=lock, lock=replace(lock, packs=left), files={}
        )
        return self._planned(becomes, PackInspection(powers=(), prompts=()))

    def _planned(self, becomes: LockChange, found: PackInspection) -> PackPlan:
        return PackPlan(
            changes=becomes.changes,
            powers=found.powers,
            prompts=found.prompts,
            apply=partial(self._apply, becomes),
        )

    def _apply(self, becomes: LockChange) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        # A file that is there to be locked would lie in the user's checkout.
        with held(os.open(self.directory, os.O_RDONLY | os.O_CLOEXEC), patience=_PATIENCE) as mine:
            if not mine or read_lock(self.directory) != becomes.before:
                raise Conflict(
                    f"Another process has changed the packs in {str(self.directory)!r} since they"
                    " were looked at. Nothing was touched.",
                    hint="Ask again.",
                )
            carry_out(self.directory, becomes)

    def _offers(self, source: str | None, packs: Iterable[LockedPack]) -> tuple[PackOffer, ...]:
        named = self.known if source is None else (source,)
        return self.sources.offers(tuple(dict.fromkeys([*named, *(it.source for it in packs)])))

    def _plan(
        self,
        lock: Lock,
        wanted: Sequence[Need],
        offers: Sequence[PackOffer],
        only: Sequence[str] = (),
    ) -> PackPlan:
        market = Market(offers=offers, builtin=_builtin_versions(), take=self.sources.take)
        chosen = resolve(wanted, market)
        asked = {need.name: need.versions for need in wanted}
        packs = {
            name: locked(it, asked.get(name, ANY), is_dependency=name not in asked)
            for name, it in sorted(chosen.items())
        }
        becomes = _compared(lock, Lock(packs=packs), chosen, only)
        found = examine(chosen) if becomes.files else PackInspection(powers=(), prompts=())
        return self._planned(becomes, found)


def _faithful(offers: Sequence[PackOffer], lock: Lock, but: str | None = None) -> list[PackOffer]:
    """Leave out offers of other sources for what is installed: nobody takes it over on the way."""
    return [
        offer
        for offer in offers
        if offer.name == but
        or offer.name not in lock.packs
        or offer.source == lock.packs[offer.name].source
    ]


def _compared(
    before: Lock, after: Lock, chosen: Mapping[str, Chosen], only: Sequence[str]
) -> LockChange:
    packs = {
        name: before.packs[name] if only and name not in only and name in before.packs else pack
        for name, pack in after.packs.items()
    }
    differing = {name: pack for name, pack in packs.items() if before.packs.get(name) != pack}
    changes = [
        change(name, before.packs.get(name), pack, chosen[name]) for name, pack in differing.items()
    ]
    changes += [departure(name, it) for name, it in before.packs.items() if name not in packs]
    return LockChange(
        changes=tuple(changes),
        before=before,
        lock=Lock(packs=packs),
        files={name: chosen[name].taken.files for name in differing},
    )


def _wanted(lock: Lock) -> list[Need]:
    return [
        Need(name=name, versions=pack.wanted, by="packs.lock")
        for name, pack in lock.packs.items()
        if not pack.is_dependency
    ]


def _still_needed(packs: dict[str, LockedPack]) -> dict[str, LockedPack]:
    """Leave out dependencies that nobody needs any more."""
    left = packs
    while True:
        needed = {name for pack in left.values() for name in pack.needs}
        kept = {name: it for name, it in left.items() if not it.is_dependency or name in needed}
        if kept == left:
            return left
        left = kept


def _require(lock: Lock, name: str) -> None:
    if name not in lock.packs:
        near = suggestion(name, lock.packs)
        hint = (
            f"Did you mean {near!r}?" if near else f"Installed: {', '.join(lock.packs) or 'none'}."
        )
        raise NotFound(f"Pack {name!r} was asked for, but it is not installed here.", hint=hint)


def _builtin_versions() -> dict[str, str]:
    return {offer.name: offer.version for offer in _builtin_offers()}


def _builtin_offers() -> tuple[PackOffer, ...]:
    found: list[PackOffer] = []
    for name in builtin_packs():
        file, mistakes = BUILTIN_DIRECTORY / PACKS / name / MANIFEST, FileMistakes()
        manifest = read_manifest(str(file), file.read_text(encoding="utf-8"), mistakes)
        if manifest is None:
            raise InvalidInput(mistakes.error().message)
        found.append(
            PackOffer(
                name=name,
                version=manifest.version,
                description=manifest.description or "",
                author=manifest.author,
                source=BUILT_IN,
                path=f"{PACKS}/{name}",
            )
        )
    return tuple(found)
