"""Single-writer ownership: rules 1 to 11 of the seed's hand-off contract, each by its number."""

import pytest
from tests.unit.drivers.team.scene import TeamScene, W, working

from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.roster import MemberJoined
from supervisor_ai.drivers.team.machines.ownership import OwnershipStatus
from supervisor_ai.drivers.team.machines.reconcile import WHITELIST, LockStatus
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import RefusalCode, SentWord


def second_lead(scene: TeamScene, name: str = "lead-2") -> TeamScene:
    stamp = TeamTurn(scene.state, scene.now).by()
    scene.record(MemberJoined(**stamp, member=name, role=TeamRole.LEAD))
    return scene


def test_rule_01_the_lead_bootstraps_and_owns_the_state_first() -> None:
    scene = TeamScene()
    assert scene.state.ownership.status is OwnershipStatus.BOOTSTRAP
    assert scene.state.ownership.shown_owner == "lead"


@pytest.mark.parametrize("epoch", [1, 7])
def test_rule_02_a_hand_off_names_an_epoch_that_only_grows(epoch: int) -> None:
    scene = TeamScene()
    assert scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=epoch).accepted
    again = scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=epoch + 1)
    assert (again.accepted, scene.state.ownership.offered) == (True, epoch + 1)


def test_rule_03_an_older_epoch_is_stale_and_recorded() -> None:
    scene = TeamScene().activate(3)
    ruling = scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=2)
    assert (ruling.accepted, ruling.code) == (False, RefusalCode.STALE_EPOCH)
    assert scene.words(*ruling.facts) == ["EVENT_REFUSED"]


def test_rule_04_ownership_is_active_only_after_the_acknowledgement() -> None:
    scene = TeamScene()
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=1)
    assert not scene.state.ownership.is_active
    ruling = scene.send(W.STATE_OWNERSHIP_ACK, "supervisor", epoch=1)
    assert ruling.accepted
    assert scene.state.ownership.shown_owner == "supervisor@1"


def test_rule_04_an_acknowledgement_twice_changes_nothing() -> None:
    scene = TeamScene().activate()
    ruling = scene.send(W.STATE_OWNERSHIP_ACK, "supervisor", epoch=1)
    assert (ruling.accepted, ruling.facts) == (True, ())


@pytest.mark.parametrize("epoch", [2, 0])
def test_rule_04_what_was_not_handed_over_cannot_be_acknowledged(epoch: int) -> None:
    scene = TeamScene()
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=1)
    assert (
        scene.send(W.STATE_OWNERSHIP_ACK, "supervisor", epoch=epoch).code is RefusalCode.STALE_EPOCH
    )


def test_rule_05_nobody_writes_between_hand_off_and_acknowledgement() -> None:
    scene = working()
    scene.add("1")
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=2)
    ruling = scene.send(W.CLAIM, "ada", task_id="1")
    assert (ruling.accepted, ruling.code, ruling.facts) == (False, RefusalCode.WRITE_LOCK, ())


def test_rule_05_nobody_writes_before_the_first_hand_off() -> None:
    scene = TeamScene()
    assert scene.add("1").code is RefusalCode.HANDOFF_MISSING


def test_rule_06_the_supervisor_alone_writes_after_activation() -> None:
    scene = working()
    assert scene.add("1").accepted
    assert scene.state.ownership.owner == "supervisor"


@pytest.mark.parametrize("word", [W.CLAIM, W.IN_REVIEW, W.DONE, W.APPROVED])
def test_rule_07_the_lead_writes_no_operational_entry(word: SentWord) -> None:
    scene = working()
    scene.review("1")
    ruling = scene.send(word, "lead", task_id="1")
    assert (ruling.accepted, ruling.code) == (False, RefusalCode.WRONG_PRODUCER)


def test_rule_08_events_of_a_stale_epoch_are_ignored() -> None:
    scene = working()
    scene.claim("1")
    scene.activate(2)
    ruling = scene.send(W.IN_REVIEW, "ada", task_id="1", epoch=1)
    assert (ruling.accepted, ruling.code) == (False, RefusalCode.STALE_EPOCH)
    assert scene.words(*ruling.facts) == ["EVENT_REFUSED"]


