"""What is left of a text when its secrets are gone."""

import re
from dataclasses import dataclass
from typing import Final

MARK: Final = re.compile(r"\[REDACTED:[a-z0-9-]+\]")
"""What stands where a secret stood."""


def mark(rule: str) -> str:
    """Return what stands in the place of a secret that the rule found."""
    return f"[REDACTED:{rule}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A text without its secrets, and how many there were."""

    text: str
    count: int
