"""Every fact of a run is registered, and is known to the machine and to the tables."""

import pytest

from supervisor_ai.control.slices import own_events, slice_events
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.flow import find
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.operations import operations_of
from supervisor_ai.domain.run.run import RUN_FLOW
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.store.codec import EVENT_KINDS
from supervisor_ai.store.tables.projection_rules import RULES, rule_of

RUN_KINDS = (*e.RUN_EVENTS, *slice_events())
ALL_KINDS = (*EVENT_KINDS, *own_events())


def made_of(base: type[Event]) -> set[type[Event]]:
    """Return all that was made of a base in our code, and in no test."""
    ours = [kind for kind in base.__subclasses__() if kind.__module__.startswith("supervisor_ai.")]
    return {*ours, *(deeper for kind in ours for deeper in made_of(kind))}


def test_every_fact_of_a_run_is_registered() -> None:
    registered = {kind.__name__ for kind in RUN_KINDS}
    known = made_of(e.RunEvent)
    bases = {base.__name__ for kind in known for base in kind.__bases__}
    assert {kind.__name__ for kind in known} - bases == registered
    assert registered < {kind.__name__ for kind in ALL_KINDS}


def test_no_fact_derives_from_another() -> None:
    """Folds ask for the exact kind of a fact."""
    assert not any(set(kind.__mro__[1:]) & set(ALL_KINDS) for kind in ALL_KINDS)


@pytest.mark.parametrize("kind", RUN_KINDS, ids=lambda kind: kind.__name__)
def test_every_fact_of_a_run_can_happen(kind: type[Event]) -> None:
    is_birth = kind is e.RunSubmitted
    assert is_birth or any(find(RUN_FLOW, status, kind) for status in RunStatus)


def test_every_fact_has_a_rule_for_the_tables() -> None:
    assert set(RULES) == set(EVENT_KINDS)
    assert all(isinstance(rule_of(kind), tuple) for kind in ALL_KINDS)


def test_a_fact_without_a_place_needs_a_rule_of_its_own() -> None:
    with pytest.raises(InternalError, match="No rule says what RunEvent does to the tables"):
        rule_of(e.RunEvent)


def test_what_begins_has_an_end() -> None:
    assert all(kind.ended for kind in operations_of(ALL_KINDS))
