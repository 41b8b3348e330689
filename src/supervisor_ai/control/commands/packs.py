"""Packs of roles: found, planned, shown, agreed to, installed."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.trust import describe
from supervisor_ai.control.ports.definitions import RoleSummary
from supervisor_ai.control.ports.packs import PackInstaller, PackOffer, PackPlan
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import InvalidInput

_ANY: Final = ">=0"
_CONFIG: Final = "config.yaml"
_LOCK: Final = "packs.lock"
_PACKS: Final = re.compile(r"^packs\s*:", re.MULTILINE)
_LISTED: Final = re.compile(r"^packs:[ \t]*\[([^\]\n]*)\]", re.MULTILINE)


class PackPlace(Struct, frozen=True, kw_only=True):
    """A place for packs; what the installer fetches is there only as long as it is open."""

    directory: Path
    open: Callable[[], AbstractContextManager[PackInstaller]]


def search_packs(place: PackPlace, text: str, source: str | None) -> tuple[PackOffer, ...]:
    """Find packs in a source, or in all that the user knows."""
    with place.open() as installer:
        return installer.search(text, source)


def plan_install(installer: PackInstaller, wanted: str, source: str | None) -> PackPlan:
    """Say what installing `[OWNER/]NAME[@RANGE]` would change."""
    whole, at, versions = wanted.partition("@")
    owner, slash, name = whole.rpartition("/")
    if not name or (at and not versions) or (slash and not owner):
        raise InvalidInput(f"A pack is written [OWNER/]NAME[@RANGE], not {wanted!r}.")
    if owner and source:
        raise InvalidInput(
            f"The pack {whole!r} is looked for where its owner publishes it, and --from names "
            "another place.",
            hint=f"Leave out one of the two: {name}, or --from.",
        )
    if owner:
        return installer.plan_published(owner, name, versions or _ANY)
    return installer.plan_install(name, versions or _ANY, source)


def idle_packs(places: Iterable[PackPlace], roles: Iterable[RoleSummary]) -> Iterator[str]:
    """Name the packs that are installed and that no config switches on."""
    used = {role.pack for role in roles}
    for place in places:
        with place.open() as installer:
            found = installer.installed().items()
            yield from (f"{name}@{version}" for name, version in found if name not in used)


def switch_on(place: PackPlace, name: str) -> Mapping[str, bytes] | None:
    """Add an installed pack to `packs` of the project's config; return what to commit.

    None where somebody has to write it by hand; nothing is changed then. No link is followed: one
    that came with the repository may lead anywhere.
    """
    config = place.directory / _CONFIG
    if config.is_symlink() or place.directory.is_symlink():
        return None
    text = config.read_text(encoding="utf-8") if config.exists() else ""
    listed = _LISTED.search(text)
    if listed is not None:
        known = [it for it in map(str.strip, listed[1].split(",")) if it]
        packs = ", ".join(known if name in known else (*known, name))
        text = f"{text[: listed.start()]}packs: [{packs}]{text[listed.end() :]}"
    elif _PACKS.search(text):
        return None
    else:
        text += f"packs: [{name}]\n"
    config.write_text(text, encoding="utf-8")
    with place.open() as installer:
        homes = [place.directory / "packs" / it for it in installer.installed()]
    below = (it for at in homes for it in at.rglob("*") if it.is_file() and not it.is_symlink())
    top, files = place.directory.parent, (config, place.directory / _LOCK, *below)
    return {str(it.relative_to(top)): it.read_bytes() for it in files}


def describe_plan(plan: PackPlan) -> Iterator[str]:
    """Say what would change and what the packs may do, one line each."""
    for it in plan.changes:
        yield f"{it.name}: {it.before or 'not installed'} -> {it.after or 'removed'} ({it.source})"
    if any(it.after is not None for it in plan.changes):
        yield "These packs may:"
        yield from (f"  + {describe(power)}" for power in plan.powers)
        if not plan.powers:
            yield "  use no tools, hosts, servers or commands beyond those of the roles they extend"
        for prompt in plan.prompts:
            yield f"  tell {prompt.role}: {prompt.text}"


def carry_out(place: PackPlace, plan: PackPlan, *, dry_run: bool) -> MutationView:
    """Do what was planned, and say what it was."""
    if plan.changes and not dry_run:
        plan.apply()
    return MutationView(
        target=str(place.directory),
        applied=bool(plan.changes) and not dry_run,
        dry_run=dry_run,
        detail=_detail(plan),
    )


def _detail(plan: PackPlan) -> str:
    told = [f"{it.name} {it.before or 'new'} -> {it.after or 'gone'}" for it in plan.changes]
    return f"{', '.join(told)}." if told else "Everything is as you want it."
