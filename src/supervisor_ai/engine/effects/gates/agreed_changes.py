"""Tests that a change may break: announced by who made it, and agreed to by the plan."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.engine.world import Operation

_MOST: Final = 500


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
    answer = _read(operation, effect.author.answer) if effect.author else {}
    plans = (_read(operation, plan) for plan in effect.plans)
    return Agreed(
        announced=frozenset(_announced(answer)),
        planned=tuple(entry for plan in plans for entry in _texts(plan.get("behaviour_changes"))),
    )


def _announced(answer: Mapping[str, object]) -> Iterator[str]:
    """Name the tests that are said to change, if a reason is given."""
    for entry in _list(answer.get("changed_tests")):
        if isinstance(entry, dict):
            test, reason = entry.get("test"), entry.get("reason")
            if isinstance(test, str) and isinstance(reason, str) and test and reason.strip():
                yield test


def _texts(value: object) -> list[str]:
    return [entry for entry in _list(value) if isinstance(entry, str)]


def _list(value: object) -> list[object]:
    return value[:_MOST] if isinstance(value, list) else []


def _last(name: str) -> str:
    return name.replace("::", " ").replace(".", " ").split()[-1] if name.strip() else name


def _read(operation: Operation, kept: ArtifactHash) -> Mapping[str, object]:
    try:
        found = json.loads(operation.world.artifacts.get(kept))
    except (NotFound, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
