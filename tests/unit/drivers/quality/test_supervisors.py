"""When supervisors look: counters, moments, urgency, and rest where little is new."""

import pytest

from supervisor_ai.definitions.loop.settings import BUILTIN
from supervisor_ai.drivers.quality.directives import DirectiveType
from supervisor_ai.drivers.quality.findings import (
    Findings,
    FoundDirective,
    novelty,
    read_findings,
)
from supervisor_ai.drivers.quality.ports import KnowledgeItem
from supervisor_ai.drivers.quality.supervisors import (
    MOST_DOUBLINGS,
    LookMoment,
    Roster,
    RunOutcome,
    interval,
    is_converging,
)
from supervisor_ai.drivers.quality.urgency import (
    WEIGHTS,
    UrgencySignal,
    is_churn,
    is_pulled_forward,
    shown,
)

ROSTER = Roster(specs=BUILTIN)


def after(tasks: int, roster: Roster = ROSTER) -> Roster:
    for _ in range(tasks):
        roster = roster.counted()
    return roster


def due(roster: Roster, urgency: int = 0) -> list[str]:
    return [it.name for it in roster.due(urgency)]


@pytest.mark.parametrize(
    ("tasks", "names"),
    [
        (0, []),
        (2, []),
        (3, ["internaliser"]),
        (4, ["internaliser"]),
        (5, ["code_style", "internaliser"]),
    ],
)
def test_each_supervisor_has_a_counter_of_its_own(tasks: int, names: list[str]) -> None:
    assert due(after(tasks)) == names


@pytest.mark.parametrize(
    ("moment", "names"),
    [
        (LookMoment.MILESTONE, ["code_style", "design", "internaliser"]),
        (LookMoment.RESCOPE, ["design"]),
        (LookMoment.ABORT, ["design"]),
    ],
)
def test_each_supervisor_has_moments_of_its_own(moment: LookMoment, names: list[str]) -> None:
    assert due(ROSTER.called(moment)) == names


def test_one_that_looked_counts_anew_and_the_others_do_not() -> None:
    roster = after(3).looked("internaliser", RunOutcome.REVIEWED, novel=3, total=3)
    assert due(roster) == []
    assert due(after(2, roster)) == ["code_style"]
    assert due(after(3, roster)) == ["code_style", "internaliser"]


def test_a_moment_is_over_once_the_supervisor_looked() -> None:
    roster = ROSTER.called(LookMoment.ABORT).looked("design", RunOutcome.REVIEWED, novel=1, total=1)
    assert due(roster) == []


def test_urgency_calls_everybody_whatever_the_counters_say() -> None:
    assert due(ROSTER, 9) == []
    assert due(ROSTER, 10) == ["code_style", "design", "internaliser"]


def test_a_look_that_brings_little_doubles_the_interval_and_news_reset_it() -> None:
    spec = BUILTIN[0]
    roster = ROSTER.looked("code_style", RunOutcome.REVIEWED, novel=4, total=4)
    intervals = []
    for novel in (0, 1, 0, 0, 0, 0, 3):
        roster = roster.looked("code_style", RunOutcome.REVIEWED, novel=novel, total=4)
        intervals.append(interval(spec, roster.record("code_style")))
    assert intervals == [10, 20, 40, 80, 80, 80, 5]
    assert 5 * 2**MOST_DOUBLINGS == 80


def test_who_only_waits_for_moments_has_no_interval() -> None:
    assert interval(BUILTIN[1], ROSTER.record("design")) is None


@pytest.mark.parametrize("outcome", [RunOutcome.UNAVAILABLE, RunOutcome.DISCARDED])
def test_a_look_that_did_not_happen_says_nothing_about_convergence(outcome: RunOutcome) -> None:
    roster = after(5).looked("code_style", outcome, novel=0, total=0)
    record = roster.record("code_style")
    assert (record.since, record.doublings, record.runs) == (0, 0, 0)


@pytest.mark.parametrize(
    ("runs", "novel", "total", "converges"),
    [
        (0, 0, 0, False),
        (1, 0, 0, True),
        (1, 1, 4, True),
        (1, 1, 3, False),
        (2, 0, 5, True),
    ],
)
def test_the_first_look_never_converges(
    runs: int, novel: int, total: int, *, converges: bool
) -> None:
    assert is_converging(runs, novel=novel, total=total) is converges


@pytest.mark.parametrize(
    ("signal", "weight"),
    [
        (UrgencySignal.QA_FAILURE, 0.3),
        (UrgencySignal.TASK_ABORT, 1.0),
        (UrgencySignal.CHURN, 0.2),
        (UrgencySignal.MINOR_DRIFT, 0.5),
    ],
)
def test_the_weights_are_the_seeds(signal: UrgencySignal, weight: float) -> None:
    assert shown(WEIGHTS[signal]) == weight


def test_signals_add_up_exactly() -> None:
    qa, churn = WEIGHTS[UrgencySignal.QA_FAILURE], WEIGHTS[UrgencySignal.CHURN]
    assert not is_pulled_forward(3 * qa)
    assert is_pulled_forward(2 * qa + 2 * churn)
    assert is_pulled_forward(WEIGHTS[UrgencySignal.TASK_ABORT])


@pytest.mark.parametrize(
    ("before", "now", "churn"),
    [
        ("abc", "bc", False),
        ("abcd", "b", False),
        ("abcd", "", True),
        ("abc", "", True),
        ("abc", "xyz", True),
        ("ab", "", False),
        ("", "xyz", False),
    ],
)
def test_a_plan_that_is_thrown_away_is_churn(before: str, now: str, *, churn: bool) -> None:
    assert is_churn(tuple(before), tuple(now)) is churn


def test_what_is_new_is_counted_against_the_look_before() -> None:
    wish = FoundDirective(type=DirectiveType.CLEANUP, description="Tidy  Up")
    same = FoundDirective(type=DirectiveType.CLEANUP, description="tidy up")
    item = KnowledgeItem(category="lesson", content="It is so")
    first = Findings(directives=(wish,), conventions_updated=("a.md",))
    second = Findings(directives=(same,), knowledge_items=(item,), design_updates=("b.md",))
    assert novelty(first, Findings()) == (2, 2)
    assert novelty(second, first) == (2, 3)
    assert novelty(second, second) == (0, 3)


@pytest.mark.parametrize("text", ["", "[erased]", "[]"])
def test_findings_that_were_erased_are_none(text: str) -> None:
    assert read_findings(text) == Findings()
