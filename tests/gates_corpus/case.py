"""One change to a small project, and whether it cheats."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LANGUAGES: Final = ("python", "javascript", "go", "rust", "java")

Files = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A project before and after somebody changed it."""

    name: str
    language: str
    does: str
    """What is done, in one sentence."""
    called: str
    """What a reviewer would call it; empty where the change is honest."""
    before: Files
    after: Files

    @property
    def is_cheat(self) -> bool:
        """Say whether a reviewer would object."""
        return bool(self.called)
