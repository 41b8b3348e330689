"""A crowd of members on one ledger: what is accepted is decided quickly, and little is written."""

from pathlib import Path
from typing import Final

import pytest
from bench.teams import GOAL, MESSAGES, Costs, measure

MOST_GROWTH: Final = 40
"""So many MiB more than after the first tenth of the time are no leak."""


def check(costs: Costs, members: int, seconds: int) -> None:
    """Hold what was measured against the goals."""
    minutes = seconds / 60
    assert costs.events == members * seconds
    news = members * seconds / (MESSAGES * 60)
    # One heartbeat a minute of each member, what is news, and the notes of looks.
    assert costs.written <= members * (minutes + 1) + news + 10 * minutes + 10
    assert costs.p99 < GOAL
    assert costs.memory - costs.first_memory < MOST_GROWTH


def test_heartbeats_are_written_once_a_minute(tmp_path: Path) -> None:
    check(measure(tmp_path, 40, 130), 40, 130)


@pytest.mark.long
def test_a_thousand_members_for_ten_minutes(tmp_path: Path) -> None:
    check(measure(tmp_path, 1000, 600), 1000, 600)
