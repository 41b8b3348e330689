"""Directives: their order, their age, and how many of them there may be."""

import pytest

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.quality.directives import (
    Backlog,
    Directive,
    DirectivePriority,
    DirectiveType,
    Drop,
    DropReason,
    NewDirective,
    in_order,
    numbered,
    overdue,
)

CLEANUP, FUNCTIONAL = DirectiveType.CLEANUP, DirectiveType.FUNCTIONAL
CRITICAL, NORMAL, LOW = DirectivePriority


def make(
    number: int,
    kind: DirectiveType = CLEANUP,
    priority: DirectivePriority = NORMAL,
    since: int = 0,
) -> Directive:
    return Directive(
        number=number,
        type=kind,
        priority=priority,
        source="code_style",
        text=ArtifactHash("text"),
        since=since,
    )


def test_critical_comes_first_then_functional_then_cleanup() -> None:
    shown = [
        make(1, CLEANUP, CRITICAL),
        make(2, FUNCTIONAL, LOW),
        make(3, CLEANUP, LOW),
        make(4, FUNCTIONAL, CRITICAL),
        make(5, FUNCTIONAL, NORMAL),
        make(6, CLEANUP, CRITICAL),
    ]
    assert [it.number for it in in_order(shown)] == [4, 1, 6, 5, 2, 3]


@pytest.mark.parametrize(
    ("kind", "priority", "is_critical"),
    [
        (FUNCTIONAL, CRITICAL, True),
        (FUNCTIONAL, NORMAL, False),
        (CLEANUP, CRITICAL, True),
    ],
)
def test_only_the_priority_interrupts(
    kind: DirectiveType, priority: DirectivePriority, *, is_critical: bool
) -> None:
    assert make(1, kind, priority).is_critical is is_critical


def test_each_directive_gets_a_number_of_its_own() -> None:
    wish = NewDirective(type=CLEANUP, priority=LOW, text=ArtifactHash("text"))
    made = numbered((wish, wish), source="design", first=7, since=3)
    assert [(it.number, it.source, it.since) for it in made] == [(7, "design", 3), (8, "design", 3)]


@pytest.mark.parametrize(("tasks", "dropped"), [(15, False), (16, True)])
def test_cleanup_is_dropped_after_more_than_fifteen_tasks(tasks: int, *, dropped: bool) -> None:
    found = overdue([make(1)], Backlog(), tasks=tasks)
    assert found == ((Drop(number=1, reason=DropReason.AGED),) if dropped else ())


def test_the_oldest_of_more_than_ten_is_dropped() -> None:
    pending = [make(number, since=9) for number in range(1, 13)]
    assert overdue(pending, Backlog(), tasks=9) == (
        Drop(number=1, reason=DropReason.CAPPED),
        Drop(number=2, reason=DropReason.CAPPED),
    )


def test_functional_directives_neither_age_nor_count() -> None:
    pending = [make(number, FUNCTIONAL) for number in range(1, 30)]
    assert overdue(pending, Backlog(), tasks=1000) == ()


def test_what_is_too_old_makes_room_for_what_is_not() -> None:
    pending = [make(1), *(make(number, since=16) for number in range(2, 12))]
    assert overdue(pending, Backlog(), tasks=16) == (Drop(number=1, reason=DropReason.AGED),)
