"""What hardly happens to a team: strange facts, unknown tasks, a full board of alerts."""

from typing import ClassVar

import pytest
from msgspec.structs import asdict
from tests.histories import team_events
from tests.unit.drivers.team.scene import TeamScene, W, changed, working

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.run.definition import Definition, Limits, Workflow
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.event_kinds import liveness as e
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.machines import shelves
from supervisor_ai.drivers.team.residence.definition import (
    TeamDefinition,
    expect_team,
    permit_of,
)
from supervisor_ai.drivers.team.residence.run_events import (
    WatchEnding,
    WatchEndingLost,
    WatchLost,
    WatchStarted,
)
from supervisor_ai.drivers.team.state import TeamState, evolve
from supervisor_ai.drivers.team.words import RefusalCode, SentWord

FACTS = {type(fact): fact for fact in team_events.facts()}


class Odd(TeamFact, frozen=True, kw_only=True):
    """A fact that no machine knows."""

    word: ClassVar = "ODD"


@pytest.mark.parametrize(
    "word",
    [
        *(W.CLAIM, W.IN_REVIEW, W.DONE, W.STUCK, W.REVIEW_LOOP, W.IMPOSSIBLE_WAIT, W.APPROVED),
        *(W.CHANGES_REQUESTED, W.ESCALATE_TO_MEDIUM, W.TASK_RELEASED, W.TASK_CANCELLED),
        *(W.STAFFING_DECISION, W.ARBITRATION),
    ],
)
def test_an_event_about_no_task_is_refused(word: SentWord) -> None:
    scene = working()
    lead = {W.TASK_RELEASED, W.TASK_CANCELLED, W.STAFFING_DECISION, W.ARBITRATION}
    reviewer = {W.APPROVED, W.CHANGES_REQUESTED}
    sender = "lead" if word in lead else "rev" if word in reviewer else "ada"
    told = "There is no task '9'; no task is open."
    ruling = scene.send(word, sender, task_id="9", issue="x", owner="ada")
    assert (ruling.code, ruling.reason) == (RefusalCode.NOT_POSSIBLE, told)
    for number in range(30, 0, -1):
        scene.add(f"t{number:02}")
    names = ", ".join(f"t{number:02}" for number in range(1, 21))
    # Who means the current revision and misses only that hears the same.
    rev = 1 if word is W.ARBITRATION else None
    ruling = scene.send(word, sender, task_id="9", rev=rev, issue="x", owner="ada")
    assert ruling.reason == f"There is no task '9'; open tasks: {names}, …."


def test_a_task_that_is_done_is_claimed_no_more() -> None:
    scene = working()
    scene.review("1")
    scene.send(W.APPROVED, "rev", task_id="1")
    scene.send(W.DONE, "ada", task_id="1")
    assert scene.send(W.CLAIM, "bob", task_id="1").code is RefusalCode.NOT_POSSIBLE


def test_a_fact_of_somebody_else_is_no_fact_of_a_team() -> None:
    with pytest.raises(InternalError, match="no fact of a team"):
        evolve(TeamState(), Event())


def test_a_fact_that_no_machine_knows_is_refused() -> None:
    scene = TeamScene()
    with pytest.raises(InternalError, match="No machine"):
        evolve(scene.state, Odd(at=scene.now, actor="x", epoch=0))


def test_a_fact_about_a_task_that_was_never_added_is_refused() -> None:
    with pytest.raises(InternalError, match="never added"):
        evolve(TeamScene().state, FACTS[t.TaskClaimed])


def test_what_is_said_to_who_is_gone_changes_nothing() -> None:
    scene = working()
    gone = changed(FACTS[e.IdleCleared], member="gone", at=scene.now)
    scene.record(gone)
    to = changed(FACTS[e.MemberPinged], member="ada", to=("gone",))
    scene.record(to)
    assert scene.member("ada").said == ()


def test_the_board_of_alerts_is_bounded() -> None:
    scene = working()
    for number in range(199):
        scene.send(W.TOOL_UNAVAILABLE, "ada", tool=f"tool {number}", task_id="1")
    for task in ("1", "2", "3"):
        scene.claim(task, "bob")
        scene.send(W.STUCK, "bob", task_id=task)
    assert len(scene.state.alerts) == 200
    assert "STUCK:3" in scene.state.alerts


def test_what_names_no_team_is_no_definition_of_one() -> None:
    workflow = Workflow(name="x", description="", initial_step=team_events.WATCH, steps={})
    other = Definition(workflow=workflow, roles={}, clis={}, gates={}, limits=Limits())
    with pytest.raises(InternalError, match="nothing about a team"):
        expect_team(other)
    assert permit_of("red") == "team:red"
    pinned = TeamDefinition(**asdict(other), team="red")
    assert expect_team(pinned).team == "red"


def test_a_lost_watch_is_stated_by_its_intent() -> None:
    begun = WatchStarted(step=team_events.WATCH, visit=1, team="red")
    leave = WatchEnding(step=team_events.WATCH, visit=1, team="red")
    assert (type(begun.lost()), type(leave.lost())) == (WatchLost, WatchEndingLost)


def test_a_wait_that_became_impossible_is_taken_from_who_says_so() -> None:
    scene = working()
    scene.review("1")
    gone = shelves.drop(scene.state.members, "rev")
    scene.state = replace(scene.state, members=gone)
    ruling = scene.send(W.IMPOSSIBLE_WAIT, "ada", task_id="1")
    assert (ruling.accepted, scene.words(*ruling.facts)) == (True, ["IMPOSSIBLE_WAIT"])
