"""The gates that have a meaning by their name, before anybody configures them."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.control.registered_kinds import change_gates
from supervisor_ai.domain.run.gates import GateKind, GateWord

TEST: Final = "test"
GUARDS: Final = (GateKind.CLAIMS, GateKind.AUTO_RUN_FILES, GateKind.TEST_INTEGRITY)
"""What looks at every change that a role makes, unless somebody turns it off."""


class KnownGate(Struct, frozen=True, kw_only=True):
    """A gate that everybody means the same by."""

    description: str
    example: str = ""
    """How its command often looks; empty for a gate that needs none."""
    kind: GateWord = GateKind.COMMAND


_WITH_COMMAND: Final[dict[str, KnownGate]] = {
    "test": KnownGate(description="The tests of the project pass", example="make test"),
    "lint": KnownGate(description="A linter finds nothing", example="make lint"),
    "type_check": KnownGate(description="The types fit together", example="make type-check"),
    "format_check": KnownGate(
        description="The files are formatted as agreed", example="make format-check"
    ),
    "coverage": KnownGate(
        description="The tests cover as much of the code as a step asks for",
        example="pytest --cov --cov-fail-under={coverage}",
    ),
    "security": KnownGate(description="A scanner finds no known weakness", example="make security"),
    "docs": KnownGate(description="The documentation can be built", example="make docs-check"),
    "ci": KnownGate(description="Everything passes that CI checks", example="make ci-full"),
    "integration": KnownGate(
        description="The integration tests pass", example="make test-integration"
    ),
    "red_before_green": KnownGate(
        description="New tests fail on the code as it was before",
        kind=GateKind.RED_BEFORE_GREEN,
    ),
    "mutation": KnownGate(
        description="The tests notice small faults in the lines that changed; on demand",
        kind=GateKind.MUTATION,
    ),
}


def known_gates() -> Mapping[str, KnownGate]:
    """Return them by name: those that run a command, and those that only look at the change."""
    looking = (gate for gate in change_gates().values() if gate.description)
    return _WITH_COMMAND | {
        gate.word: KnownGate(description=gate.description, kind=GateWord(gate.word))
        for gate in looking
    }


_ONLY_LOOK: Final = frozenset(GUARDS) - {GateKind.TEST_INTEGRITY}
"""Those of them that can do nothing with a command; the tests can be listed by one."""
_BORROW: Final = frozenset({GateKind.RED_BEFORE_GREEN, GateKind.MUTATION})
_SPEAKS_OF_TESTS: Final = frozenset(
    {
        *("test", "tests", "testing", "unit", "integration", "coverage", "ci", "e2e", "spec"),
        *("specs", "pytest", "unittest", "jest", "vitest", "mocha", "smoke", "regression"),
    }
)


def kind_of_gate(name: str, *, has_command: bool) -> GateWord:
    """Tell what a gate of this name looks at."""
    known = known_gates().get(name)
    kind = GateKind.COMMAND if known is None else known.kind
    return GateKind.COMMAND if kind == GateKind.CHANGELOG and has_command else kind


def only_looks(name: str) -> bool:
    """Tell whether a gate of this name never runs a command."""
    return kind_of_gate(name, has_command=False) in _ONLY_LOOK


def borrows_the_test(kind: GateWord) -> bool:
    """Tell whether a gate runs the command of the gate `test`, unless it has its own."""
    return kind in _BORROW


def speaks_of_tests(name: str) -> bool:
    """Tell whether people expect a gate of this name to run tests."""
    return not _SPEAKS_OF_TESTS.isdisjoint(re.split(r"[_-]+", name.lower()))


def line_to_write(gate: str) -> str:
    """Show how a gate is configured."""
    known = known_gates().get(gate)
    command = known.example if known else ""
    command = command or f"make {gate.replace('_', '-')}"
    return f'write into the config: gates: {{{gate}: {{command: "{command}"}}}}'
