"""Gate kinds that look at a change and run nothing, each one registered value.

A new kind is a module with a function that takes a `ChangeView`, and one line in `CHANGE_GATES`.
"""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.engine.ports.gates import ChangeCase


class ChangeView(Struct, frozen=True, kw_only=True):
    """What a gate is shown of a change; all of it is hostile."""

    case: ChangeCase
    commits: Commits
    has_commit: Callable[[str], bool]


class ChangeGate(Struct, frozen=True, kw_only=True):
    """A kind of gate that looks at a change."""

    kind: GateKind
    module: str
    """Where the function stands that looks; only the reader's process loads it."""
    function: str


def _registered(*gates: ChangeGate) -> Mapping[GateKind, ChangeGate]:
    return {gate.kind: gate for gate in gates}


CHANGE_GATES: Final = _registered(
    ChangeGate(
        kind=GateKind.CLAIMS,
        module="supervisor_ai.gates.worker_claims.claims_gate",
        function="look_at_claims",
    ),
    ChangeGate(
        kind=GateKind.AUTO_RUN_FILES,
        module="supervisor_ai.gates.change.auto_run",
        function="look_at_auto_run_files",
    ),
    ChangeGate(
        kind=GateKind.TEST_INTEGRITY,
        module="supervisor_ai.gates.integrity.examine",
        function="look_at_tests",
    ),
    ChangeGate(
        kind=GateKind.CHANGELOG,
        module="supervisor_ai.gates.change.changelog",
        function="look_at_changelog",
    ),
    ChangeGate(
        kind=GateKind.COMPLEXITY,
        module="supervisor_ai.gates.change.complexity",
        function="look_at_complexity",
    ),
)
