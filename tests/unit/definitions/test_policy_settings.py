"""What the files say about failures and costs."""
# ruff: noqa: E501 - mistakes are told in one line each

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest
from inline_snapshot import snapshot
from pydantic import ValidationError

from supervisor_ai.definitions.config.merged import merge_configs
from supervisor_ai.definitions.config.policies import read_policies
from supervisor_ai.definitions.overlay.layers import Layer, WrittenFile
from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.definitions.schema.policies import PolicyShape
from supervisor_ai.definitions.schema.retries import delay
from supervisor_ai.definitions.schema.spending.budgets import budget
from supervisor_ai.definitions.schema.spending.prices import (
    PricesShape,
    builtin_prices,
    price,
    read_prices,
    unknown_defaults,
    with_prices,
)
from supervisor_ai.definitions.sources.files import DirectorySource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.sources.model_errors import findings
from supervisor_ai.definitions.sources.yaml_document import read_yaml
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.failures.breaker import BreakerPolicy
from supervisor_ai.domain.run.failures.loops import LoopPolicy
from supervisor_ai.domain.run.failures.retries import (
    RETRY_POLICIES,
    ParkingPolicy,
    RetryMode,
    RetryPolicy,
)
from supervisor_ai.domain.run.policies import Policies
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.domain.run.spending.prices import Price, find_price


def shape(text: str) -> PolicyShape:
    mistakes = FileMistakes()
    document = read_yaml("config.yaml", text, mistakes)
    assert document is not None
    assert not len(mistakes)
    return PolicyShape.model_validate(document.value or {})


def laid(*texts: str, origin: Origin = Origin.USER) -> Policies:
    return merged([(text, origin) for text in texts])


def merged(files: Iterable[tuple[str, Origin]]) -> Policies:
    mistakes, layers = FileMistakes(), list[Layer]()
    for text, origin in files:
        document = read_yaml(f"{origin}.yaml", text, mistakes)
        assert document is not None
        config = WrittenFile(
            shape=ConfigShape.model_validate(document.value or {}),
            value=document.value or {},
            document=document,
            shelf=DirectorySource(origin, Path("/nonexistent")),
        )
        layers.append(Layer(configs=(config,), workflows={}, names=()))
    return read_policies(merge_configs(layers, (), mistakes), mistakes)


def problems(text: str) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        shape(text)
    return [
        f"{'.'.join(map(str, found.path))}: {found.problem}"
        for found in findings(caught.value, PolicyShape)
    ]


def test_nothing_said_is_what_the_package_says() -> None:
    assert laid("") == Policies(prices=builtin_prices())
    assert dict(Policies().retries) == dict(RETRY_POLICIES)


def test_policies_can_be_changed_and_added() -> None:
    policies = laid(
        """
        retry_policies:
          default: {max_attempts: 1, jitter: 0, initial_delay: 0s}
          patient: {max_delay: 1h, multiplier: 3, mode: same}
        """,
        "retry_policies: {patient: {max_attempts: 9}}",
    )
    assert policies.retries["default"] == RetryPolicy(
        name="default", max_attempts=1, jitter=0, initial_delay=timedelta()
    )
    assert policies.retries["patient"] == RetryPolicy(
        name="patient",
        max_attempts=9,
        max_delay=timedelta(hours=1),
        multiplier=3,
        mode=RetryMode.SAME,
    )
    assert policies.retries["aggressive"] == RETRY_POLICIES["aggressive"]


def test_the_longer_names_of_older_files_are_understood() -> None:
    policies = laid(
        "retry_policies: {conservative: {max_attempts: 2, initial_delay_seconds: 6,"
        " backoff_multiplier: 4.0, max_delay_seconds: 100}}"
    )
    assert policies.retries["conservative"] == RetryPolicy(
        name="conservative",
        max_attempts=2,
        initial_delay=timedelta(seconds=6),
        multiplier=4.0,
        max_delay=timedelta(seconds=100),
    )


