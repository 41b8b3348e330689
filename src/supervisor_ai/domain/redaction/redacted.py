"""What is left of a text when its secrets are gone."""

import hmac
import re
from typing import Final

from msgspec import Struct

MARK: Final = re.compile(r"\[REDACTED:[a-z0-9-]+(?:#[0-9a-f]{4})?\]")
"""What stands where a secret stood."""

_TAGGED: Final = re.compile(r"(\[REDACTED:[a-z0-9-]+)#[0-9a-f]{4}\]")

WITHHELD: Final = "withheld"
"""Stands in place of the rule where a rule failed and the rest of the text was taken out."""

_TAG_BYTES: Final = 2


class Marker:
    """Makes what stands in the place of a secret.

    With a key that nobody knows, equal secrets get equal tags and a tag says nothing else. Without
    a key there are no tags.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key

    def mark(self, rule: str, secret: str) -> str:
        """Return the mark of a secret that the rule found."""
        return f"[REDACTED:{rule}{self._tag(secret)}]"

    def _tag(self, secret: str) -> str:
        if self._key is None:
            return ""
        digest = hmac.digest(self._key, secret.encode(errors="surrogatepass"), "sha256")
        return f"#{digest[:_TAG_BYTES].hex()}"


def untagged(text: str) -> str:
    """Leave the tags out, which are others in every process."""
    return _TAGGED.sub(r"\1]", text)


class SecretFinding(Struct, frozen=True, kw_only=True):
    """Where a secret stood: line and column of the text before redaction, counted from one."""

    rule: str
    line: int
    column: int


class Redacted(Struct, frozen=True, kw_only=True):
    """A text without its secrets, and how many there were."""

    text: str
    count: int
