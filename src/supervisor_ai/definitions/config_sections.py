"""The sections of the config that slices contribute, one line for each."""

from typing import Final

from supervisor_ai.definitions.config.merged import Sections
from supervisor_ai.definitions.kanban_settings import KANBAN

SECTIONS: Final[Sections] = (KANBAN,)
