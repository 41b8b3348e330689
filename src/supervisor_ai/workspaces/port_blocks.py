"""Ports and database names that belong to one workspace while it exists."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Busy
from supervisor_ai.workspaces.files.file_lock import turn

FIRST_PORT: Final = 20_000
PORTS: Final = 20
_EPHEMERAL: Final = 32_768
"""Where Linux begins to hand out ports by itself."""
BLOCKS: Final = (_EPHEMERAL - FIRST_PORT) // PORTS
_LOCK: Final = "lock"
_PRIVATE: Final = 0o700


class PortBlock(Struct, frozen=True, kw_only=True):
    """Twenty ports in a row, and a name for databases."""

    number: int

    @property
    def environment(self) -> Mapping[str, str]:
        """Return what tells a worker which ports and databases are its own."""
        return {
            "SUPERVISOR_PORT_BASE": str(FIRST_PORT + self.number * PORTS),
            "SUPERVISOR_DB_SUFFIX": f"_w{self.number}",
        }


class PortBlocks:
    """A directory of links: each has a block's number in its name and leads to the owner.

    Whoever wants a block makes a link first and looks then whether somebody else has one: of two
    at least one sees the other, however slow either is, and gives way. An owner that is gone
    holds nothing any more, however it went.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def reserve(self, owner: Path) -> PortBlock:
        """Take the first block that nobody has; the owner's directory must exist."""
        self._directory.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        with turn(self._directory / _LOCK):
            taken = {number for number, _ in self._held()}
            for number in range(BLOCKS):
                if number not in taken and self._take(number, owner):
                    return PortBlock(number=number)
        raise Busy(
            f"All {BLOCKS} blocks of ports are reserved by workspaces that exist.",
            hint="End some runs, or remove what they left with `supervisor workspace clean`.",
        )

    def release(self, owner: Path) -> None:
        """Give back what the owner has; nothing is fine."""
        if not self._directory.is_dir():
            return
        with turn(self._directory / _LOCK):
            for link, holder in self._links():
                if holder == owner:
                    link.unlink(missing_ok=True)

    def _take(self, number: int, owner: Path) -> bool:
        # No two links ever have one name: what is removed here is never somebody else's.
        link = self._directory / f"{number}.{token_hex(8)}"
        link.symlink_to(owner)
        if any(held == number and other != link for held, other in self._held()):
            link.unlink(missing_ok=True)
            return False
        return True

    def _held(self) -> Iterator[tuple[int, Path]]:
        """Return the numbers of the blocks whose owners exist; let go of the others."""
        for link, holder in self._links():
            if os.path.lexists(holder):
                yield int(link.name.partition(".")[0]), link
            else:
                link.unlink(missing_ok=True)

    def _links(self) -> Iterator[tuple[Path, Path]]:
        for link in self._directory.iterdir():
            with suppress(FileNotFoundError):
                if link.is_symlink():
                    yield link, link.readlink()
