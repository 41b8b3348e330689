"""Teardown: the machine with its constants, both paths, the safe failure, the supervisor last."""

from datetime import timedelta

import pytest
from tests.unit.drivers.team.scene import TeamScene, W, beat, working

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.decisions.look import look, next_look
from supervisor_ai.drivers.team.decisions.reconcile import (
    FoundEdit,
    Recorded,
    diverge,
    reconcile,
)
from supervisor_ai.drivers.team.decisions.teardown import blockers
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.machines import teardown as rules
from supervisor_ai.drivers.team.machines.liveness import LOOK_EVERY
from supervisor_ai.drivers.team.machines.reconcile import LockStatus
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import RefusalCode

S = TeardownStatus


def ending() -> TeamScene:
    scene = working()
    scene.teardown()
    return scene


def rounds(scene: TeamScene) -> list[str]:
    """Let all rounds pass."""
    words = []
    for _ in range(rules.ACK_RETRY_ROUNDS + 1):
        scene.wait(seconds=61)
        words += scene.words(*scene.look())
    return words


def test_the_constants_are_the_seeds() -> None:
    assert (rules.ACK_RETRY_ROUNDS, rules.ACK_RETRY_TIMEOUT_SEC) == (3, 60)


def test_targets_are_the_roster_and_the_supervisor_is_last() -> None:
    scene = ending()
    assert scene.state.teardown.targets == ("ada", "bob", "rev", "tech")
    assert [fact.word for fact in scene.facts[-3:]] == [
        "TEARDOWN_INIT",
        "SHUTDOWN_REQUESTED",
        "WAITING_ACKS",
    ]
    assert scene.teardown().facts == ()


def test_the_normal_path_needs_every_acknowledgement() -> None:
    scene = ending()
    for who in ("ada", "bob", "rev"):
        assert scene.send(W.SHUTDOWN_ACK, who).accepted
    assert scene.finish() == ()
    scene.send(W.SHUTDOWN_ACK, "tech")
    assert scene.send(W.SHUTDOWN_ACK, "tech").facts == ()
    assert scene.words(*scene.finish()) == ["TEARDOWN_REPORT", "READY_TO_DELETE"]
    assert scene.delete().accepted
    assert scene.state.teardown.status is S.TEAM_DELETED
    assert look(scene.state, scene.now) == ()


def test_who_waits_for_the_leads_word_looks_once_a_minute() -> None:
    scene = ending()
    assert next_look(scene.state, scene.now) == LOOK_EVERY
    scene.wait(seconds=59)
    assert next_look(scene.state, scene.now) < timedelta(seconds=2)
    scene.wait(seconds=2)
    rounds(scene)
    assert scene.state.teardown.candidate_at is not None
    for _ in range(3):
        scene.wait(minutes=10)
        assert scene.look() == ()
        assert next_look(scene.state, scene.now) == LOOK_EVERY


def test_who_waits_for_open_tasks_alone_looks_once_a_minute() -> None:
    scene = working()
    scene.claim("1")
    scene.teardown()
    for who in scene.state.teardown.targets:
        scene.send(W.SHUTDOWN_ACK, who)
    scene.wait(minutes=10)
    assert next_look(scene.state, scene.now) == LOOK_EVERY


def test_a_team_without_members_is_ready_at_once() -> None:
    scene = TeamScene()
    scene.teardown()
    assert scene.words(*scene.finish()) == ["TEARDOWN_REPORT", "READY_TO_DELETE"]


def test_open_tasks_block_both_paths() -> None:
    scene = working()
    scene.claim("1")
    begun = scene.teardown()
    assert begun.reason.endswith("First tasks are not done: 1: let them be done, or cancel them.")
    assert begun.facts[-1].word == "TEARDOWN_BLOCKED"
    for who in ("ada", "bob", "rev", "tech"):
        scene.send(W.SHUTDOWN_ACK, who)
    assert (scene.look(), scene.finish()) == ((), ())
    scene.send(W.TASK_CANCELLED, "lead", task_id="1")
    assert scene.words(*scene.finish())[-1] == "READY_TO_DELETE"


def test_exactly_three_rounds_a_minute_apart_then_the_candidate() -> None:
    scene = ending()
    scene.send(W.SHUTDOWN_ACK, "ada")
    scene.wait(seconds=59)
    assert scene.look() == ()
    assert next_look(scene.state, scene.now) <= timedelta(seconds=2)
    words = rounds(scene)
    assert words == ["RETRYING", "RETRYING", "RETRYING", "FORCED_FINALIZE_CANDIDATE"]
    assert scene.state.alerts["FORCED_FINALIZE_CANDIDATE:"].severity == "CRITICAL"


