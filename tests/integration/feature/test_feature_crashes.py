"""A feature's owner dies at every point of the queue: no merge is lost, none happens twice."""

from functools import cache

import pytest
from msgspec import Struct
from tests.support.feature_scene import NEVER, FeatureScene
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.model import Interface, InterfaceKind

SHARDS = 8
ONE, TWO = cid(1, 1), cid(1, 2)
_INTERFACE = Interface(name="User", kind=InterfaceKind.PYTHON, definition="class User: ...")
_BARE = feature([component(1, 1), component(1, 2)], [component(2, 1)])
PLAN = replace(_BARE, phases=(replace(_BARE.phases[0], interfaces=(_INTERFACE,)), _BARE.phases[1]))
DEEDS = {ONE: [{"shared": "one"}], TWO: [{"shared": "two"}, {"b": "red"}, {"b": "fine"}]}
"""The second one conflicts first, is red then, and fits at last."""


class Ending(Struct, frozen=True, kw_only=True):
    """What is left; nothing in it may depend on who died."""

    status: RunStatus
    files: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    commits: int
    statuses: tuple[tuple[str, str], ...]


def tell(dies_at: int, *, is_late: bool) -> tuple[Ending, FeatureScene]:
    scene = FeatureScene(PLAN, DEEDS, speculation=2, dies_at=dies_at, is_late=is_late)
    scene.go()
    scene.check()
    landed = scene.kernel.events(scene.run, e.IntegrationLanded)
    ending = Ending(
        status=scene.kernel.status(scene.run),
        files=tuple(sorted(scene.files().items())),
        steps=tuple(sorted(it.step for it in landed)),
        commits=len(scene.branch()),
        statuses=tuple(scene.statuses().items()),
    )
    return ending, scene


@cache
def untroubled() -> tuple[Ending, int]:
    ending, scene = tell(NEVER, is_late=False)
    return ending, scene.log.writes


def test_the_story_is_whole() -> None:
    ending, writes = untroubled()
    assert ending.status is RunStatus.COMPLETED
    assert ending.commits == 4
    assert dict(ending.files)["b"] == "fine"
    assert writes > 50


def _die(dies_at: int, *, is_late: bool) -> None:
    ending, _ = tell(dies_at, is_late=is_late)
    assert ending == untroubled()[0], (dies_at, is_late)


@pytest.mark.parametrize("is_late", [False, True])
def test_a_death_at_any_of_some_writes_changes_nothing(*, is_late: bool) -> None:
    for dies_at in range(3 if is_late else 1, untroubled()[1] + 1, 9):
        _die(dies_at, is_late=is_late)


@pytest.mark.long
@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_death_at_every_write_changes_nothing(shard: int) -> None:
    for dies_at in range(1 + shard, untroubled()[1] + 1, SHARDS):
        _die(dies_at, is_late=False)
        _die(dies_at, is_late=True)