def test_waiting_breakers_and_loops_are_laid_over_key_by_key() -> None:
    first = (
        "{parking: {enabled: false, longest: 1h, unknown: 1m, spread: 0, max_parks: 0, soon: 0s},"
        " breaker: {failures: 2, window: 1m, rest: 2m}, loops: {repeats: 2, patience: 4, rounds: 3}}"
    )
    policies = laid(first)
    assert policies.parking == ParkingPolicy(
        is_allowed=False,
        longest=timedelta(hours=1),
        unknown=timedelta(minutes=1),
        spread=timedelta(),
        max_parks=0,
        soon=timedelta(),
    )
    assert policies.breaker == BreakerPolicy(
        failures=2, window=timedelta(minutes=1), rest=timedelta(minutes=2)
    )
    assert policies.loops == LoopPolicy(repeats=2, patience=4, rounds=3)
    assert laid(first, "parking: {}") == policies
    assert laid(first, "parking: {enabled: true}").parking.is_allowed


def test_budgets_by_scope() -> None:
    policies = laid("budgets: {run: 5usd, day: [20usd, 2m tokens], attempt: 45m}")
    assert policies.budgets == {
        Scope.RUN: Amount(money=Decimal(5)),
        Scope.DAY: Amount(money=Decimal(20), tokens=2_000_000),
        Scope.ATTEMPT: Amount(time=timedelta(minutes=45)),
    }


def test_a_project_makes_budgets_smaller_but_never_larger() -> None:
    below = ("budgets: {run: 5usd, day: 9usd, attempt: 90m}", Origin.USER)
    said = "budgets: {run: '50usd, 10k tokens', day: 1usd, step: 3 attempts, attempt: 2h}"
    assert merged([below, (said, Origin.PROJECT)]).budgets == {
        Scope.RUN: Amount(money=Decimal(5), tokens=10_000),
        Scope.DAY: Amount(money=Decimal(1)),
        Scope.STEP: Amount(attempts=3),
        Scope.ATTEMPT: Amount(time=timedelta(minutes=90)),
    }
    assert merged([below, (said, Origin.USER)]).budgets[Scope.RUN].money == Decimal(50)


def test_only_the_user_takes_a_budget_back() -> None:
    below = ("budgets: {run: 5usd, day: 9usd}", Origin.USER)
    taken = "budgets: {run: null}"
    assert merged([below, (taken, Origin.PROJECT)]) == merged([below])
    assert list(merged([below, (taken, Origin.USER)]).budgets) == [Scope.DAY]


def test_a_later_file_says_none_and_nothing_again() -> None:
    first = "{breaker: {failures: 2, rest: 2m}, parking: {longest: 1h, max_parks: 3}}"
    later = "{breaker: {failures: null, rest: null}, parking: {longest: ~, max_parks: 0}}"
    policies = laid(first, later)
    assert policies.breaker == BreakerPolicy()
    assert policies.parking == ParkingPolicy(max_parks=0)


def test_a_project_sets_no_prices() -> None:
    cheap = "prices: {families: {gpt-5: {input: 0, output: 0}}}"
    assert laid(cheap, origin=Origin.PROJECT).prices == builtin_prices()
    assert laid(cheap).prices.families["gpt-5"].input == 0


def test_mistakes_are_told_with_their_place() -> None:
    assert problems(
        "{retry_policies: {a: {max_attempts: 0, mode: never, max_delays: 1s}},"
        " breaker: {failures: 0}, loops: {rounds: 1}, budgets: {run: 5, day: 5 eur, step: [1]},"
        " prices: {families: {GPT: {input: 1, output: x}, a: {input: -1}}, defaults: {codex: A B}}}"
    ) == snapshot(
        [
            "retry_policies.a.max_attempts: must be at least 1, found 0",
            "retry_policies.a.mode: must be 'feedback' or 'same', found 'never'",
            "retry_policies.a.max_delays: unknown key; did you mean 'max_delay'?",
            "breaker.failures: must be at least 1, found 0",
            "loops.rounds: must be at least 2, found 1",
            "budgets.step: must be a budget such as 5usd, 200k tokens, 2h or 10 attempts, found '[1]'",
            "budgets.run: must be a budget such as 5usd, 200k tokens, 2h or 10 attempts, found '5'",
            "budgets.day: must be a budget such as 5usd, 200k tokens, 2h or 10 attempts: The budget '5 eur' cannot be read: '5 eur' is no amount.",
            "prices.families.GPT: must be the beginning of a model's name, such as gpt-5, found 'GPT'",
            "prices.families.GPT.output: must be a price in USD for a million tokens, such as 2.50, found 'x'",
            "prices.families.a.input: must be a price in USD for a million tokens, such as 2.50, found -1",
            "prices.defaults.codex: must be the beginning of a model's name, such as gpt-5, found 'A B'",
            "prices.families.a.output: is missing",
        ]
    )


