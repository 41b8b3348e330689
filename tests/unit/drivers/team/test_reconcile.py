"""Reconcile: the eleven steps in their order, each check, and every way out of the lock."""

from datetime import timedelta

import pytest
from tests.unit.drivers.team.scene import TeamScene, W, working

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.decisions.reconcile import (
    CHECKS,
    Claim,
    FoundEdit,
    Recorded,
    canonical_order,
    diverge,
    examine,
    reconcile,
    rollback_point,
)
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import reconcile as r
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.machines.reconcile import LockStatus
from supervisor_ai.drivers.team.state import TeamState, evolve
from supervisor_ai.drivers.team.words import RefusalCode

EDIT = FoundEdit(found="e" * 64, edit=ArtifactHash("edit"), diff=ArtifactHash("diff"))


def snapshot(scene: TeamScene, **more: object) -> TeamScene:
    fields: dict[str, object] = {
        "replay_index": scene.state.index,
        "snapshot_hash": "a" * 64,
        "page": ArtifactHash("page"),
        "file": "f" * 64,
    }
    stamp = TeamTurn(scene.state, scene.now).by()
    scene.record(r.SnapshotTaken(**stamp, **{**fields, **more}))  # type: ignore[arg-type]
    return scene


def recorded(scene: TeamScene, index: int) -> Recorded:
    before = TeamState()
    for fact in scene.facts[:index]:
        before = evolve(before, fact)
    return Recorded(before=before, facts=tuple(scene.facts[index:]))


def put_right(scene: TeamScene, edit: FoundEdit = EDIT) -> list[str]:
    turn = TeamTurn(scene.state, scene.now)
    diverge(turn, edit)
    reconcile(turn, edit, lambda index: recorded(scene, index))
    return scene.words(*scene.record(*turn.facts))


def test_step_01_to_03_a_difference_is_recorded_and_the_state_is_locked() -> None:
    scene = working()
    turn = TeamTurn(scene.state, scene.now)
    diverge(turn, EDIT)
    assert scene.words(*turn.facts) == ["STATE_DIVERGENCE", "RECONCILE_LOCK_ENTER"]
    scene.record(*turn.facts)
    assert scene.add("1").code is RefusalCode.RECONCILE_LOCK


def test_step_04_the_rollback_point_is_the_one_newest_snapshot_with_an_owner() -> None:
    scene = snapshot(working())
    scene.add("1")
    snapshot(scene, snapshot_hash="b" * 64)
    point = rollback_point(scene.state.reconcile, None)
    assert getattr(point, "snapshot_hash", None) == "b" * 64


def test_step_04_two_snapshots_at_one_place_freeze_the_state() -> None:
    scene = snapshot(working())
    claim = Claim(epoch=1, replay_index=scene.state.index - 1, snapshot_hash="0" * 64)
    words = put_right(scene, replace(EDIT, claim=claim))
    assert words[-1] == "SNAPSHOT_CONFLICT"
    assert scene.state.lock is LockStatus.FROZEN
    assert scene.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=2).code is RefusalCode.STATE_FROZEN
    assert scene.send(W.RECONCILE_ACK, "lead").reason == "lead_resolved"


def test_step_05_no_snapshot_freezes_the_state() -> None:
    scene = working()
    assert put_right(scene)[-1] == "SNAPSHOT_NOT_FOUND"
    assert scene.state.lock is LockStatus.FROZEN


def test_step_05_a_snapshot_without_an_owner_does_not_count() -> None:
    scene = snapshot(TeamScene())
    scene.activate()
    assert put_right(scene)[-1] == "SNAPSHOT_NOT_FOUND"


def test_step_06_the_checks_are_made_in_the_seeds_order() -> None:
    assert list(CHECKS) == [
        "owner_epoch",
        "monotonic_sequence",
        "idempotency_keys",
        "task_rev_conflicts",
        "canonical_replay",
    ]


def claimed(scene: TeamScene, who: str, *, seconds: int, rev: int = 1, epoch: int = 1) -> TeamFact:
    at = scene.now + timedelta(seconds=seconds)
    return t.TaskClaimed(at=at, actor=who, epoch=epoch, task="1", rev=rev)


