"""Notes of the supervisor in `DECISIONS.md`: where they may stand, and why one is refused."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.team.text.report import AlertType


class DecisionsMarker(StrEnum):
    """The sections of `DECISIONS.md` that the supervisor may append to, and no others."""

    ESCALATIONS = "Operational Escalations"
    NOTES = "Orchestration Notes"


BASE_SECTIONS: Final = (
    "Feature Definition of Done",
    "Risks & Mitigations",
    "Architectural Decisions",
)
"""What the Tech Lead owns."""


class DecisionNote(Struct, frozen=True, kw_only=True):
    """An entry of the supervisor in `DECISIONS.md`."""

    marker: str
    """Where it wants to stand; anything but a marker is refused."""
    at: str
    event: str
    text: str
    task: str | None = None


class RefusedNote(Struct, frozen=True, kw_only=True):
    """Why a note was not written, and what the lead is told."""

    event: AlertType
    reason: str