@pytest.mark.parametrize("value", [True, None, [], {}, "", "x", "nan", "inf", -1, 1e9, "1e999999"])
def test_what_is_no_price(value: object) -> None:
    with pytest.raises(ValueError, match="must be a price in USD for a million tokens"):
        price(value)


def test_a_price_is_what_is_written() -> None:
    assert price(0.1) == Decimal("0.1")
    assert price("2.50") == Decimal("2.5")


@pytest.mark.parametrize("value", [None, 5, [], ["5usd", 3], {"money": 5}])
def test_what_is_no_budget(value: object) -> None:
    with pytest.raises(ValueError, match="must be a budget such as 5usd"):
        budget(value)


@pytest.mark.parametrize("value", [0, "0", "0s"])
def test_no_delay_at_all(value: object) -> None:
    assert delay(value) == timedelta()


@pytest.mark.parametrize("value", [False, "", -1])
def test_what_is_no_delay(value: object) -> None:
    with pytest.raises(ValueError, match="must be"):
        delay(value)


def test_the_package_has_a_price_for_every_agent_that_it_knows() -> None:
    table = builtin_prices()
    assert not unknown_defaults(table)
    assert {"claude", "codex", "gemini", "opencode", "qwen"} <= set(table.defaults)
    for row in table.families.values():
        assert 0 < row.cache_read <= row.input < row.output
        assert row.cache_write >= row.input


@pytest.mark.parametrize(
    ("model", "adapter", "family"),
    [
        ("claude-opus-5-5", "claude", "claude-opus-5-5"),
        ("claude-opus-4-8", "claude", "claude-opus"),
        ("claude-sonnet-4-5", "claude", "claude-sonnet"),
        ("anthropic/claude-sonnet-5-5", "opencode", "claude-sonnet-5"),
        ("opus", "claude", "opus"),
        ("gpt-5.5-codex", "codex", "gpt-5.5"),
        ("gpt-6", "codex", "gpt-5.5"),
        ("gemini-2.5-flash", "gemini", "gemini-2.5-flash"),
        ("gemini-2.5-flash-lite", "gemini", "gemini-2.5-flash-lite"),
        ("gemini-3.1-pro-preview", "gemini", "gemini-3-pro"),
        ("qwen3-coder-plus", "qwen", "qwen3-coder"),
        ("my-local-model", "claude", "claude-opus"),
    ],
)
def test_models_find_their_family(model: str, adapter: str, family: str) -> None:
    table = builtin_prices()
    assert find_price(table, model, adapter) is table.families[family]


@pytest.mark.parametrize("text", ["families: [", "families: *a"])
def test_a_table_that_is_no_yaml_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"prices\.yaml:\d"):
        read_prices(text)


def test_rows_of_the_user_replace_those_of_the_package() -> None:
    mine = PricesShape.model_validate(
        {
            "families": {"gpt-5": {"input": 1, "output": 2}, "mine": {"input": 3, "output": 4}},
            "defaults": {"codex": "mine", "gemini": "nothing"},
        }
    )
    table = with_prices(builtin_prices(), mine)
    flat = Price(input=Decimal(1), output=Decimal(2), cache_read=Decimal(1), cache_write=Decimal(1))
    assert table.families["gpt-5"] == flat
    assert find_price(table, None, "codex") == table.families["mine"]
    assert unknown_defaults(table) == ("gemini",)
    assert "claude-opus" in table.families


def test_policies_survive_being_pinned() -> None:
    policies = laid("budgets: {run: 5usd, day: 2h}")
    policies = Policies(retries=policies.retries, budgets=policies.budgets, prices=builtin_prices())
    assert msgspec.json.decode(msgspec.json.encode(policies), type=Policies) == policies
