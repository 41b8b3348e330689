"""A role's file can stand alone or add to another."""

from supervisor_ai.drivers.checkpoint.checks.catalogue import spec_of
from supervisor_ai.drivers.checkpoint.protocol.replies import MessageTypes
from supervisor_ai.drivers.checkpoint.spec import CheckpointSpec, RoleSpec

FIRST, SECOND = "CHECKPOINT-001", "CHECKPOINT-002"
BASE = RoleSpec(
    checkpoints={FIRST: CheckpointSpec(task=FIRST, title="One", checks=(spec_of("goals_mapped"),))},
    every=(spec_of("role_errors"),),
)


def test_a_checkpoint_has_its_checks_and_those_of_every_checkpoint() -> None:
    assert [it.id for it in BASE.checks_of(FIRST) or ()] == ["goals_mapped", "role_errors"]
    assert BASE.checks_of(SECOND) is None


def test_checks_are_added_to_checkpoints_that_are_there() -> None:
    more = RoleSpec(
        message_types=MessageTypes(error="trouble"),
        checkpoints={
            FIRST: CheckpointSpec(task=FIRST, title="Uno", checks=(spec_of("terminology"),)),
            SECOND: CheckpointSpec(task=SECOND, title="Two", checks=(spec_of("plan_graph"),)),
        },
        every=(spec_of("duplicate_spawns"),),
    )
    both = BASE.plus(more)
    every = ["role_errors", "duplicate_spawns"]
    assert [it.id for it in both.checks_of(FIRST) or ()] == ["goals_mapped", "terminology", *every]
    assert [it.id for it in both.checks_of(SECOND) or ()] == ["plan_graph", *every]
    assert both.checkpoints[FIRST].title == "Uno"
    assert both.message_types.error == "trouble"
