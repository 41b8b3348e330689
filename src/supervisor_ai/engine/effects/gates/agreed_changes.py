"""Tests that a change may break: announced by who made it, and agreed to by the plan."""

from collections.abc import Iterator
from typing import Final, TypeVar

from msgspec import DecodeError, Struct, json

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.engine.world import Operation

_MOST: Final = 500

T = TypeVar("T")


class _Announced(Struct):
    test: str = ""
    reason: str = ""


class _Implementation(Struct):
    changed_tests: list[_Announced] | None = None


class _Plan(Struct):
    behaviour_changes: list[str] | None = None


class Agreed(Struct, frozen=True, kw_only=True):
    """What is said about tests that change their meaning."""

    announced: frozenset[str] = frozenset()
    planned: tuple[str, ...] = ()

    def allows(self, name: str) -> bool:
        """Tell whether a test may be broken: its name is announced, and the plan speaks of it."""
        last = _last(name)
        is_announced = any(it == name or _last(it) == last for it in self.announced)
        return is_announced and any(last in entry for entry in self.planned)


NOTHING_AGREED: Final = Agreed()


def agreed_changes(effect: RunGate, operation: Operation) -> Agreed:
    """Read what planner and implementer said; what cannot be read says nothing."""
    announced = _read(operation, effect.author.answer, _Implementation) if effect.author else None
    plans = (_read(operation, plan, _Plan) for plan in effect.plans)
    tests = (announced.changed_tests or [])[:_MOST] if announced else []
    return Agreed(
        announced=frozenset(it.test for it in tests if it.test and it.reason.strip()),
        planned=tuple(_entries(plan for plan in plans if plan is not None)),
    )


def _entries(plans: Iterator[_Plan]) -> Iterator[str]:
    for plan in plans:
        yield from (plan.behaviour_changes or [])[:_MOST]


def _last(name: str) -> str:
    return name.replace("::", " ").replace(".", " ").split()[-1] if name.strip() else name


def _read(operation: Operation, kept: ArtifactHash, kind: type[T]) -> T | None:
    try:
        return json.decode(operation.world.artifacts.get(kept), type=kind)
    except (NotFound, DecodeError):
        return None
