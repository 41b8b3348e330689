"""The sections of the config that slices contribute, one line for each."""

from typing import Final

from supervisor_ai.definitions.kanban_settings import KANBAN
from supervisor_ai.definitions.overlay.sections import Sections

SECTIONS: Final[Sections] = (KANBAN,)
