"""A small shop that is built as a feature, for tests of the command line."""

from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import Said, User

AGENT: Final = Path(__file__).with_name("feature_agent.py")
CONFIG: Final = """\
cli: my_agent
workflow: small
clis:
  my_agent: {adapter: command, command: [python3, tools/agent.py]}
gates:
  test: {command: [sh, -c, "! grep --recursive --quiet broken src"]}
baseline: note
limits: {step_max_retries: 0}
"""
SMALL: Final = """\
name: small
description: Implement, test and commit
initial_step: implement
steps:
  implement:
    role: implementer
    next: test
  test:
    type: orchestrator_gate
    gate: test
    next: commit
    on_fail: implement
  commit:
    type: commit
    terminal: true
"""
PLAN: Final = """\
feature:
  id: P1
  title: A small shop
  phases:
    - id: core
      interfaces:
        - {name: Item, type: python_stub, definition: "class Item: ..."}
      components:
        - {id: items, files: [src/items.py, src/list.py]}
        - {id: prices, files: [src/prices.py]}
    - id: face
      components:
        - {id: page, files: [src/page.py], depends_on: [core.items]}
"""


@pytest.fixture
def shop(newcomer: User) -> User:
    newcomer.commit(
        {
            ".supervisor/config.yaml": CONFIG,
            ".supervisor/workflows/small.yaml": SMALL,
            "tools/agent.py": AGENT.read_text(),
            "tools/deeds.json": "{}",
            "src/README": "A shop.\n",
            "plan.yaml": PLAN,
        }
    )
    return newcomer


def feature(user: User, *words: str) -> Said:
    return user.call("feature", *words)


def statuses(said: Said) -> dict[str, str]:
    phases = said.json["feature"]["phases"]
    return {it["name"]: it["status"] for phase in phases for it in phase["components"]}
