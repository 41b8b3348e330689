"""What a run pins about failures and costs: the package's word, the user's and the project's."""
# ruff: noqa: E501 - mistakes are told in one line each

from datetime import timedelta
from decimal import Decimal

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.layered import FLOW, Layers

from supervisor_ai.definitions.schema.spending.prices import builtin_prices
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.failures.breaker import BREAKER_POLICY, BreakerPolicy
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.failures.loops import LoopPolicy
from supervisor_ai.domain.run.failures.retries import RETRY_POLICIES, ParkingPolicy
from supervisor_ai.domain.run.spending.budgets import Amount, Scope


def usd(amount: int) -> Amount:
    return Amount(money=Decimal(amount))


def test_a_run_pins_the_package_where_nobody_says_anything(layers: Layers) -> None:
    loaded = layers.load().definition
    assert loaded.retries == dict(RETRY_POLICIES)
    assert loaded.parking == ParkingPolicy()
    assert loaded.breaker == BREAKER_POLICY
    assert loaded.loops == LoopPolicy()
    assert loaded.budgets == {}
    assert loaded.prices == builtin_prices()


def test_the_project_is_laid_over_the_user(layers: Layers) -> None:
    layers.user("breaker: {failures: 2, rest: 1m}\nloops: {patience: 9}\nparking: {max_parks: 1}")
    loaded = layers.load("breaker: {failures: 7}\nloops: {rounds: 4}\nparking: {enabled: false}")
    assert loaded.definition.breaker == BreakerPolicy(failures=7, rest=timedelta(minutes=1))
    assert loaded.definition.loops == LoopPolicy(patience=9, rounds=4)
    assert loaded.definition.parking == ParkingPolicy(is_allowed=False, max_parks=1)


def test_a_project_only_makes_budgets_smaller(layers: Layers) -> None:
    layers.user("budgets: {run: 5usd, day: 20usd}")
    loaded = layers.load("budgets: {run: 50usd, day: 3usd, step: 2usd}").definition
    assert loaded.budgets == {Scope.RUN: usd(5), Scope.DAY: usd(3), Scope.STEP: usd(2)}


def test_a_budget_needs_no_trust(layers: Layers) -> None:
    assert layers.load("budgets: {run: 5usd}").powers == ()


def test_prices_are_the_users_and_the_packages(layers: Layers) -> None:
    layers.user(
        "prices: {families: {mine: {input: 1, output: 2}}, defaults: {codex: mine, claude: opus}}"
    )
    prices = layers.load().definition.prices
    assert prices.families["mine"].input == Decimal(1)
    assert prices.families["gpt-5"] == builtin_prices().families["gpt-5"]
    assert prices.defaults["codex"] == "mine"
    assert prices.defaults["gemini"] == builtin_prices().defaults["gemini"]


def test_a_project_sets_no_prices(layers: Layers) -> None:
    assert layers.mistakes(
        "budgets: {run: 5}\nprices:\n  families: {gpt-5: {input: 0, output: 0}}\n"
    ) == snapshot("""\
The definitions have 2 mistakes:
  .supervisor/config.yaml:2: budgets.run: must be a budget such as 5usd, 200k tokens, 2h or 10 attempts, found '5'
  .supervisor/config.yaml:3: prices: says what tokens cost, and so how far your budgets reach; only your own config may do that\
""")


def test_a_default_price_needs_a_row(layers: Layers) -> None:
    layers.user("prices:\n  defaults:\n    codex: gtp-5\n    gemini: other\n")
    assert layers.mistakes() == snapshot("""\
The definitions have 2 mistakes:
  USER/config.yaml:3: prices.defaults.codex: unknown family of models 'gtp-5'; did you mean 'gpt-5'?
  USER/config.yaml:4: prices.defaults.gemini: unknown family of models 'other' (known: claude-fable, claude-haiku, claude-haiku-5-5, claude-opus, claude-opus-4-1, claude-opus-5-5, claude-sonnet, claude-sonnet-5, gemini-2.5-flash, gemini-2.5-flash-lite, gemini-2.5-pro, gemini-3-flash, gemini-3-pro, gemini-3.6-flash, gpt-4.1, gpt-5, gpt-5-mini, gpt-5-nano, gpt-5.4, gpt-5.4-mini, gpt-5.4-nano, gpt-5.5, gpt-5.5-pro, haiku, opus, qwen3-coder, sonnet)\
""")


