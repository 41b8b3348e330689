"""The section `features` of the config."""

from typing import Annotated, Final

from pydantic import Field

from supervisor_ai.definitions.config.merged import ConfigSection, MergedConfig, over
from supervisor_ai.definitions.schema.base import AgentName, FileShape
from supervisor_ai.drivers.feature.settings import FeatureSettings

KEY: Final = "features"
Places = Annotated[int, Field(ge=1, le=64)]


class FeaturesShape(FileShape):
    """`features`: how many components are built at once, and how often one is built again."""

    max_parallel: Places | None = None
    clis: Annotated[dict[AgentName, Places], Field(max_length=100)] | None = None
    max_returns: Annotated[int, Field(ge=0, le=20)] | None = None


def read_features(config: MergedConfig) -> FeatureSettings:
    """Make the settings of what the files say together."""
    return over(FeatureSettings(), config.section(KEY, FeaturesShape))


FEATURES: Final = ConfigSection(key=KEY, shape=FeaturesShape, build=read_features)
