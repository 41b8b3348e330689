"""Verdicts that are known from before: a gate never runs twice on the same files."""

import json
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Final

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.events import GateEnded
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.engine.world import World

_VERSION: Final = 1
_KNOWABLE: Final = frozenset({GateKind.COMMAND, GateKind.RED_BEFORE_GREEN})


def verdict_key(effect: RunGate, world: World) -> str | None:
    """Name everything that a verdict depends on; None where something of it cannot be named.

    Files that are copied from the user's checkout are in no commit, nor is what the user shows of
    the machine besides its tools.
    """
    gate, workspace = effect.gate, effect.workspace
    if gate.kind not in _KNOWABLE or workspace.include or effect.sandbox.ro_paths:
        return None
    is_red = gate.kind is GateKind.RED_BEFORE_GREEN
    parts = {
        "version": _VERSION,
        "kind": gate.kind,
        "tree": effect.tree,
        "origin": effect.origin if is_red else None,
        "command": gate.command,
        "environment": gate.environment,
        "allowed_writes": gate.allowed_writes,
        "min_tests": gate.min_tests,
        "setup": asdict(workspace),
        "sandbox": (world.sandbox.name, effect.sandbox.caches, asdict(effect.sandbox.executor)),
        "machine": world.machine(),
    }
    text = json.dumps(parts, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()


def find_known(effect: RunGate, world: World, key: str | None) -> GateEnded | None:
    """Return the verdict that is known for the same files, as one of this gate."""
    known = None if key is None or effect.gate.is_fresh else world.verdicts.find(key)
    if known is None or not _is_kept(known, world):
        return None
    # What an earlier run only warned of had failed.
    raw = Verdict.PASSED if known.verdict is Verdict.PASSED else Verdict.FAILED
    return replace(
        known,
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        gate=effect.gate.name,
        verdict=followed(effect, raw),
        is_reused=True,
    )


def followed(effect: RunGate, found: Verdict) -> Verdict:
    """Let a gate that only warns do no more than that; one that could not run says so."""
    is_bad = found is Verdict.FAILED
    return Verdict.WARNED if effect.gate.only_warns and is_bad else found


def _is_kept(known: GateEnded, world: World) -> bool:
    """Tell whether what the verdict rests on can still be read."""
    try:
        for artifact in (known.output, known.feedback, known.report):
            if artifact is not None:
                world.artifacts.get(artifact)
    except NotFound:
        return False
    return True
