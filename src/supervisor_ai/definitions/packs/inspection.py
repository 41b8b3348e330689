"""What packs may do, before they are accepted: read as a project's own files are read."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.control.ports.packs import PackPrompt
from supervisor_ai.definitions.consent.role_powers import role_powers
from supervisor_ai.definitions.overlay.layers import read_layer
from supervisor_ai.definitions.packs.lock import PACKS
from supervisor_ai.definitions.packs.resolution import Chosen
from supervisor_ai.definitions.roles.prompt_files import read_prompts, template_names
from supervisor_ai.definitions.roles.registry import RoleRegistry, read_book
from supervisor_ai.definitions.sources.files import (
    PROJECT_DIRECTORY,
    Origin,
    package_source,
)
from supervisor_ai.definitions.sources.mistakes import FileMistakes


class MemorySource:
    """Files that are not written anywhere yet, as if a project had them."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    @property
    def origin(self) -> Origin:
        """Say that they count as the project's, whose word needs trust."""
        return Origin.PROJECT

    def label(self, path: str) -> str:
        """Name a file by where it would be."""
        return f"{PROJECT_DIRECTORY}/{path}"

    def read(self, path: str, mistakes: FileMistakes) -> str | None:
        """Return a file's text, or None."""
        del mistakes
        return self._files.get(path)

    def read_script(self, path: str, mistakes: FileMistakes) -> str | None:
        """Return nothing: packs have no scripts."""
        del path, mistakes
        return None

    def names(self, directory: str) -> tuple[str, ...]:
        """List the files of a directory."""
        prefix = f"{directory}/"
        below = (path.removeprefix(prefix) for path in self._files if path.startswith(prefix))
        return tuple(sorted(name for name in below if "/" not in name))

    def paths(self) -> tuple[str, ...]:
        """List nothing: what a pack may hold is looked at before."""
        return ()

    def links(self) -> tuple[str, ...]:
        """List nothing: a pack has no links."""
        return ()


class PackInspection(Struct, frozen=True, kw_only=True):
    """What packs may do."""

    powers: tuple[Power, ...]
    prompts: tuple[PackPrompt, ...]


def examine(chosen: Mapping[str, Chosen]) -> PackInspection:
    """Read packs together; raise InvalidInput with every mistake in them."""
    files = {
        f"{PACKS}/{name}/{path}": text
        for name, pack in chosen.items()
        for path, text in pack.taken.files.items()
    }
    shelf = MemorySource({**files, "config.yaml": f"packs: [{', '.join(chosen)}]\n"})
    shelves = (package_source(), shelf)
    mistakes = FileMistakes()
    layers = [read_layer(it, mistakes) for it in shelves]
    templates = template_names(read_prompts(shelves, mistakes))
    book = read_book(shelves, layers, templates, mistakes)
    if mistakes:
        raise mistakes.error()
    return PackInspection(powers=role_powers(book), prompts=tuple(_prompts(book)))


def _prompts(book: RoleRegistry) -> Iterator[PackPrompt]:
    for file in book.files:
        shape = file.written.shape
        told = (shape.system_prompt, shape.system_prompt_additions, shape.instructions)
        text = " ".join(" ".join(part.split()) for part in told if part)
        if file.origin is Origin.PROJECT and text:
            yield PackPrompt(role=file.name, extends=shape.extends, text=text)
