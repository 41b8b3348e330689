"""A file that remembers which refs expired: for people, who may look for their work."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from supervisor_ai.control.ports.workspace_inventory import ExpiredWork

_MOST: Final = 10_000
_DECODER: Final = msgspec.json.Decoder(ExpiredWork)


class ExpiryLog(msgspec.Struct, frozen=True, kw_only=True):
    """One line for each ref, the newest last."""

    path: Path

    def note(self, works: Iterable[ExpiredWork]) -> None:
        """Remember refs before they are removed; of very many, the newest."""
        kept = [*self._lines(), *(msgspec.json.encode(work) for work in works)][-_MOST:]
        draft = self.path.with_suffix(".draft")
        draft.write_bytes(b"".join(line + b"\n" for line in kept))
        draft.replace(self.path)

    def read(self, present: Collection[str]) -> tuple[ExpiredWork, ...]:
        """Return what expired, the newest first; a ref that is present did not, or came back."""
        found: dict[str, ExpiredWork] = {}
        for line in reversed(self._lines()):
            with suppress(msgspec.MsgspecError):
                work = _DECODER.decode(line)
                if work.ref not in present:
                    found.setdefault(work.ref, work)
        return tuple(found.values())

    def _lines(self) -> list[bytes]:
        with suppress(FileNotFoundError):
            return self.path.read_bytes().splitlines()
        return []
