"""Whatever the agents of a kanban do, its loop ends, and its files can always be read."""

from itertools import groupby

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.integration.kanban.cast import ITERATIONS, NEIGHBOUR, Fault, Part, Play, Turn
from tests.support.example_counts import examples

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.kanban import Kanban

TRIES = 4
PHASES = (Phase.explicit, Phase.generate)
"""A failing example is told as it was found: making it smaller takes minutes."""

parts = st.builds(
    Part,
    turns=st.lists(st.sampled_from(list(Turn)), max_size=12),
    faults=st.lists(st.sampled_from([Fault.NONE, *Fault]), max_size=6),
    answers=st.lists(st.booleans(), max_size=4),
    gates=st.lists(st.booleans(), max_size=4),
    tasks=st.lists(
        st.sampled_from(["Architect", "Implementor", "Manager"]), min_size=1, max_size=3
    ),
)


@settings(max_examples=examples(60), phases=PHASES)
@given(part=parts)
def test_any_outcomes_lead_to_an_end(part: Part) -> None:
    play = Play(part)
    check_end(play)
    check_limits(play)
    check_files(play)
    check_prompts(play)


@settings(max_examples=20, phases=PHASES)
@given(part=parts)
def test_no_outcome_depends_on_words(part: Part) -> None:
    plain, scrambled = Play(part), Play(part, scrambles=True)
    assert decisions(scrambled) == decisions(plain)


def test_a_manager_that_stops_while_tasks_are_open_does_not_count() -> None:
    play = Play(Part(faults=[Fault.STOPS], tasks=["Architect", "Architect"]))
    assert play.status is RunStatus.COMPLETED
    [failed] = play.scene.kernel.events(play.scene.run, e.AttemptFailed)
    assert failed.step == "manager"
    check_end(play)


@pytest.mark.parametrize("turn", [Turn.KANBAN, Turn.NEIGHBOUR])
def test_what_an_agent_may_not_write_is_left_out_and_told(turn: Turn) -> None:
    play = Play(Part(turns=[turn]))
    assert play.status is RunStatus.COMPLETED
    assert play.scene.kernel.events(play.scene.run, e.WriteRefused)
    check_files(play)


def check_end(play: Play) -> None:
    kernel, run = play.scene.kernel, play.scene.run
    branch = kernel.fakes.workspaces.branches.get(play.scene.branch)
    kanban = play.read(kernel.fakes.workspaces.files(branch)) if branch else None
    if play.status is RunStatus.COMPLETED:
        assert isinstance(kanban, Kanban)
        assert kanban.open == ()
        return
    assert play.status is RunStatus.FAILED
    *_, last = kernel.events(run, k.KanbanRead)
    assert play.scene.reason().endswith(f"Open: {', '.join(last.open)}.")


def check_limits(play: Play) -> None:
    entered = play.scene.kernel.events(play.scene.run, e.StepEntered)
    assert sum(at.step == "kanban" for at in entered) <= ITERATIONS + 1
    for attempts in between_questions(play):
        assert len(attempts) <= TRIES


def check_files(play: Play) -> None:
    workspaces = play.scene.kernel.fakes.workspaces
    for landed in play.scene.kernel.events(play.scene.run, e.IntegrationLanded):
        found = play.read(workspaces.files(landed.commit))
        assert isinstance(found, Kanban), found
        assert NEIGHBOUR not in workspaces.files(landed.commit)
    assert not play.scene.kernel.events(play.scene.run, k.KanbanUnreadable)


def check_prompts(play: Play) -> None:
    for attempts in between_questions(play):
        assert len({prompt.prompt for prompt in attempts}) == 1


def between_questions(play: Play) -> list[list[e.PromptSent]]:
    """Put the attempts together that nothing but a bad answer lies between."""
    answers = 0
    found: list[tuple[object, e.PromptSent]] = []
    for envelope in play.scene.kernel.envelopes(play.scene.run):
        match envelope.event:
            case e.ApprovalGiven() | e.ApprovalRefused():
                answers += 1
            case e.PromptSent() as sent:
                found.append(((sent.step, sent.visit, answers), sent))
            case _:
                pass
    return [[sent for _, sent in group] for _, group in groupby(found, key=lambda at: at[0])]


def decisions(play: Play) -> list[object]:
    """Return everything that was decided: the facts, and what the files led to."""
    kernel, run = play.scene.kernel, play.scene.run
    reads = kernel.events(run, k.KanbanRead)
    moves = [(at.current, at.role, at.phase, at.tasks, at.open) for at in reads]
    said = [(at.step, at.said) for at in kernel.events(run, e.AttemptSucceeded)]
    failed = [(at.step, at.category) for at in kernel.events(run, e.AttemptFailed)]
    return [kernel.types(run), moves, said, failed]
