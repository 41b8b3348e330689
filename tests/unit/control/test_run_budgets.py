"""A run's own budget, and the configuration's."""

from datetime import timedelta
from decimal import Decimal

from supervisor_ai.control.commands.run_start import within
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Definition, Step, StepKind, Workflow
from supervisor_ai.domain.run.spending.budgets import NOTHING, Amount, Scope
from supervisor_ai.domain.structs import replace

COMMIT = StepName("commit")
DEFINITION = Definition(
    workflow=Workflow(
        name="flow",
        description="",
        initial_step=COMMIT,
        steps={COMMIT: Step(name=COMMIT, kind=StepKind.COMMIT, terminal=True)},
    ),
    roles={},
    clis={},
    gates={},
)


def test_a_run_has_the_budget_that_was_asked_for() -> None:
    asked = Amount(money=Decimal(5), time=timedelta(hours=2))
    assert within(DEFINITION, asked).budgets == {Scope.RUN: asked}


def test_without_a_budget_nothing_changes() -> None:
    assert within(DEFINITION, NOTHING) is DEFINITION


def test_the_smaller_one_counts_in_each_measure() -> None:
    day = Amount(money=Decimal(20))
    configured = replace(
        DEFINITION, budgets={Scope.RUN: Amount(money=Decimal(3), attempts=9), Scope.DAY: day}
    )
    asked = Amount(money=Decimal(5), tokens=1000, attempts=2)
    assert within(configured, asked).budgets == {
        Scope.RUN: Amount(money=Decimal(3), tokens=1000, attempts=2),
        Scope.DAY: day,
    }
