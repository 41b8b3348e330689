"""A user with two repositories, and a feature that goes over both of them."""

import subprocess
from pathlib import Path
from typing import Final

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
PROJECTS: Final = """\
projects:
  - name: shared-types
    path: ../types
    publishes: [dist/]
  - name: web
    path: ./packages/web
    receives: vendor
cross_project_dependencies:
  web: {depends_on: [shared-types]}
"""
PLAN: Final = """\
feature:
  id: P1
  title: Prices in the shop
  phases:
    - id: all
      components:
        - {id: page, project: web, files: [page.py]}
        - {id: prices, project: shared-types, files: [dist/prices.d.ts]}
"""


class Shop:
    """A user with two repositories."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.types = user.repository.parent / "types"
        self.types.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")
        (self.types / "README").write_text("Types.\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "first")
        user.commit(
            {
                ".supervisor/config.yaml": CONFIG + PROJECTS,
                ".supervisor/workflows/small.yaml": SMALL,
                "tools/agent.py": AGENT.read_text(),
                "tools/deeds.json": "{}",
                "src/README": "A shop.\n",
                "packages/web/README": "The web.\n",
                "plan.yaml": PLAN,
            }
        )

    def git(self, *words: str) -> str:
        """Run git in the other repository."""
        place, environment = self.types, self.user.environment
        done = subprocess.run(
            ["git", *words], cwd=place, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def feature(self, *words: str) -> Said:
        """Call a verb of features."""
        return self.user.call("feature", *words)

    def built(self) -> "Shop":
        """Build the feature."""
        assert self.feature("load", "plan.yaml").code == 0
        done = self.feature("run", "P1", "--yes", "--json")
        assert done.code == 0, done.err
        return self

    def tips(self) -> tuple[str, str]:
        """Tell where both main branches stand."""
        return self.user.git("rev-parse", "main"), self.git("rev-parse", "main")
