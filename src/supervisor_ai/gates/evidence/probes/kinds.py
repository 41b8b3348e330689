"""The kinds of probes, each with what writes its tests; runs in the reader's process."""

from collections.abc import Callable, Mapping
from typing import Final

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import ProbeKind
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.evidence.probes.failures import failures
from supervisor_ai.gates.evidence.probes.neighbours import neighbours
from supervisor_ai.gates.evidence.probes.new_inputs import new_inputs
from supervisor_ai.gates.evidence.probes.plainly import plainly

PROBES: Final[Mapping[ProbeKind, Callable[[ChangeCase, HarnessRules, Commits], ProbesFound]]] = {
    ProbeKind.NEIGHBOURS: neighbours,
    ProbeKind.NEW_INPUTS: new_inputs,
    ProbeKind.FAILURES: failures,
    ProbeKind.PLAINLY: plainly,
}
