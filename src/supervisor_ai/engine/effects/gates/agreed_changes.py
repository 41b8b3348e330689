"""Tests that a change may break: announced by who made it, accepted by a review or a person."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.engine.ports.artifacts import Artifacts

AGREED: Final = "agreed_change"
"""The rule of the note about a test that may be broken."""
TO_ACCEPT: Final = "change_to_accept"
"""The rule of the finding about a test of which only workers say that it may be broken."""
_MOST: Final = 500
_WORDS: Final = re.compile(r"\w+")
_ENDINGS: Final = frozenset({"py", "ts", "tsx", "js", "jsx", "mjs", "cjs", "rs", "go", "java"})
"""Words of paths that a runner may leave out of the names of tests."""


class Agreed(Struct, frozen=True, kw_only=True):
    """What is said about tests that change their meaning."""

    announced: frozenset[str] = frozenset()
    planned: tuple[str, ...] = ()
    accepted: frozenset[str] = frozenset()

    def is_meant(self, name: str) -> bool:
        """Tell whether a test is announced, and plan or review agree."""
        is_planned = any(_last(name) in entry for entry in self.planned)
        return self.is_accepted(name) or (is_planned and _is_among(name, self.announced))

    def is_accepted(self, name: str) -> bool:
        """Tell whether a test may be broken: a worker's word, the planner's too, is not enough."""
        return _is_among(name, self.announced) and _is_among(name, self.accepted)

    def finding(self, name: str, message: str) -> Finding:
        """Note what is accepted; what only workers agree on is left to a person."""
        if self.is_accepted(name):
            message = f"{message} The change announced it, and it was accepted."
            return Finding(rule=AGREED, message=message, subject=name, severity=Severity.NOTE)
        message = f"{message} The plan and the change say so; a reviewer or a person has to accept."
        return Finding(rule=TO_ACCEPT, message=message, subject=name, severity=Severity.NOTE)


NOTHING_AGREED: Final = Agreed()


def agreed_changes(effect: RunGate, artifacts: Artifacts) -> Agreed:
    """Read what workers and people said; what cannot be read says nothing."""
    answer = _read(artifacts, effect.author.answer) if effect.author else {}
    return Agreed(
        announced=frozenset(_announced(answer)),
        planned=tuple(_entries(artifacts, effect.plans, "behaviour_changes")),
        accepted=frozenset(
            (
                *_entries(artifacts, effect.reviews, "accepted_tests"),
                *_accepted(artifacts, effect.accepted),
            )
        ),
    )


def _accepted(artifacts: Artifacts, reports: tuple[ArtifactHash, ...]) -> Iterator[str]:
    """Name the tests of the findings that a person has accepted."""
    for report in reports:
        for row in _list(_parsed(artifacts, report)):
            if isinstance(row, dict) and row.get("rule") == TO_ACCEPT:
                yield str(row.get("subject"))


def _is_among(name: str, names: frozenset[str]) -> bool:
    return any(it == name or _fits(it, name) for it in names)


def _fits(said: str, name: str) -> bool:
    """Tell whether somebody's words name a test: all that they say of its path is in its name."""
    (said, _, case), (name, _, own) = said.partition("["), name.partition("[")
    words = [it for it in _WORDS.findall(said) if it not in _ENDINGS]
    whole = _WORDS.findall(name)
    rest = iter(whole)
    is_named = bool(words) and words[-1:] == whole[-1:] and case in {"", own}
    return is_named and all(word in rest for word in words)


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
    found = _parsed(artifacts, kept)
    return found if isinstance(found, dict) else {}


def _parsed(artifacts: Artifacts, kept: ArtifactHash) -> object:
    try:
        return json.loads(artifacts.get(kept))
    except (NotFound, ValueError, RecursionError):
        return None
