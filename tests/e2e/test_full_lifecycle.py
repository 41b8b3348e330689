"""A session from research to review: ten tasks, three checkpoints, members with their tokens."""

import os
from pathlib import Path

from tests.support.desktop import Desktop
from tests.support.lifecycle import OWNERS, SCOPES, SESSION, lifecycle


def test_a_full_lifecycle_goes_through_its_three_checkpoints(tmp_path: Path) -> None:
    desk = Desktop(tmp_path, path=os.environ["PATH"])
    with lifecycle(desk) as session:
        session.play({name: session.scripted(name) for name in set(OWNERS.values())})
    assert session.verdicts == {}
    tasks = {
        it["id"]: it["status"] for it in desk.ask("session", "show", SESSION)["session"]["tasks"]
    }
    assert tasks == dict.fromkeys((*OWNERS, *SCOPES), "completed")
    said = desk.ask("msg", "list", "--session", SESSION, "--from", "supervisor")["messages"]
    print(said)
    assert [it["type"] for it in said] == []
