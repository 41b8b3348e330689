"""Evidence that is read while a gate's command runs, so that nobody waits for it afterwards."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Final, TypeVar, cast

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Evidence, Halves, Hollow, ProbeKind, TestProbe
from supervisor_ai.engine.ports.gates import ChangeCase

_ASKED: Final = (ProbeKind.FAILURES, ProbeKind.PLAINLY, ProbeKind.NEIGHBOURS)
"""What every change of a product is asked; new inputs only where it has new tests."""
_Key = tuple[object, ...]
T = TypeVar("T")


def is_compared(effect: RunGate) -> bool:
    """Tell whether it is known how the tests stood before the change."""
    return effect.baseline is not None or effect.baseline_output is not None


class EvidenceAhead:
    """Answers what was asked ahead, and asks for the rest when it is needed."""

    def __init__(self, evidence: Evidence, effect: RunGate) -> None:
        self._evidence = evidence
        self._case = ChangeCase(base=effect.origin, head=effect.snapshot)
        self._rules = effect.harness
        self._is_compared = is_compared(effect)
        self._asked: dict[_Key, asyncio.Future[object]] = {}

    def begin(self) -> None:
        """Begin to ask, one question after the other: each may use all of a processor."""
        if not self._is_compared:
            return
        turn, case, rules = asyncio.Lock(), self._case, self._rules
        asks: dict[_Key, Callable[[], Awaitable[object]]] = {
            ("halves", case): partial(self._evidence.halves, case, rules),
            ("hollowed", case, False): partial(self._evidence.hollowed, case, rules, whole=False),
        }
        for kind in _ASKED:
            asks["probes", case, kind, ()] = partial(self._evidence.probes, case, rules, kind)
        for key, ask in asks.items():
            self._asked[key] = asyncio.ensure_future(_in_turn(turn, ask))
            self._asked[key].add_done_callback(_notice)

    def let_go(self) -> None:
        """Ask no further."""
        for task in self._asked.values():
            task.cancel()

    async def halves(self, case: ChangeCase, rules: HarnessRules) -> Halves:
        """Tell the harness of a change from its product."""
        ask = partial(self._evidence.halves, case, rules)
        return await self._answer(("halves", case), ask)

    async def hollowed(self, case: ChangeCase, rules: HarnessRules, *, whole: bool) -> Hollow:
        """Empty the modules of the product that a change touches, or all of them."""
        ask = partial(self._evidence.hollowed, case, rules, whole=whole)
        return await self._answer(("hollowed", case, whole), ask)

    async def probes(
        self,
        case: ChangeCase,
        rules: HarnessRules,
        kind: ProbeKind,
        speaking: tuple[str, ...] = (),
    ) -> tuple[TestProbe, ...]:
        """Write tests that ask more than the change's own; none where there is no reason to."""
        ask = partial(self._evidence.probes, case, rules, kind, speaking)
        return await self._answer(("probes", case, kind, speaking), ask)

    async def head_version(
        self, case: ChangeCase, halves: Halves, paths: Collection[str]
    ) -> Mapping[str, bytes | None]:
        """Return what to replay where some files of the harness must be the head's."""
        return await self._evidence.head_version(case, halves, paths)

    async def _answer(self, key: _Key, ask: Callable[[], Awaitable[T]]) -> T:
        task = self._asked.get(key)
        return await (ask() if task is None else cast("asyncio.Future[T]", task))


def _notice(task: asyncio.Future[object]) -> bool:
    """Take note of how an answer ended: what went wrong with one that nobody wants is no matter."""
    return task.cancelled() or task.exception() is None


async def _in_turn(turn: asyncio.Lock, ask: Callable[[], Awaitable[object]]) -> object:
    async with turn:
        return await ask()


@contextmanager
def asked_ahead(effect: RunGate, evidence: Evidence) -> Iterator[EvidenceAhead]:
    """Let a gate ask ahead, as long as it lasts."""
    ahead = EvidenceAhead(evidence, effect)
    try:
        yield ahead
    finally:
        ahead.let_go()
