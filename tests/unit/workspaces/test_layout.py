from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import EffectKey, RunId
from supervisor_ai.workspaces.layout import premises

STATE = Path("/nowhere")


def test_a_path_carries_the_run_the_key_and_the_fence() -> None:
    desk = premises(STATE, RunId("r-1")).desk(EffectKey("r-1/plan/1/1/worker/1"), 7)
    assert str(desk.path).startswith("/nowhere/r-1/work/r-1-plan-1-1-worker-1-")
    assert desk.path.name.endswith(".7")
    assert desk.fence == 7


def test_keys_that_look_alike_have_different_places() -> None:
    place = premises(STATE, RunId("r"))
    keys = ["r/a-b/1", "r/a/b/1", "r/a.b/1", "r/a b/1", "x" * 300, "x" * 301, "../../etc", "é"]
    names = {place.desk(EffectKey(key), 1).path.name for key in keys}
    assert len(names) == len(keys)
    assert all("/" not in name and len(name) < 100 for name in names)


@pytest.mark.parametrize("run", ["", "..", "a/b", ".hidden", "a b", "-x", "r" * 101, "a.waste"])
def test_a_run_whose_name_is_no_directory_is_refused(run: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be a directory's"):
        premises(STATE, RunId(run))
