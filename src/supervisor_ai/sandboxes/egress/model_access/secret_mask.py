"""Masks a secret in a stream of bytes."""

from typing import Final

_SHORTEST: Final = 6
"""What is shorter is no secret, and hiding it would spoil words that only look like it."""


class Mask:
    """Covers secrets wherever they stand, also across pieces; lengths stay as they are."""

    def __init__(self, *secrets: str) -> None:
        parts = {part for it in secrets for part in (it, it.rpartition(" ")[2])}
        found = sorted(part.encode() for part in parts if len(part) >= _SHORTEST)
        self._secrets = tuple(sorted(found, key=len, reverse=True))
        self._held = b""

    def is_in(self, text: str) -> bool:
        """Tell whether a text contains the secret."""
        return any(secret in text.encode("latin-1", "replace") for secret in self._secrets)

    def cover(self, piece: bytes) -> bytes:
        """Return what may pass now; the possible beginning of the secret waits for its rest."""
        seen = self._held + piece
        for secret in self._secrets:
            seen = seen.replace(secret, b"*" * len(secret))
        kept = max((_overlap(seen, secret) for secret in self._secrets), default=0)
        self._held = seen[len(seen) - kept :]
        return seen[: len(seen) - kept]

    def rest(self) -> bytes:
        """Return what waited in vain."""
        rest, self._held = self._held, b""
        return rest


def _overlap(seen: bytes, secret: bytes) -> int:
    """Count how many bytes at the end could begin the secret."""
    sizes = range(min(len(secret) - 1, len(seen)), 0, -1)
    return next((size for size in sizes if seen.endswith(secret[:size])), 0)
