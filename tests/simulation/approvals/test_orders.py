"""No order of anything lets a change land without what its level of risk demands."""

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.simulation.approvals.orders import Orders, RealOrders
from tests.support.example_counts import examples, worlds


def test_nothing_lands_without_what_its_level_demands() -> None:
    run_state_machine_as_test(
        Orders, settings=settings(max_examples=examples(300), stateful_step_count=30)
    )


def test_nothing_does_so_on_the_real_ledger() -> None:
    run_state_machine_as_test(
        RealOrders, settings=settings(max_examples=examples(300) // 4, stateful_step_count=20)
    )


@pytest.mark.long
@pytest.mark.parametrize("shard", range(10))
def test_nothing_does_so_in_many_more_orders(shard: int) -> None:
    del shard
    many = settings(
        max_examples=worlds(300), stateful_step_count=50, phases=(Phase.generate,), database=None
    )
    run_state_machine_as_test(Orders, settings=many)
