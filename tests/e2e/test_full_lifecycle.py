"""A session from research to review: ten tasks, three checkpoints, members with their tokens."""

import os
from pathlib import Path

import pytest
from tests.support.desktop import Desktop
from tests.support.lifecycle import OWNERS, lifecycle, require_whole


@pytest.mark.long
def test_a_full_lifecycle_goes_through_its_three_checkpoints(tmp_path: Path) -> None:
    desk = Desktop(tmp_path, path=os.environ["PATH"])
    with lifecycle(desk) as session:
        session.play({name: session.scripted(name) for name in set(OWNERS.values())})
    require_whole(desk, session)
