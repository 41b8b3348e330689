"""Tests that a change may break: announced by who made it, agreed to by plan or review."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.engine.ports.artifacts import Artifacts

AGREED: Final = "agreed_change"
"""The rule of the note about a test that may be broken."""
_MOST: Final = 500


class Agreed(Struct, frozen=True, kw_only=True):
    """What is said about tests that change their meaning."""

    announced: frozenset[str] = frozenset()
    planned: tuple[str, ...] = ()
    accepted: frozenset[str] = frozenset()

    def allows(self, name: str) -> bool:
        """Tell whether a test may be broken: it is announced, and plan or review agree."""
        return _is_among(name, self.announced) and (
            any(_last(name) in entry for entry in self.planned) or _is_among(name, self.accepted)
        )

    @property
    def allows_some(self) -> bool:
        """Tell whether any test may be broken, where nobody knows them by name."""
        return any(map(self.allows, self.announced))


NOTHING_AGREED: Final = Agreed()


def agreed_changes(effect: RunGate, artifacts: Artifacts) -> Agreed:
    """Read what planner, implementer and reviewer said; what cannot be read says nothing."""
    answer = _read(artifacts, effect.author.answer) if effect.author else {}
    return Agreed(
        announced=frozenset(_announced(answer)),
        planned=tuple(_entries(artifacts, effect.plans, "behaviour_changes")),
        accepted=frozenset(_entries(artifacts, effect.reviews, "accepted_tests")),
    )


def _is_among(name: str, names: frozenset[str]) -> bool:
    return any(it == name or _last(it) == _last(name) for it in names)


def _entries(artifacts: Artifacts, kept: tuple[ArtifactHash, ...], key: str) -> Iterator[str]:
    for answer in kept:
        yield from _texts(_read(artifacts, answer).get(key))


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


def _read(artifacts: Artifacts, kept: ArtifactHash) -> Mapping[str, object]:
    try:
        found = json.loads(artifacts.get(kept))
    except (NotFound, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
