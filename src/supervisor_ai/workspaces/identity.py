"""Whose name and which time a commit carries."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from supervisor_ai.domain.run.facts import Identity

OURS: Final = Identity(name="Supervisor", email="supervisor@localhost")
_WORTHLESS: Final = "".join(map(chr, range(33))) + ".,:;<>\"\\'"


def signature(identity: Identity, at: datetime | None = None) -> Mapping[str, str]:
    """Return the environment in which git signs with this name, at this time."""
    signed = {}
    for role in ("AUTHOR", "COMMITTER"):
        signed[f"GIT_{role}_NAME"] = _worthy(identity.name) or OURS.name
        signed[f"GIT_{role}_EMAIL"] = _worthy(identity.email) or OURS.email
        if at is not None:
            signed[f"GIT_{role}_DATE"] = f"@{int(at.astimezone(UTC).timestamp())} +0000"
    return signed


def _worthy(text: str) -> str:
    """Leave out what git strips from names, and refuses if nothing else is left."""
    return text.replace("\0", "").strip(_WORTHLESS)
