"""The rules of a kanban's agents for an ordinary user, tried from a root shell."""

import os
import shutil
from pathlib import Path
from typing import Final

import pytest
from tests.attacks import kanban_writes
from tests.attacks.kanban_rights import ALLOWED, NESTED
from tests.attacks.kanban_writes import ALL, NEVER
from tests.integration.ordinary_user import run_as_nobody

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the other tests already run like this")

ORDINARY: Final = """
import os, sys
from pathlib import Path
from kanban_writes import Board, WorkspacePlan, rules
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox

assert os.geteuid() != 0
for role in ('manager', 'architect', 'implementor', ''):
    place = Path(os.environ['HOME'], role or 'none')
    place.mkdir()
    board = Board(place, sys.argv[1])
    writable = rules(role, sys.argv[1]) if role else None
    workspace = board.open(WorkspacePlan(writable=writable))
    sandbox = BubblewrapSandbox(state=place / 'state', environment=os.environ)
    print('\\t'.join(sorted(board.attempt(sandbox, workspace))))
    changed = board.changed(workspace)
    assert all(writable is None or writable.allows(path) for path in changed), changed
"""


def test_rules_hold_for_an_ordinary_user(home: Path, interpreter: str) -> None:
    shutil.copy(kanban_writes.__file__, home / "src")
    ended = run_as_nobody(interpreter, "-c", ORDINARY, NESTED, home=home)
    assert ended.returncode == 0, ended.stderr
    found = [set(line.split("\t")) for line in ended.stdout.splitlines()]
    assert found == [*ALLOWED.values(), ALL.keys() - NEVER.keys()]
