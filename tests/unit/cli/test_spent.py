"""What a run has consumed is told to people, not only to programs."""

from decimal import Decimal

import pytest
from tests.unit.control.run_rows import FakeQueries, queries, records

from supervisor_ai.cli.run_details import spent
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import UsageView, show_run
from supervisor_ai.domain.structs import replace

__all__ = ["FakeQueries", "queries", "records"]


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (
            UsageView(tokens_in=1200, tokens_out=34, cost=Decimal("0.25"), estimated=False),
            [("spent", "0.2500 USD, 1200 tokens in, 34 out")],
        ),
        (
            UsageView(tokens_in=3, tokens_out=4, cost=Decimal("0.00001"), estimated=True),
            [("spent", "0.0000 USD, 3 tokens in, 4 out (estimated)")],
        ),
        (UsageView(tokens_in=0, tokens_out=0, cost=Decimal(), estimated=False), []),
    ],
)
def test_cost_and_tokens_are_told_and_whether_they_are_guessed(
    records: Records, usage: UsageView, told: list[tuple[str, str]]
) -> None:
    assert list(spent(replace(show_run(records, "r2c"), usage=usage))) == told
