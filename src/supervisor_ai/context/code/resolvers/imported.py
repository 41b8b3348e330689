"""One import of a file and where it leads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A name as the source spells it, and the files of the repository behind it."""

    name: str
    files: tuple[str, ...] = ()