def test_forced_finalize_only_after_the_rounds_and_explicitly() -> None:
    scene = ending()
    assert scene.send(W.FORCED_FINALIZE_ACK, "lead").code is RefusalCode.NOT_POSSIBLE
    rounds(scene)
    assert scene.finish() == ()
    ruling = scene.send(W.FORCED_FINALIZE_ACK, "lead")
    assert ruling.reason == "ACK_STATUS=FORCED_FINALIZE_APPROVED"
    # Writes are frozen from here on.
    assert scene.add("9").code is RefusalCode.TEARDOWN
    assert scene.look() == ()
    assert scene.words(*scene.finish()) == ["TEARDOWN_REPORT", "READY_TO_DELETE"]
    late = scene.send(W.SHUTDOWN_ACK, "ada")
    assert (late.accepted, late.facts) == (True, ())
    assert beat(scene, "ada").accepted


def test_preconditions_that_fail_after_the_rounds_end_safely() -> None:
    scene = working()
    scene.claim("1")
    scene.teardown()
    assert rounds(scene)[-2:] == ["RETRYING", "TEARDOWN_FAILED_SAFE"]
    assert not scene.delete().accepted
    assert scene.state.teardown.status is S.TEARDOWN_FAILED_SAFE


def test_without_the_leads_word_it_fails_safely() -> None:
    scene = ending()
    rounds(scene)
    scene.send(W.FORCED_FINALIZE_REFUSED, "lead")
    assert "FORCED_FINALIZE_CANDIDATE:" not in scene.state.alerts
    scene = ending()
    rounds(scene)
    scene.wait(minutes=24 * 60)
    assert scene.words(*scene.look()) == ["TEARDOWN_FAILED_SAFE"]
    again = scene.teardown()
    assert (again.accepted, scene.state.teardown.attempt) == (True, 2)


def test_the_lead_may_refuse() -> None:
    scene = ending()
    rounds(scene)
    assert scene.send(W.FORCED_FINALIZE_REFUSED, "lead").event == "TEARDOWN_FAILED_SAFE"
    assert scene.send(W.SHUTDOWN_ACK, "ada").code is RefusalCode.NOT_POSSIBLE


def test_a_task_that_comes_up_before_the_word_fails_it_safely() -> None:
    scene = ending()
    rounds(scene)
    scene.add("1")
    assert scene.send(W.FORCED_FINALIZE_ACK, "lead").event == "TEARDOWN_FAILED_SAFE"


def test_a_locked_state_is_not_torn_down() -> None:
    scene = working()
    scene.join("lead-2", TeamRole.LEAD)
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead-2", epoch=1)
    assert scene.state.lock is LockStatus.LOCKED
    ruling = scene.teardown()
    assert (ruling.accepted, ruling.event) == (False, "TEARDOWN_BLOCKED")


def test_a_lock_during_the_teardown_lets_it_rest_until_the_lead_has_settled_it() -> None:
    scene = working()
    scene.join("lead-2", TeamRole.LEAD)
    scene.teardown()
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead-2", epoch=1)
    assert scene.join("x", TeamRole.CODER).code is RefusalCode.NOT_POSSIBLE
    assert rounds(scene) == []
    assert "not consistent" in blockers(scene.state)[0]
    scene.send(W.ARBITRATION, "lead", owner="supervisor")
    assert rounds(scene)[-1] == "FORCED_FINALIZE_CANDIDATE"


def test_nobody_joins_a_team_that_ends_or_is_locked() -> None:
    assert ending().join("x", TeamRole.CODER).code is RefusalCode.NOT_POSSIBLE
    scene = working()
    scene.join("lead-2", TeamRole.LEAD)
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead-2", epoch=1)
    assert "RECONCILE_LOCK holds" in scene.join("x", TeamRole.CODER).reason
    assert scene.leave("ada").code is RefusalCode.RECONCILE_LOCK


@pytest.mark.parametrize("status", [S.NONE, S.WAITING_ACKS])
def test_a_team_is_deleted_only_when_it_is_ready(status: TeardownStatus) -> None:
    scene = working() if status is S.NONE else ending()
    ruling = scene.delete()
    assert (ruling.accepted, ruling.code) == (False, RefusalCode.TEARDOWN)


def test_a_team_that_is_ready_but_locked_is_settled_first() -> None:
    scene = TeamScene()
    scene.teardown()
    scene.finish()
    turn, edit = TeamTurn(scene.state, scene.now), ArtifactHash("diff")
    found = FoundEdit(found="e", edit=None, diff=edit)
    diverge(turn, found)
    reconcile(turn, found, lambda _: Recorded(before=scene.state, facts=()))
    scene.record(*turn.facts)
    assert scene.delete().code is RefusalCode.RECONCILE_LOCK
    assert scene.send(W.RECONCILE_ACK, "lead").accepted
    assert scene.delete().accepted


def test_an_unanswered_shutdown_never_hangs() -> None:
    scene = ending()
    for _ in range(26 * 60):
        scene.wait(1)
        scene.look()
    assert scene.state.teardown.status is S.TEARDOWN_FAILED_SAFE


def test_silence_is_not_dealt_with_while_the_team_ends() -> None:
    scene = working()
    scene.claim("1")
    scene.teardown()
    scene.wait(50)
    assert "PING" not in scene.words(*scene.look())
