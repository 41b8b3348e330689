"""What the config files say together about loops and about quality supervisors."""

from typing import Final

from msgspec import Struct, field

from supervisor_ai.control.slice_names import registered_slices
from supervisor_ai.definitions.config.gate_order import unknown_gate
from supervisor_ai.definitions.config.merged import (
    ConfigSection,
    MergedConfig,
    SectionSettings,
    over,
)
from supervisor_ai.definitions.loop.shapes import LoopConfigShape, QualityShape, SupervisorRowShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.rules import (
    MAX_ATTEMPTS,
    MAX_TASKS,
    POLISH_TASKS,
    REVIEW_INTERVAL,
)
from supervisor_ai.drivers.quality.directives import CLEANUP_AGE, CLEANUP_CAP
from supervisor_ai.drivers.quality.settings import SECTION, Quality
from supervisor_ai.drivers.quality.supervisors import LookMoment, SupervisorSpec

BUILTIN: Final = (
    SupervisorSpec(
        name="code_style",
        title="Code Style Supervisor",
        role="code_style_supervisor",
        every=5,
        moments=(LookMoment.MILESTONE,),
        owns=("conventions",),
    ),
    SupervisorSpec(
        name="design",
        title="Design Supervisor",
        role="design_supervisor",
        moments=(LookMoment.MILESTONE, LookMoment.RESCOPE, LookMoment.ABORT),
        owns=("design",),
    ),
    SupervisorSpec(
        name="internaliser",
        title="Internaliser",
        role="internaliser",
        every=3,
        moments=(LookMoment.MILESTONE,),
        owns=("lessons", "domain"),
    ),
)
"""The supervisors that every loop has unless they are switched off."""


class LoopSetting(Struct, frozen=True, kw_only=True):
    """What holds for loops."""

    max_tasks: int = MAX_TASKS
    max_attempts: int = MAX_ATTEMPTS
    review_interval: int = REVIEW_INTERVAL
    polish_tasks: int = POLISH_TASKS
    directive_age: int = CLEANUP_AGE
    cleanup_cap: int = CLEANUP_CAP
    gates: tuple[tuple[str, FilePlace], ...] | None = None
    """The gates that work has to pass; None: those of the default workflow."""


class QualitySetting(Quality, frozen=True, kw_only=True):
    """Which supervisors look after the work, and where each was written."""

    hosts: tuple[tuple[str, FilePlace], ...] = ()
    """Where it is said beside which drivers they look."""
    places: dict[str, FilePlace] = field(default_factory=dict)
    """Where each was written, by name; the built-in ones are nowhere."""


def read_loop(config: MergedConfig) -> LoopSetting:
    """Make the settings of what the files say together."""
    shape = config.section("loop", LoopConfigShape)
    placed = tuple((it.name, it.place) for it in config.choices("loop", "gates"))
    setting = over(LoopSetting(), shape)
    return setting if shape.gates is None else replace(setting, gates=placed)


def check_loop(settings: SectionSettings, mistakes: FileMistakes) -> None:
    """Note gates that nobody has configured."""
    for name, place in settings.section(LOOP).gates or ():
        if name not in settings.gates:
            mistakes.add(place, unknown_gate(name, settings.gates))


def read_quality(config: MergedConfig) -> QualitySetting:
    """Make the settings of what the files say together."""
    shape = config.section(SECTION, QualityShape)
    known = {it.name: it for it in BUILTIN}
    rows = dict(shape.supervisors)
    specs = [
        *(_spec(it, rows.get(it.name)) for it in BUILTIN),
        *(_own(name, row) for name, row in rows.items() if name not in known),
    ]
    places = {name: config.place(SECTION, "supervisors", name) for name in rows}
    is_on = shape.enabled is not False
    return QualitySetting(
        enabled=is_on,
        attach=tuple(dict.fromkeys(shape.attach or ())),
        hosts=tuple((it.name, it.place) for it in config.choices(SECTION, "attach")),
        supervisors=tuple(it for it in specs if it is not None and is_on),
        places=places,
    )


def _spec(spec: SupervisorSpec, row: SupervisorRowShape | None) -> SupervisorSpec | None:
    if row is None:
        return spec
    if row.enabled is False:
        return None
    made = over(spec, row)
    if row.moments is None:
        return made
    return replace(made, moments=tuple(map(LookMoment, row.moments)))


def _own(name: str, row: SupervisorRowShape) -> SupervisorSpec | None:
    """Make a supervisor of the user's own; its role is called like it unless it says otherwise."""
    title = name.replace("_", " ").title() + " Supervisor"
    return _spec(SupervisorSpec(name=name, title=title, role=name), row)


def check_quality(settings: SectionSettings, mistakes: FileMistakes) -> None:
    """Note supervisors that never look, and folders that two of them would write."""
    setting = settings.section(QUALITY)
    hosts = [name for name, it in registered_slices().items() if it.has_company]
    for name, at in setting.hosts:
        if name not in hosts:
            mistakes.add(at, unknown("driver with commits", name, hosts))
    owners: dict[str, str] = {}
    for spec in setting.supervisors:
        place = setting.places.get(spec.name)
        for folder in spec.owns:
            other = owners.setdefault(folder, spec.name)
            if place is not None and other != spec.name:
                mistakes.add(place, f"owns {folder!r}, which is {other!r}'s already")
        if place is not None and spec.every is None and not spec.moments:
            mistakes.add(place, "never looks: say `every: N`, or `moments: [milestone]`")


LOOP: Final = ConfigSection(key="loop", shape=LoopConfigShape, build=read_loop, check=check_loop)
"""The section `loop` of the config."""
QUALITY: Final = ConfigSection(
    key=SECTION, shape=QualityShape, build=read_quality, check=check_quality
)
"""The section `quality` of the config."""