def test_rule_09_a_duplicate_hand_off_is_a_no_op_that_is_told_once() -> None:
    scene = TeamScene().activate()
    first = scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=1)
    again = scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=1)
    assert (first.accepted, first.event) == (True, "HANDOFF_DUPLICATE")
    assert scene.words(*first.facts) == ["HANDOFF_DUPLICATE"]
    assert (again.event, again.facts) == ("HANDOFF_DUPLICATE", ())
    assert scene.state.ownership.shown_owner == "supervisor@1"


def test_rule_10_a_missing_hand_off_is_told_once_and_the_owner_stays() -> None:
    scene = TeamScene()
    assert scene.look() == ()
    scene.wait(1)
    assert scene.words(*scene.look()) == ["HANDOFF_MISSING"]
    assert scene.look() == ()
    assert scene.state.ownership.shown_owner == "lead"
    assert scene.add("1").code is RefusalCode.HANDOFF_MISSING
    assert scene.activate().state.ownership.is_active
    assert not scene.state.alerts


@pytest.mark.parametrize("is_acknowledged", [True, False])
def test_rule_11_two_leads_in_one_epoch_are_a_split_brain(is_acknowledged: bool) -> None:  # noqa: FBT001 - a case
    scene = second_lead(TeamScene())
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=1)
    if is_acknowledged:
        scene.send(W.STATE_OWNERSHIP_ACK, "supervisor", epoch=1)
    ruling = scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead-2", epoch=1)
    assert (ruling.accepted, ruling.event) == (False, "SPLIT_BRAIN_DETECTED")
    assert scene.words(*ruling.facts) == ["SPLIT_BRAIN_DETECTED", "RECONCILE_LOCK_ENTER"]
    assert scene.state.lock is LockStatus.LOCKED
    assert "--owner lead or --owner lead-2" in ruling.reason
    assert "--owner lead or" in scene.send(W.ARBITRATION, "lead", owner="ada").reason
    assert scene.send(W.ARBITRATION, "lead", owner="lead-2").accepted
    assert (scene.state.lock, scene.state.ownership.shown_owner) == (
        LockStatus.OPEN,
        "supervisor@1",
    )
    again = scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead-2", epoch=1)
    assert again.event == "HANDOFF_DUPLICATE"


def test_rule_11_two_supervisors_in_one_epoch_are_a_split_brain() -> None:
    scene = working()
    stamp = TeamTurn(scene.state, scene.now).by()
    scene.record(MemberJoined(**stamp, member="rival", role=TeamRole.SUPERVISOR))
    ruling = scene.send(W.STATE_OWNERSHIP_ACK, "rival", epoch=1)
    assert ruling.event == "SPLIT_BRAIN_DETECTED"
    assert scene.send(W.RECONCILE_ACK, "lead").code is RefusalCode.NOT_POSSIBLE
    assert scene.send(W.ARBITRATION, "lead", owner="ada").code is RefusalCode.NOT_POSSIBLE
    settled = scene.send(W.ARBITRATION, "lead", owner="supervisor")
    assert settled.accepted
    assert (scene.state.lock, scene.state.ownership.owner) == (LockStatus.OPEN, "supervisor")
    assert scene.send(W.ARBITRATION, "lead", owner="supervisor").code is RefusalCode.NOT_POSSIBLE
    assert scene.add("1").accepted


def test_rule_11_the_whitelist_is_exactly_the_seeds() -> None:
    assert sorted(WHITELIST) == [
        "RECONCILE_CONFLICT",
        "RECONCILE_LOCK_ENTER",
        "RECONCILE_LOCK_EXIT",
        "SNAPSHOT_CONFLICT",
        "SNAPSHOT_NOT_FOUND",
        "STATE_DIVERGENCE",
    ]


@pytest.mark.parametrize("word", sorted(set(W) - {W.ARBITRATION, W.RECONCILE_ACK, W.HEARTBEAT}))
def test_rule_11_everything_else_is_blocked_under_the_lock(word: SentWord) -> None:
    scene = second_lead(working())
    scene.review("1")
    scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead-2", epoch=1)
    people = ("lead", "supervisor", "ada", "rev", "tech")
    whole = {"task_id": "1", "tool": "x", "owner": "ada", "issue": "i", "decision": "skip"}
    rulings = [
        scene.send(word, who, **whole, subject="s", request="Hotfix src/server/auth.ts now")
        for who in people
    ]
    assert not any(it.accepted for it in rulings)
    written = {fact.word for it in rulings for fact in it.facts}
    assert written <= {"EVENT_REFUSED"}
