"""The sections of the config that slices contribute, found by their registered names."""

from supervisor_ai.control.slice_names import import_place
from supervisor_ai.definitions.config.merged import ConfigSection, Sections
from supervisor_ai.definitions.sources.slice_words import slices
from supervisor_ai.domain.errors import InternalError


def slice_sections() -> Sections:
    """Return the sections of all slices that are registered, in their order."""
    places = (it.section for it in slices())
    return tuple(_section(place) for place in places if place is not None)


def _section(place: str) -> ConfigSection[object]:
    found = import_place(place)
    if not isinstance(found, ConfigSection):
        raise InternalError(f"{place} is no section of the config.")
    return found
