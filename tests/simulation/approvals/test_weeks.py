"""Weeks of waiting: whoever dies in whichever state, the next one finds the same."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.simulation.approvals.oracle import broken_rules
from tests.simulation.approvals.planted import PLANTED
from tests.simulation.approvals.weeks import DIARY, Shot, Weeks
from tests.support.kernel import Kernel

from supervisor_ai.domain.run.status import RunStatus

SHARDS = 4


def in_memory(build: Callable[..., object]) -> Kernel:
    return Kernel(None, build)  # type: ignore[arg-type]


@cache
def quiet_weeks() -> Weeks:
    return Weeks(in_memory)


def first_of_each_kind() -> Iterator[Shot]:
    """Take one of all the deeds that are called the same."""
    known: set[str] = set()
    for shot in quiet_weeks().deeds:
        if shot.deed not in known:
            known.add(shot.deed)
            yield shot


def test_the_diary_waits_for_all_that_there_is_to_wait_for() -> None:
    weeks = quiet_weeks()
    asked = {picture["asked"] and picture["asked"][2] for picture in weeks.pictures.values()}
    assert {"risk", "completion", "human_gate"} <= asked
    assert {"NotificationFailed", "NotificationDelivered", "ApprovalLapsed"} <= set(weeks.story())
    assert any(picture["votes"] for picture in weeks.pictures.values())
    timers = {name for picture in weeks.pictures.values() for name in picture["timers"]}
    assert {name.partition("/")[0] for name in timers} == {"notice", "objections"}
    assert weeks.pictures[list(DIARY)[-1]]["status"] is RunStatus.COMPLETED
    assert weeks.pictures[list(DIARY)[-1]]["landed"] == 2
    assert not broken_rules(weeks.desk)


def test_whoever_dies_while_nothing_happens_is_not_missed() -> None:
    check(Weeks(in_memory, dies_daily=True), "every night")


def test_whoever_dies_on_the_real_ledger_is_not_missed(tmp_path: Path) -> None:
    opened: list[Kernel] = []

    def on_disk(build: Callable[..., object]) -> Kernel:
        opened.append(Kernel(tmp_path, build))  # type: ignore[arg-type]
        return opened[-1]

    check(Weeks(on_disk, dies_daily=True), "every night")
    opened[0].close()


def test_a_death_that_is_missed_is_noticed() -> None:
    """Take a message of which nobody knows whether it was told for one that was."""
    shot = next(it for it in quiet_weeks().deeds if it.deed == "after deliver")
    deaf = PLANTED["a message that nobody got"].parts
    with pytest.raises(AssertionError):
        check(Weeks(in_memory, shot, parts=deaf), shot)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_whoever_dies_at_a_deed_is_not_missed(shard: int) -> None:
    for shot in list(first_of_each_kind())[shard::SHARDS]:
        check(Weeks(in_memory, shot), shot)


@pytest.mark.long
@pytest.mark.parametrize("shard", range(SHARDS))
def test_whoever_dies_at_any_deed_of_any_day_is_not_missed(shard: int) -> None:
    for shot in list(dict.fromkeys(quiet_weeks().deeds))[shard::SHARDS]:
        check(Weeks(in_memory, shot), shot)


def check(weeks: Weeks, where: object) -> None:
    for day, picture in quiet_weeks().pictures.items():
        assert weeks.pictures[day] == picture, (where, day)
    assert weeks.story() == quiet_weeks().story(), where
    assert not broken_rules(weeks.desk), where
    assert isinstance(where, str) or weeks.desk.crashes == 1, where
