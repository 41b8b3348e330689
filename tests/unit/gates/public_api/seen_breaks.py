"""Breaks of a public API in two sets of files that a test writes down."""

from collections.abc import Mapping

from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.engine.ports.gates import FactsCase
from supervisor_ai.gates.public_api.api_breaks import ApiReading, find_breaks

Files = Mapping[str, str | bytes]


def seen(before: Files, after: Files) -> ApiReading:
    """Compare what was public with what is."""
    commits = two_commits(before, after)
    return find_breaks(FactsCase(base=BASE, head=HEAD), commits, commits.changes(BASE, HEAD))


def told(before: Files, after: Files) -> list[str]:
    """Write each break as `removed name: what`."""
    found = seen(before, after)
    assert found.unread == ()
    return sorted(f"{it.change.value} {it.symbol}: {it.detail}" for it in found.breaks)


def beside(before: Files, after: Files, others: Files) -> list[str]:
    """Compare files among others that stay as they are."""
    return told({**others, **before}, {**others, **after})