@pytest.mark.parametrize(
    ("check", "facts"),
    [
        ("owner_epoch", [("ada", 1, 1, 7)]),
        ("monotonic_sequence", [("ada", 2, 1, 1), ("bob", 1, 2, 1)]),
        ("idempotency_keys", [("ada", 1, 1, 1), ("ada", 2, 1, 1)]),
        ("task_rev_conflicts", [("ada", 1, 1, 1), ("bob", 2, 1, 1)]),
    ],
)
def test_step_06_each_check_finds_its_own(
    check: str, facts: list[tuple[str, int, int, int]]
) -> None:
    scene = working()
    made = tuple(
        claimed(scene, who, seconds=seconds, rev=rev, epoch=epoch)
        for who, seconds, rev, epoch in facts
    )
    before = scene.state
    if check == "owner_epoch":
        scene.add("1")
        before = scene.state
    found = CHECKS[check](Recorded(before=before, facts=made))
    assert found == (before.index + len(made),)


def test_step_06_what_the_ledger_holds_passes_every_check() -> None:
    scene = working()
    scene.claim("1", "ada", "a.py")
    scene.claim("2", "bob", "a.py")
    scene.send(W.ARBITRATION, "lead", task_id="1", owner="ada")
    for index in range(1, len(scene.facts)):
        assert examine(recorded(scene, index)) is None


def test_step_07_the_canonical_order_is_time_then_type_then_actor() -> None:
    scene = working()
    late = claimed(scene, "ada", seconds=2)
    first, second = claimed(scene, "ada", seconds=1), claimed(scene, "bob", seconds=1)
    stuck = t.TaskStuck(at=first.at, actor="ada", epoch=1, task="1", rev=1, attempt=1)
    assert canonical_order([late, stuck, second, first]) == [first, second, stuck, late]


def test_step_07_an_order_that_is_not_the_ledgers_is_a_divergence() -> None:
    scene = working()
    same = tuple(claimed(scene, who, seconds=1) for who in ("bob", "ada"))
    assert CHECKS["canonical_replay"](Recorded(before=scene.state, facts=same)) != ()


def test_step_08_and_09_the_trail_is_kept_and_the_lead_agrees_to_work_that_is_touched() -> None:
    scene = snapshot(working())
    scene.claim("1")
    words = put_right(scene, replace(EDIT, tasks=("1",)))
    assert words == ["STATE_DIVERGENCE", "RECONCILE_LOCK_ENTER", "ROLLBACK_TRAIL"]
    plan = scene.state.reconcile.plan
    assert plan is not None
    assert (plan.epoch, plan.tasks, plan.needs_ack) == (1, ("1",), True)
    assert plan.checks == tuple(CHECKS)
    assert scene.send(W.RECONCILE_ACK, "lead").reason == "lead_ack"


def test_step_10_facts_that_contradict_freeze_the_state() -> None:
    scene = snapshot(working())
    scene.claim("1")
    forged = claimed(scene, "ada", seconds=0, epoch=9)
    turn = TeamTurn(scene.state, scene.now)
    diverge(turn, EDIT)
    reconcile(turn, EDIT, lambda _: Recorded(before=scene.state, facts=(forged,)))
    scene.record(*turn.facts)
    assert scene.words(*turn.facts)[-1] == "RECONCILE_CONFLICT"
    assert scene.state.lock is LockStatus.FROZEN


def test_step_11_without_an_effect_on_work_it_goes_on_at_once() -> None:
    scene = snapshot(working())
    assert put_right(scene)[-2:] == ["ROLLBACK_TRAIL", "RECONCILE_LOCK_EXIT"]
    assert scene.state.reconcile.settled == EDIT.found
    assert scene.send(W.RECONCILE_ACK, "lead").code is RefusalCode.NOT_POSSIBLE


def test_the_same_edit_is_recorded_once_and_another_one_as_well() -> None:
    scene = snapshot(working())
    scene.claim("1")
    put_right(scene, replace(EDIT, tasks=("1",)))
    assert put_right(scene, replace(EDIT, tasks=("1",))) == []
    assert put_right(scene, replace(EDIT, found="9" * 64)) == ["STATE_DIVERGENCE"]
    assert scene.state.lock is LockStatus.AWAITING_ACK


def test_a_lock_that_is_still_looked_into_waits() -> None:
    scene = working()
    turn = TeamTurn(scene.state, scene.now)
    diverge(turn, EDIT)
    scene.record(*turn.facts)
    assert scene.send(W.RECONCILE_ACK, "lead").code is RefusalCode.NOT_POSSIBLE
