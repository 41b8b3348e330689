"""Gates as the config, workflow and role files describe them together."""

from collections.abc import Mapping
from datetime import timedelta

from msgspec import Struct, field

from supervisor_ai.definitions.config.known_gates import only_looks
from supervisor_ai.definitions.overlay.tables import CONFIG
from supervisor_ai.definitions.overlay.tree import ValueNode, lay, plain
from supervisor_ai.definitions.schema.gates import GateShape
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace
from supervisor_ai.domain.run.gates import GatePolicy


class ConfiguredGate(Struct, frozen=True, kw_only=True):
    """A gate as far as the files describe it."""

    node: ValueNode
    """What the files say, and where."""
    command: tuple[str, ...] | None = None
    timeout: timedelta | None = None
    policy: GatePolicy | None = None
    depends_on: tuple[str, ...] = ()
    depends_at: FilePlace | None = None
    environment: dict[str, str] = field(default_factory=dict)
    allowed_writes: tuple[str, ...] | None = None
    report: str | None = None
    is_fresh: bool = False
    min_tests: int | None = None
    min_tests_each: int | None = None
    """How many new tests each component must have."""
    known_red: tuple[str, ...] = ()
    """Tests that may fail, as the user says."""
    is_enabled: bool = True

    @property
    def place(self) -> FilePlace:
        """Say where the last word on it stands."""
        return self.node.at.place()

    @property
    def origin(self) -> Origin:
        """Say whose the last word is."""
        return self.node.at.origin


Gates = Mapping[str, ConfiguredGate]


def read_gates(
    below: Gates, gates: ValueNode | None, mistakes: FileMistakes
) -> dict[str, ConfiguredGate]:
    """Merge gates of one file, or of several together, over those of the files below."""
    made = dict(below)
    for name, node in (gates.entries if gates is not None else {}).items():
        made[name] = merged_gate(below.get(name), name, node)
        refuse_command(name, node, mistakes)
    return made


def merged_gate(below: ConfiguredGate | None, name: str, node: ValueNode) -> ConfiguredGate:
    """Merge a file's word on a gate over the words of the files below."""
    laid = lay(below.node if below else None, node, CONFIG, ("gates", name)) or node
    shape, depends = GateShape.model_validate(plain(laid)), laid.child("depends_on")
    return ConfiguredGate(
        node=laid,
        command=tuple(shape.command) if shape.command else None,
        timeout=shape.timeout,
        policy=shape.said_policy,
        depends_on=tuple(dict.fromkeys(shape.depends_on or ())),
        depends_at=None if depends is None else depends.at.place(),
        environment=dict(shape.env),
        allowed_writes=None if shape.allowed_writes is None else tuple(shape.allowed_writes),
        report=shape.report,
        is_fresh=shape.cache is False,
        min_tests=shape.min_tests,
        known_red=tuple(shape.known_red or ()),
        is_enabled=shape.enabled is not False,
    )


def refuse_command(name: str, gate: ValueNode, mistakes: FileMistakes) -> None:
    """Note a command at a gate that looks at the change itself."""
    command = gate.child("command")
    if command is not None and command.value is not None and only_looks(name):
        problem = f"has no meaning: the gate {name!r} looks at the change itself"
        mistakes.add(command.at.place(), f"{problem}; give your command another name")
