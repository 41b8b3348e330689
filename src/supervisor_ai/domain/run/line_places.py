"""Lines of a change, on either side of it."""

from enum import StrEnum

from msgspec import Struct


class LineSide(StrEnum):
    """On which side of a change a line stands."""

    NEW = "new"
    OLD = "old"
    """In the file as it was before the change, where lines are that the change removes."""


class LinePlace(Struct, frozen=True, kw_only=True):
    """A line of a file."""

    file: str
    line: int
    side: LineSide = LineSide.NEW

    def __str__(self) -> str:  # type: ignore[explicit-override]
        """Write it as people do; a minus stands before a line of the old file."""
        sign = "-" if self.side is LineSide.OLD else ""
        return f"{self.file}:{sign}{self.line}"
