"""A world in which nobody watches over workers."""

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import RunId, StreamId
from supervisor_ai.engine.ports.oversight import NoOversight, OverseenWorker, WorkerActivity

RED = StreamId("team:red")
WORKER = OverseenWorker(overseer=RED, run=RunId("r1"), role="do", slot=1, attempt=1)


def test_nobody_is_watched_over_where_nobody_can() -> None:
    nobody = NoOversight()
    with pytest.raises(InvalidInput, match="team:red"):
        nobody.require(RED, ())
    with pytest.raises(InvalidInput, match="from here"):
        nobody.hold(WORKER)
    with pytest.raises(InvalidInput, match="from here"):
        nobody.hold_landing(RED, RunId("r1"))


def test_what_is_told_to_nobody_is_lost() -> None:
    nobody = NoOversight()
    nobody.follow(RED, RunId("r1"))
    nobody.saw(WORKER, WorkerActivity(output=1, cpu=None, files={}))
    assert vars(nobody) == {}
