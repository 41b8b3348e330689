"""The sections of the config that slices contribute, found by their registered names."""

from supervisor_ai.control.slice_names import import_value
from supervisor_ai.definitions.config.merged import ConfigSection, Sections
from supervisor_ai.definitions.sources.slice_words import slices


def slice_sections() -> Sections:
    """Return the sections of all slices that are registered, in their order."""
    places = (place for it in slices() for place in (it.section, *it.further_sections))
    noun = "section of the config"
    return tuple(import_value(it, ConfigSection, noun) for it in places if it is not None)
