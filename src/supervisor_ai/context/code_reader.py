"""Code outlines, public interfaces and imports: enough to show less than a whole file."""

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct


class Imports(Protocol):
    """Knows which file imports which."""

    def resolve(self, path: str) -> tuple[str, ...]:
        """Return the paths in the repository that a file imports."""
        ...


class CodeReader(Struct, frozen=True, kw_only=True):
    """Three views of code."""

    outline: Callable[[str, str], str | None]
    """Imports, signatures and first lines of documentation of a path and its text."""
    public_api: Callable[[str, str], str | None]
    """What a file offers to others."""
    imports: Callable[[Mapping[str, Callable[[], str]]], Imports]
    """Index files by their paths; a text is asked for when it is needed."""


def native_reader() -> CodeReader:
    """Return what we know of languages ourselves."""
    from supervisor_ai.context.code.imports import ImportIndex
    from supervisor_ai.context.code.outline import outline, public_api

    return CodeReader(outline=outline, public_api=public_api, imports=ImportIndex)
