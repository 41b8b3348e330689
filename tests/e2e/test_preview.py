"""Everything that a run would start is shown before it does."""

from tests.e2e.command import CONFIG, User

MORE = """\
  spare:
    adapter: command
    command: [spare, --quick]
gates:"""
ROLES = """\
fallback: [spare]
roles:
  planner:
    cli: spare
    mcp_servers:
      notes: {command: [notes, my file]}
      pages: {url: "http://127.0.0.1:80/mcp"}
"""


def test_stand_ins_and_servers_are_shown(user: User) -> None:
    user.commit({".supervisor/config.yaml": CONFIG.replace("gates:", MORE) + ROLES})
    shown = user.call("run", "Do it", "--dry-run").out.splitlines()
    assert [line for line in shown if line.split()[0] in {"agent", "server"}] == [
        "  agent     spare (spare --quick) as planner, in place of others as implementer, reviewer",
        "  agent     my_agent (python3 tools/agent.py) as implementer, reviewer",
        "  server    notes (notes 'my file') for planner",
        "  server    pages (http://127.0.0.1:80/mcp) for planner",
    ]


def test_a_preview_says_what_the_run_will_not_see(user: User) -> None:
    (user.repository / "new.txt").write_text("not committed\n")

    shown = user.call("run", "Do it", "--dry-run")

    assert "your checkout has changes that no commit holds" in shown.err
    assert "auto, the first that holds here of bubblewrap" in shown.out
