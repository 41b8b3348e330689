"""Which tests there were and what became of them, as it is kept and compared: without secrets."""

import json
from collections import defaultdict
from collections.abc import Mapping

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.redaction.redacted import untagged
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.verdict_cache import is_kept
from supervisor_ai.engine.ports.gates import CaseOutcome, CaseResult
from supervisor_ai.engine.world import Operation

Outcomes = Mapping[str, CaseOutcome]


def shown_results(operation: Operation, results: tuple[CaseResult, ...]) -> tuple[CaseResult, ...]:
    """Name tests as they are kept: what is in the name of one may be taken for a secret."""
    redacted = operation.world.redactor.redact("\n".join(it.name for it in results))
    names = untagged(redacted.text).split("\n")
    if len(names) != len(results):
        return results
    shown = [
        result if result.name == name else replace(result, name=name)
        for result, name in zip(results, names, strict=True)
    ]
    # Of those that have one name now, one that did not pass counts: it stands last.
    return tuple(sorted(shown, key=lambda it: it.outcome is not CaseOutcome.PASSED))


def keep_results(operation: Operation, results: tuple[CaseResult, ...]) -> ArtifactHash | None:
    """Keep the names of tests by what became of them."""
    if not results:
        return None
    told = defaultdict[str, list[str]](list)
    for result in shown_results(operation, results):
        told[result.outcome.value].append(result.name)
    return operation.keep(json.dumps(told, indent=0))[0]


def known_results(operation: Operation, kept: ArtifactHash | None) -> Outcomes:
    """Read what was kept; what was erased says nothing any more."""
    if kept is None or not is_kept(operation.world, kept):
        return {}
    told = json.loads(operation.world.artifacts.get(kept))
    return {name: CaseOutcome(outcome) for outcome, names in told.items() for name in names}