def test_a_row_with_a_mistake_is_not_missing_as_well(layers: Layers) -> None:
    layers.user("prices: {families: {mine: {input: 1}}, defaults: {codex: mine}}")
    assert layers.mistakes() == snapshot("""\
The definitions have a mistake:
  USER/config.yaml:1: prices.families.mine.output: is missing\
""")


def test_all_mistakes_about_failures_are_told_at_once(layers: Layers) -> None:
    layers.user("breaker: {failures: 0}\nprices: {families: {A: {input: 1, output: x}}}")
    assert layers.mistakes("loops: {rounds: 1}\nbudgets: {hour: 5usd}\n") == snapshot("""\
The definitions have 5 mistakes:
  .supervisor/config.yaml:2: loops.rounds: must be at least 2, found 1
  .supervisor/config.yaml:3: budgets.hour: unknown key (known: attempt, step, run, feature, day)
  USER/config.yaml:1: breaker.failures: must be at least 1, found 0
  USER/config.yaml:2: prices.families.A: must be the beginning of a model's name, such as gpt-5, found 'A'
  USER/config.yaml:2: prices.families.A.output: must be a price in USD for a million tokens, such as 2.50, found 'x'\
""")


STEPS = """\
steps:
  build:
    role: ROLE
    degrade: DEGRADE
    next: commit
  commit: {type: commit, terminal: true}
"""


def flow(degrade: str, role: str = "implementer") -> dict[str, str]:
    return {FLOW: STEPS.replace("DEGRADE", degrade).replace("ROLE", role)}


@pytest.mark.parametrize(
    ("written", "levels"),
    [
        ("[simplified, minimal]", (Level.SIMPLIFIED, Level.MINIMAL)),
        ("[minimal, simplified]", (Level.SIMPLIFIED, Level.MINIMAL)),
        ("[minimal]", (Level.MINIMAL,)),
        ("[]", ()),
        ("", ()),
    ],
)
def test_a_step_may_be_done_in_simpler_ways(
    layers: Layers, written: str, levels: tuple[Level, ...]
) -> None:
    loaded = layers.load(files=flow(written), workflow="flow").definition
    assert loaded.workflow.steps[StepName("build")].degrade == levels


def test_other_ways_are_mistakes(layers: Layers) -> None:
    assert layers.mistakes(files=flow("[primary, none]")) == snapshot("""\
The definitions have 2 mistakes:
  .supervisor/workflows/flow.yaml:4: steps.build.degrade[0]: must be 'simplified' or 'minimal', found 'primary'
  .supervisor/workflows/flow.yaml:4: steps.build.degrade[1]: must be 'simplified' or 'minimal', found 'none'\
""")
    assert "steps.build.degrade: must have at most 2 entries, found 3" in layers.mistakes(
        files=flow("[minimal, minimal, minimal]")
    )


def test_only_who_implements_can_do_less(layers: Layers) -> None:
    assert layers.mistakes(files=flow("[minimal]", "reviewer")) == snapshot("""\
The definitions have a mistake:
  .supervisor/workflows/flow.yaml:4: steps.build.degrade: has no meaning: the role 'reviewer' implements nothing\
""")
    gate = "steps:\n  test: {gate: test, degrade: [minimal]}\n"
    assert layers.mistakes(files={FLOW: gate}) == snapshot("""\
The definitions have a mistake:
  .supervisor/workflows/flow.yaml:2: steps.test.degrade: has no meaning for a step of type 'orchestrator_gate'\
""")
