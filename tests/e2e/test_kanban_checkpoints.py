"""A kanban in a session, with a checkpoint behind its work: members, a block, an override."""

from tests.e2e.command import User
from tests.e2e.kanban_project import CONFIG, FILE, furnish, kanban_files
from tests.e2e.session_of import open_own

from supervisor_ai.domain.session.events import MemberAdded

WORKFLOW = """\
steps:
  implement: {role: implementer, next: supervise}
  supervise:
    type: checkpoint
    options:
      checks: [{contains_heading: {path: record/task.md, heading: Poems}, id: poems}]
    on_reject: implement
    next: commit
  commit: {type: commit}
"""


def test_a_kanban_takes_part_in_a_session_and_stops_at_a_checkpoint(user: User) -> None:
    furnish(user, kanban_files({"build": "Implementor"}))
    config = CONFIG.replace("  gates: [test]\n", "") + "workflow: watched\n"
    user.commit({".supervisor/config.yaml": config, ".supervisor/workflows/watched.yaml": WORKFLOW})
    session = open_own(user)
    said = user.call("kanban", "run", FILE, "--session", "S1", "--yes", "--json")
    assert (said.code, said.run["status"]) == (5, "waiting"), said.out + said.err
    run = said.run["id"]
    joined = [it.member for it in session.facts() if isinstance(it, MemberAdded)]
    assert joined == [f"implementor-1.{run}"]
    [written] = [it["payload"] for it in user.events(run) if it["type"] == "ReportWritten"]
    assert (written["verdict"], written["step"]) == ("block", "supervise")
    bare = user.call("approve", run, "--json")
    assert (bare.code, bare.error["kind"]) == (2, "invalid")
    assert user.call("approve", run, "--note", "Poems come later.", "--json").code == 0
    done = user.call("resume", run, "--json")
    assert (done.code, done.run["status"]) == (0, "completed"), done.out + done.err


def test_a_kanban_without_supervision_has_no_checkpoint(user: User) -> None:
    furnish(user, kanban_files({"build": "Implementor"}))
    config = CONFIG.replace("  gates: [test]\n", "") + "workflow: watched\nsupervision: false\n"
    user.commit({".supervisor/config.yaml": config, ".supervisor/workflows/watched.yaml": WORKFLOW})
    said = user.call("kanban", "run", FILE, "--yes", "--json")
    assert (said.code, said.run["status"]) == (0, "completed"), said.out + said.err
    assert "ReportWritten" not in user.types(said.run["id"])
