"""Which versions go together: the newest of each pack that suits everybody who needs it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.packs import PackOffer
from supervisor_ai.definitions.packs.contents import MANIFEST
from supervisor_ai.definitions.packs.index import read_manifest
from supervisor_ai.definitions.packs.sources import FetchedPack
from supervisor_ai.definitions.roles.packs import PackShape
from supervisor_ai.definitions.roles.versions import fits, parse_version
from supervisor_ai.definitions.sources.mistakes import FileMistakes, suggestion
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound

ANY: Final = ">=0"
_MOST_ROUNDS: Final = 100


class Need(Struct, frozen=True, kw_only=True):
    """A range of versions that somebody needs of a pack."""

    name: str
    versions: str
    by: str


class Chosen(Struct, frozen=True, kw_only=True):
    """A pack that is to be installed."""

    taken: FetchedPack
    manifest: PackShape

    @property
    def needs(self) -> tuple[Need, ...]:
        """List what it needs itself."""
        name = self.manifest.name
        return tuple(
            Need(name=needed.name, versions=needed.version, by=f"the pack {name!r}")
            for needed in self.manifest.dependencies
        )


class Market(Struct, frozen=True, kw_only=True):
    """What can be had: offers, and the packs that are in the package already."""

    offers: Sequence[PackOffer]
    builtin: Mapping[str, str]
    take: Callable[[PackOffer], FetchedPack]


def resolve(wanted: Sequence[Need], market: Market) -> dict[str, Chosen]:
    """Choose a version of each pack that is needed; raise Conflict where none suits everybody."""
    chosen: dict[str, Chosen] = {}
    asked = {need.name for need in wanted}
    for _ in range(_MOST_ROUNDS):
        needs = _grouped([*wanted, *(need for it in chosen.values() for need in it.needs)])
        picked = {
            name: offer
            for name, group in needs.items()
            if (offer := _pick(group, market, is_asked=name in asked)) is not None
        }
        if picked == {name: it.taken.offer for name, it in chosen.items()}:
            return chosen
        chosen = {
            name: chosen[name]
            if name in chosen and chosen[name].taken.offer == offer
            else _choose(offer, market)
            for name, offer in picked.items()
        }
    raise Conflict("No versions of these packs go together.")


def _grouped(needs: Sequence[Need]) -> dict[str, list[Need]]:
    groups: dict[str, list[Need]] = {}
    for need in needs:
        groups.setdefault(need.name, []).append(need)
    return groups


def _pick(needs: list[Need], market: Market, *, is_asked: bool) -> PackOffer | None:
    name = needs[0].name
    builtin = market.builtin.get(name)
    if not is_asked and builtin is not None and _suits(builtin, needs):
        return None
    offers = [offer for offer in market.offers if offer.name == name]
    if not offers:
        raise _unknown(needs[0], market)
    newest = sorted(offers, key=lambda offer: parse_version(offer.version), reverse=True)
    for offer in newest:
        if _suits(offer.version, needs):
            return offer
    raise _conflict(needs, [offer.version for offer in newest])


def _suits(version: str, needs: list[Need]) -> bool:
    try:
        return all(fits(need.versions, version) for need in needs)
    except ValueError as error:
        raise InvalidInput(f"The range of versions {error}.") from error


def _choose(offer: PackOffer, market: Market) -> Chosen:
    taken, mistakes = market.take(offer), FileMistakes()
    label = f"{offer.source}/{offer.path}/{MANIFEST}"
    manifest = read_manifest(label, taken.files.get(MANIFEST, ""), mistakes)
    if manifest is None:
        raise mistakes.error()
    if (manifest.name, manifest.version) != (offer.name, offer.version):
        raise Conflict(
            f"The source {offer.source!r} offers {offer.name!r} {offer.version}, but what lies "
            f"there is {manifest.name!r} {manifest.version}."
        )
    return Chosen(taken=taken, manifest=manifest)


def _unknown(need: Need, market: Market) -> NotFound:
    known = sorted({offer.name for offer in market.offers})
    near = suggestion(need.name, known)
    if need.name in market.builtin:
        hint = f"It is built in: write `packs: [{need.name}]` into the config."
    elif not known:
        hint = "Name a source with --from, or list your sources in packs.yaml of your own config."
    else:
        hint = f"Did you mean {near!r}?" if near else f"Packs: {', '.join(known)}."
    return NotFound(f"Pack {need.name!r} is needed by {need.by}, but no source has it.", hint=hint)


def _conflict(needs: list[Need], versions: list[str]) -> Conflict:
    lines = [f"  {need.by} needs {need.name} {need.versions}" for need in needs]
    have = f"  there are: {', '.join(versions[:20])}"
    head = f"No version of the pack {needs[0].name!r} suits everybody:"
    return Conflict("\n".join([head, *lines, have]))
