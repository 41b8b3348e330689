"""What a source has to offer: the entries of its index, or the packs that lie in it."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from supervisor_ai.control.ports.packs import PackOffer
from supervisor_ai.definitions.overlay.layers import fit
from supervisor_ai.definitions.packs.archives import Archive
from supervisor_ai.definitions.packs.contents import MANIFEST
from supervisor_ai.definitions.roles.packs import PackShape
from supervisor_ai.definitions.roles.versions import version_text
from supervisor_ai.definitions.schema.base import FileShape, Name, Text
from supervisor_ai.definitions.schema.sandboxes import InnerPath
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.sources.yaml_document import read_yaml
from supervisor_ai.domain.errors import InvalidInput, NotFound

INDEX: Final = "index.yaml"
_DEEPEST: Final = 3
_MOST: Final = 2_000

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{40,64}$")]


class EntryShape(FileShape):
    """One of `packs` of an index: a version of a pack, and where it is."""

    name: Name
    version: Annotated[str, AfterValidator(version_text)]
    description: Text = ""
    author: Text = ""
    source: Text | None = None
    path: InnerPath | None = None
    commit: Commit | None = None
    digest: Digest | None = None


class IndexShape(FileShape):
    """`index.yaml` of a source."""

    packs: Annotated[list[EntryShape], Field(max_length=_MOST)]


def read_offers(archive: Archive, index: bytes | None) -> tuple[PackOffer, ...]:
    """List what a source offers; every mistake in it is reported at once."""
    mistakes = FileMistakes()
    found = tuple(
        _discovered(archive, mistakes) if index is None else _indexed(archive, index, mistakes)
    )
    if mistakes:
        raise mistakes.error()
    if not found:
        hint = f"A source has an {INDEX}, or packs: directories with a {MANIFEST}."
        raise NotFound(f"There is no pack in {archive.source!r}.", hint=hint)
    return found


def read_manifest(file: str, text: str, mistakes: FileMistakes) -> PackShape | None:
    """Read a pack.yaml."""
    document = read_yaml(file, text, mistakes)
    fitted = None if document is None else fit(document.value, PackShape, document, mistakes)
    return None if fitted is None or mistakes.any_below(file) else fitted.shape


def _indexed(archive: Archive, index: bytes, mistakes: FileMistakes) -> Iterator[PackOffer]:
    label = f"{archive.source}/{INDEX}"
    document = read_yaml(label, _decoded(index, label), mistakes)
    fitted = None if document is None else fit(document.value, IndexShape, document, mistakes)
    for entry in fitted.shape.packs if fitted else ():
        yield PackOffer(
            name=entry.name,
            version=entry.version,
            description=entry.description,
            author=entry.author,
            source=entry.source or archive.source,
            path=entry.path or ".",
            commit=entry.commit,
            digest=entry.digest,
        )


def _discovered(archive: Archive, mistakes: FileMistakes) -> Iterator[PackOffer]:
    for entry in archive.entries("."):
        path = PurePosixPath(entry.path)
        if path.name != MANIFEST or len(path.parts) > _DEEPEST:
            continue
        label = f"{archive.source}/{path}"
        content = archive.read(entry.path)
        text = "" if content is None else _decoded(content, label)
        manifest = read_manifest(label, text, mistakes)
        if manifest is not None:
            yield PackOffer(
                name=manifest.name,
                version=manifest.version,
                description=manifest.description or "",
                author=manifest.author,
                source=archive.source,
                path=str(path.parent),
                commit=archive.commit,
            )


def _decoded(content: bytes, label: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{label!r} is not UTF-8 text.") from error
