"""The feature slice: everything that others need of the driver, registered."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.control.slices import Slice, SliceReference
from supervisor_ai.drivers.feature.definition import (
    FeatureDefinition,
    expect_feature,
    landing_verb,
    permit_of,
)
from supervisor_ai.drivers.feature.driver import FeatureDriver
from supervisor_ai.drivers.feature.events import FEATURE_EVENTS
from supervisor_ai.drivers.feature.projects.events import PROJECT_EVENTS
from supervisor_ai.drivers.feature.projects.stream import LANDING_STREAM
from supervisor_ai.drivers.feature.queries import about
from supervisor_ai.drivers.feature.queries.sentences import FEATURE_SENTENCES
from supervisor_ai.drivers.feature.queries.tables import RULES, TABLES
from supervisor_ai.engine.playback import opener

if TYPE_CHECKING:
    from supervisor_ai.engine.world import Performers


def _performers(ports: Mapping[str, object]) -> "Performers":
    from supervisor_ai.drivers.feature.performers import make_performers

    return make_performers(ports)


def _reference() -> SliceReference:
    from supervisor_ai.drivers.feature.queries.reference import REFERENCE

    return REFERENCE


SLICE: Final = Slice(
    driver=opener(FeatureDriver()),
    definition=FeatureDefinition,
    events=(*FEATURE_EVENTS, *PROJECT_EVENTS),
    streams=(LANDING_STREAM,),
    performers=_performers,
    sentences=FEATURE_SENTENCES,
    tables=TABLES,
    rules=RULES,
    permit=lambda pinned: permit_of(expect_feature(pinned).feature.id),
    landing_verb=lambda pinned: landing_verb(expect_feature(pinned)),
    about_run=about.about_run,
    preview=about.preview,
    reference=_reference,
)
