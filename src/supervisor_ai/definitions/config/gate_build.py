"""What the files say about a gate becomes a gate of the domain."""

from datetime import timedelta

from supervisor_ai.definitions.config.gates import ConfiguredGate, Gates
from supervisor_ai.definitions.config.known_gates import (
    TEST,
    borrows_the_test,
    kind_of_gate,
    speaks_of_tests,
)
from supervisor_ai.domain.run.definition import Gate
from supervisor_ai.domain.run.gates import GatePolicy
from supervisor_ai.domain.structs import replace


def make_gate(name: str, setting: ConfiguredGate, gates: Gates, *, limit: timedelta) -> Gate:
    """Make a gate; what it depends on is left to the step that runs it."""
    kind = kind_of_gate(name, has_command=setting.command is not None)
    if borrows_the_test(kind):
        setting = _over_test(setting, gates.get(TEST))
    return Gate(
        name=name,
        command=setting.command or (),
        timeout=setting.timeout or limit,
        is_advisory=setting.policy is GatePolicy.WARN,
        min_tests=setting.min_tests or None,
        min_tests_each=setting.min_tests_each,
        known_red=setting.known_red,
        kind=kind,
        policy=setting.policy,
        environment=dict(setting.environment),
        allowed_writes=setting.allowed_writes,
        report=setting.report,
        counts_tests=speaks_of_tests(name),
        is_fresh=setting.is_fresh,
    )


def _over_test(setting: ConfiguredGate, test: ConfiguredGate | None) -> ConfiguredGate:
    """Take over how the tests are run, unless the gate has a command of its own."""
    if test is None or setting.command is not None:
        return setting
    return replace(
        setting,
        command=test.command,
        timeout=setting.timeout or test.timeout,
        environment={**test.environment, **setting.environment},
        allowed_writes=setting.allowed_writes or test.allowed_writes,
        report=setting.report or test.report,
    )


def in_step(step: str, made: dict[str, tuple[Gate, tuple[str, ...]]]) -> dict[str, Gate]:
    """Give the gates of one step the keys under which it names them, and each its needs."""
    if len(made) == 1:
        [(only, _)] = made.values()
        return {step: only}
    keys = {name: f"{step}/{name}" for name in made}
    return {
        keys[name]: replace(gate, depends_on=tuple(keys[it] for it in needs if it in keys))
        for name, (gate, needs) in made.items()
    }
