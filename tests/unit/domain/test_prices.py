"""What tokens cost, for agents that do not say it themselves."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.run.spending.prices import (
    Price,
    PriceTable,
    cost,
    dearest,
    dollars,
    find_price,
)
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace


def price(input_price: str, output: str) -> Price:
    each = Decimal(input_price)
    return Price(input=each, output=Decimal(output), cache_read=each / 10, cache_write=each * 5 / 4)


BIG, SMALL, BIGGER = price("1.25", "10"), price("0.25", "2"), price("5", "30")
TABLE = PriceTable(
    families={"gpt-5": BIG, "gpt-5-mini": SMALL, "gpt-5.5": BIGGER, "free": price("0", "0")},
    defaults={"codex": "gpt-5.5", "lost": "nowhere"},
)


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("gpt-5", BIG),
        ("GPT-5", BIG),
        ("gpt-5-codex", BIG),
        ("gpt-5-mini", SMALL),
        ("gpt-5-mini-fast", SMALL),
        ("gpt-5-minimal", BIG),
        ("gpt-5.5-codex", BIGGER),
        ("openai/gpt-5", BIG),
        ("openrouter/openai/gpt-5-mini", SMALL),
        ("gpt-5[1m]", BIG),
        ("gpt-5.9", BIGGER),
        ("gpt-50", BIGGER),
        ("somebody-else", BIGGER),
        ("", BIGGER),
        (None, BIGGER),
    ],
)
def test_a_model_is_found_by_the_beginning_of_its_name(model: str | None, found: Price) -> None:
    assert find_price(TABLE, model, "codex") == found


@pytest.mark.parametrize("adapter", ["unheard", "lost"])
def test_an_agent_that_nobody_knows_has_no_price(adapter: str) -> None:
    assert find_price(TABLE, "unheard", adapter) is None
    usage = Usage(tokens_in=5, tokens_out=5)
    found = cost(TABLE, usage, model="unheard", adapter=adapter)
    assert found == Usage(tokens_in=5, tokens_out=5, estimated=True)


def test_every_kind_of_token_has_its_price() -> None:
    usage = Usage(tokens_in=1_000_000, tokens_out=100_000)
    plain = cost(TABLE, usage, model="gpt-5", adapter="codex")
    assert plain == Usage(
        tokens_in=1_000_000, tokens_out=100_000, cost=Decimal("2.25"), estimated=True
    )
    kept = replace(usage, cache_read=800_000, cache_write=100_000)
    cached = cost(TABLE, kept, model="gpt-5", adapter="codex")
    assert cached.cost == Decimal("0.125") + 1 + Decimal("0.1") + Decimal("0.15625")


def test_what_the_agent_says_itself_stays() -> None:
    said = Usage(tokens_in=1, cost=Decimal("0.5"))
    assert cost(TABLE, said, model="gpt-5", adapter="codex") == said


@pytest.mark.parametrize(("guess", "booked"), [("0.5", "1.25"), ("2", "2")])
def test_of_two_estimates_the_higher_counts(guess: str, booked: str) -> None:
    old = Usage(tokens_in=1_000_000, cost=Decimal(guess), estimated=True)
    assert cost(TABLE, old, model="gpt-5", adapter="codex").cost == Decimal(booked)


def test_more_from_the_cache_than_went_in_is_no_refund() -> None:
    found = cost(TABLE, Usage(cache_read=8), model="gpt-5", adapter="codex")
    assert found.cost == Decimal("0.000001")


def test_of_several_models_the_dearest_counts() -> None:
    assert dearest(TABLE, ("gpt-5", "gpt-5.5", "gpt-5-mini"), "x") == BIGGER
    assert dearest(TABLE, ("gpt-5", "unheard"), "unheard") is None
    assert dearest(TABLE, (), "codex") is None
    assert dearest(TABLE, ("",), "codex") == BIGGER


counts = st.integers(0, 10**9)


@given(counts, counts, counts)
def test_more_tokens_never_cost_less(tokens_in: int, tokens_out: int, more: int) -> None:
    few = cost(
        TABLE, Usage(tokens_in=tokens_in, tokens_out=tokens_out), model=None, adapter="codex"
    )
    many = cost(
        TABLE, Usage(tokens_in=tokens_in + more, tokens_out=tokens_out), model=None, adapter="codex"
    )
    assert few.cost <= many.cost
    assert few.estimated


def test_money_is_written_as_people_do_and_small_sums_matter() -> None:
    amounts = ("0.25", "3", "0.000004")
    assert [dollars(Decimal(it)) for it in amounts] == ["$0.25", "$3", "$0.000004"]
