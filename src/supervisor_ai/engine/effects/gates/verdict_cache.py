"""Verdicts that are known from before: a gate never runs twice on the same files."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Final

from msgspec.structs import asdict

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.events import GateEnded
from supervisor_ai.domain.run.gates import GateKind
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.agreed_changes import agreed_changes
from supervisor_ai.engine.world import Operation, World

_VERSION: Final = 8
_KNOWABLE: Final = frozenset({GateKind.COMMAND, GateKind.RED_BEFORE_GREEN})


class VerdictKey:
    """Everything that a verdict depends on, named while the command runs.

    To look at the machine takes longer than many a command. It is waited for before the command
    only where the same files were judged before, so that the verdict may be known; else whoever
    looks is told when the command has ended, and need not look for one that was quick. The name
    is that of the moment when it was asked for; tools that change later have no name.
    """

    def __init__(self, files: str | None, world: World, effect: RunGate) -> None:
        self._files = files
        self._may_be_known = (
            files is not None
            and not (effect.gate.is_fresh or world.is_fresh)
            and world.verdicts.has_some(f"{files} ")
        )
        self._ended = asyncio.Event()
        ended = None if self._may_be_known else self._ended
        self._machine = asyncio.ensure_future(_machine(files, world, effect, ended))

    async def to_find(self) -> str | None:
        """Return the key where a verdict may be known by it."""
        return await self.to_keep() if self._may_be_known else None

    async def to_keep(self) -> str | None:
        """Return the key; None where something of it cannot be named, or is not worth it."""
        self._ended.set()
        machine = await self._machine
        if machine is None:
            return None
        return f"{self._files} {sha256(machine.encode()).hexdigest()}"

    def let_go(self) -> None:
        """Look no further; nobody waits for the name."""
        self._machine.cancel()


@asynccontextmanager
async def verdict_key(effect: RunGate, world: World, prefix: str = "") -> AsyncIterator[VerdictKey]:
    """Begin to name what a verdict depends on."""
    files = _files(effect, world)
    key = VerdictKey(files and prefix + files, world, effect)
    try:
        await asyncio.sleep(0)  # It is asked for before anything else begins.
        yield key
    finally:
        key.let_go()


async def _machine(
    files: str | None, world: World, effect: RunGate, ended: asyncio.Event | None
) -> str | None:
    return None if files is None else await world.machine(effect.sandbox, ended)


def _files(effect: RunGate, world: World) -> str | None:
    """Name what is known before anybody looks at the machine; None where some of it is not.

    Files that are copied from the user's checkout are in no commit, nor is what the user shows of
    the machine besides its tools, nor what a set-up fetches anew each time.
    """
    gate, workspace = effect.gate, world.set_up_policy(effect.workspace)
    is_fetched = workspace.egress and workspace.setup and not workspace.cache_paths
    if gate.kind not in _KNOWABLE or workspace.include or effect.sandbox.ro_paths or is_fetched:
        return None
    parts = {
        "version": _VERSION,
        "kind": gate.kind,
        "tree": effect.tree,
        # A command sees the commits below the run's first one, and may judge by them.
        "origin": effect.origin,
        "command": gate.command,
        "environment": gate.environment,
        "allowed_writes": gate.allowed_writes,
        **({"report": gate.report} if gate.report else {}),
        "min_tests": gate.min_tests,
        "evidence": _evidence(effect, world),
        "known_red": gate.known_red,
        "min_tests_each": (gate.min_tests_each, effect.plans if gate.min_tests_each else ()),
        "own": (gate.judges, effect.own),
        "setup": asdict(workspace),
        "sandbox": (world.sandbox.name, asdict(effect.sandbox)),
    }
    text = json.dumps(parts, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()


def _evidence(effect: RunGate, world: World) -> tuple[object, ...]:
    """Name what a green verdict was held against."""
    before = (effect.baseline, effect.baseline_output, effect.least_tests)
    agreed = agreed_changes(effect, world.artifacts)
    names = [
        (it, agreed.is_accepted(it)) for it in sorted(filter(agreed.is_meant, agreed.announced))
    ]
    alone = ("new tests",) if effect.has_new_tests else ()
    return (*before, asdict(effect.harness), names, *alone)


def find_known(effect: RunGate, operation: Operation, key: str | None) -> GateEnded | None:
    """Return the verdict that is known for the same files, as one of this gate.

    A red one counts in its own run only: what was red by chance may be green in the next.
    """
    world = operation.world
    given = None if key is None else world.verdicts.find(key)
    if given is None:
        return None
    known = given.ended
    if not is_kept(world, known.output, known.feedback, known.report):
        return None
    if known.verdict is not Verdict.PASSED and given.run != operation.run:
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


def is_kept(world: World, *artifacts: ArtifactHash | None) -> bool:
    """Tell whether what a verdict rests on can still be read."""
    try:
        for artifact in artifacts:
            if artifact is not None:
                world.artifacts.get(artifact)
    except NotFound:
        return False
    return True
