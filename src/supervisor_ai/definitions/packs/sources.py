"""Opening the sources of packs, each one once, into a directory that is thrown away."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from supervisor_ai.control.ports.packs import PackOffer
from supervisor_ai.definitions.identities.ssh_keygen import open_signature
from supervisor_ai.definitions.packs.archives import Archive, DirectoryArchive
from supervisor_ai.definitions.packs.contents import digest, pack_files
from supervisor_ai.definitions.packs.git_archive import GitRunner, fetch_archive, protocol
from supervisor_ai.definitions.packs.index import INDEX, read_offers
from supervisor_ai.domain.errors import Conflict, Denied

_NAMESPACE: Final = "supervisor-packs"


class FetchedPack(Struct, frozen=True, kw_only=True):
    """The files of a pack, as its source had them."""

    offer: PackOffer
    files: dict[str, str]
    commit: str | None


class PackSources(Struct, frozen=True, kw_only=True):
    """What the user named as sources; `place` is empty and ours."""

    place: Path
    git: GitRunner
    signers: Path | None = None
    opened: dict[tuple[str, str | None], Archive] = field(default_factory=dict)

    def offers(self, sources: Sequence[str]) -> tuple[PackOffer, ...]:
        """List what the sources offer, in their order."""
        return tuple(offer for source in sources for offer in self._offers(source))

    def take(self, offer: PackOffer) -> FetchedPack:
        """Read a pack; refuse one that is not what the index says."""
        archive = self._open(offer.source, offer.commit)
        files = pack_files(archive, offer.path)
        found = digest(files)
        if offer.digest is not None and offer.digest != found:
            raise Conflict(
                f"The pack {offer.name!r} {offer.version} of {offer.source!r} has the digest "
                f"{found}, but its index says {offer.digest}."
            )
        return FetchedPack(offer=offer, files=files, commit=archive.commit)

    def _offers(self, source: str) -> tuple[PackOffer, ...]:
        archive = self._open(source, None)
        index = archive.read(INDEX)
        if self.signers is not None:
            signature = archive.read(f"{INDEX}.sig")
            _require_signature(source, index, signature, self.signers)
        offers = read_offers(archive, index)
        for offer in offers:
            _refuse_local(source, offer)
        if self.signers is None:
            return offers
        unsure = next((offer for offer in offers if offer.digest is None), None)
        if unsure is not None:
            message = f"The signed index of {source!r} has no digest for {unsure.name!r}."
            raise Denied(message, hint="Without it the signature says nothing about the files.")
        return offers

    def _open(self, source: str, commit: str | None) -> Archive:
        key = (source, commit)
        if key not in self.opened:
            known = self.opened.get((source, None))
            if known is not None and known.commit == commit:
                return known
            self.opened[key] = self._opened(source, commit)
        return self.opened[key]

    def _opened(self, source: str, commit: str | None) -> Archive:
        directory = Path(source).expanduser()
        is_local = "://" not in source and directory.is_dir()
        if is_local and not _is_bare(directory):
            return DirectoryArchive(source, directory)
        address = str(directory.absolute()) if is_local else source
        protocol(address)
        place = self.place / f"source-{len(self.opened)}"
        place.mkdir()
        fetched = fetch_archive(address, commit, place, self.git)
        fetched.source = source
        return fetched


def _refuse_local(source: str, offer: PackOffer) -> None:
    """Keep an index from elsewhere away from the files of this machine."""
    is_elsewhere = protocol(source) != "file"
    if offer.source != source and is_elsewhere and protocol(offer.source) == "file":
        raise Denied(f"The index of {source!r} names {offer.source!r}, a place on your machine.")


def _is_bare(directory: Path) -> bool:
    return (directory / "HEAD").is_file() and (directory / "objects").is_dir()


def _require_signature(
    source: str, index: bytes | None, signature: bytes | None, signers: Path
) -> str:
    """Return who signed an index; raise Denied unless one of the signers did."""
    if index is None or signature is None:
        raise Denied(
            f"The source {source!r} has no signed index, and you want one.",
            hint=f"Sign it: ssh-keygen -Y sign -f KEY -n {_NAMESPACE} index.yaml",
        )
    with open_signature(signature, signers) as found:
        names = found.principals()
        if not names:
            raise Denied(f"The index of {source!r} is signed by nobody whom you have listed.")
        if not found.is_of(names, index, namespace=_NAMESPACE):
            raise Denied(f"The index of {source!r} is not what {names!r} signed.")
    return names
