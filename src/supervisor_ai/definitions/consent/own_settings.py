"""What the user's own config says at this moment, whatever a run pinned."""

from pathlib import Path

from supervisor_ai.definitions.config.merged import config_model, merge_configs
from supervisor_ai.definitions.config.settings import EffectiveSettings, read_settings
from supervisor_ai.definitions.config.slice_sections import slice_sections
from supervisor_ai.definitions.overlay.layers import Layer, read_config
from supervisor_ai.definitions.sources.files import DirectorySource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes


def read_own_settings(user_directory: Path) -> EffectiveSettings:
    """Read the user's config and nothing else; raise InvalidInput with all of its mistakes."""
    sections = slice_sections()
    mistakes, shelf = FileMistakes(), DirectorySource(Origin.USER, user_directory)
    config = read_config(shelf, mistakes, config_model(sections))
    layer = Layer(configs=(config,) if config else (), workflows={}, names=())
    merged = merge_configs([layer], sections, mistakes)
    settings = read_settings(merged, sections, mistakes)
    if mistakes:
        raise mistakes.error()
    return settings
