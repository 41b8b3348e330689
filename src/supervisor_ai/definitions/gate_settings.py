"""Gates as the files describe them together, one laid over the other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

from supervisor_ai.definitions.gate_shapes import GateShape
from supervisor_ai.definitions.gate_table import only_looks
from supervisor_ai.definitions.layers import Written
from supervisor_ai.definitions.mistakes import Mistakes, Place
from supervisor_ai.definitions.shape import Shape
from supervisor_ai.definitions.shelves import Origin
from supervisor_ai.domain.run.gates import GatePolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSetting:
    """A gate as far as the files describe it."""

    place: Place
    """Where the last word on it stands."""
    origin: Origin
    command: tuple[str, ...] | None = None
    timeout: timedelta | None = None
    policy: GatePolicy | None = None
    depends_on: tuple[str, ...] = ()
    depends_at: Place | None = None
    environment: dict[str, str] = field(default_factory=dict)
    allowed_writes: tuple[str, ...] | None = None
    report: str | None = None
    is_fresh: bool = False
    min_tests: int | None = None
    min_tests_each: int | None = None
    """How many new tests each component must have."""
    is_enabled: bool = True


Gates = Mapping[str, GateSetting]


def lay_gates(
    below: Gates, above: Mapping[str, GateShape], written: Written[Shape], mistakes: Mistakes
) -> dict[str, GateSetting]:
    """Lay the gates of one file over those of the files below."""
    laid = dict(below)
    for name, shape in above.items():
        place = _placing(written, name)
        refuse_command(name, shape, place("command"), mistakes)
        laid[name] = lay_gate(below.get(name), shape, place, written.origin)
    return laid


def lay_gate(
    below: GateSetting | None, shape: GateShape, place: Callable[..., Place], origin: Origin
) -> GateSetting:
    """Lay one file's word on a gate over the words of the files below."""
    base = below or GateSetting(place=place(), origin=origin)
    # A command that somebody else wrote must not run with an environment that was meant for mine.
    environment = {} if shape.command else base.environment
    depends = base.depends_on if shape.depends_on is None else tuple(shape.depends_on)
    writes = base.allowed_writes if shape.allowed_writes is None else tuple(shape.allowed_writes)
    return replace(
        base,
        place=place(),
        origin=origin,
        command=tuple(shape.command) if shape.command else base.command,
        timeout=shape.timeout or base.timeout,
        policy=shape.said_policy or base.policy,
        depends_on=tuple(dict.fromkeys(depends)),
        depends_at=base.depends_at if shape.depends_on is None else place("depends_on"),
        environment={**environment, **shape.env},
        allowed_writes=writes,
        # Another command may write another report, or none.
        report=shape.report or (None if shape.command else base.report),
        is_fresh=base.is_fresh if shape.cache is None else not shape.cache,
        min_tests=base.min_tests if shape.min_tests is None else shape.min_tests,
        is_enabled=base.is_enabled if shape.enabled is None else shape.enabled,
    )


def refuse_command(name: str, shape: GateShape, place: Place, mistakes: Mistakes) -> None:
    """Note a command at a gate that looks at the change itself."""
    if shape.command is not None and only_looks(name):
        problem = f"has no meaning: the gate {name!r} looks at the change itself"
        mistakes.add(place, f"{problem}; give your command another name")


def _placing(written: Written[Shape], name: str) -> Callable[..., Place]:
    return lambda *key: written.place("gates", name, *key)
