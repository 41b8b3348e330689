"""The machine of a landing in several repositories: every status, every fact."""

from itertools import product

import pytest

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.drivers.feature.projects import landings as m
from supervisor_ai.drivers.feature.projects.landings import LandingFact, LandingState, LandingStatus

MOVES = tuple(
    m.RepositoryMove(
        project=name,
        repository=f"/{name}",
        branch="main",
        old=CommitSha("a"),
        new=CommitSha("b"),
    )
    for name in ("", "types")
)
FACTS: tuple[LandingFact, ...] = (
    m.LandingPrepared(run=RunId("r"), moves=MOVES),
    m.LandingMoved(project=""),
    m.LandingTurned(project="types", reason="It moved."),
    m.LandingRestored(project="types"),
    m.LandingKept(project=""),
    m.LandingCompleted(),
    m.LandingUndone(),
    m.LandingSplit(),
)


@pytest.mark.parametrize(("status", "fact"), [*product(LandingStatus, FACTS)])
def test_every_fact_moves_a_landing_as_the_table_says_or_is_refused(
    status: LandingStatus, fact: LandingFact
) -> None:
    state = LandingState(status=status, moves=MOVES)
    expected = m.LANDING_FLOW.get((status, type(fact)))
    if expected is None:
        with pytest.raises(InternalError):
            m.evolve(state, fact)
    else:
        assert m.evolve(state, fact).status is expected


def test_branches_move_in_their_order_and_go_back_in_the_other() -> None:
    state = m.evolve(LandingState(), FACTS[0])
    assert m.next_move(state) == MOVES[0]
    state = m.evolve(state, FACTS[1])
    assert m.next_move(state) == MOVES[1]
    back = m.evolve(state, FACTS[2])
    assert back.reason == "It moved."
    assert m.next_move(back) == MOVES[1]
    restored = m.evolve(back, FACTS[3])
    assert m.next_move(restored) == MOVES[0]
    kept = m.evolve(restored, FACTS[4])
    assert m.next_move(kept) is None
    assert m.ending(kept) == m.LandingSplit()
    undone = m.evolve(restored, m.LandingRestored(project=""))
    assert m.ending(undone) == m.LandingUndone()
    moved = m.evolve(state, m.LandingMoved(project="types"))
    assert m.next_move(moved) is None
    assert m.ending(moved) == m.LandingCompleted()


def test_other_facts_are_not_about_a_landing() -> None:
    assert m.evolve(LandingState(), Event()) == LandingState()
