"""A feature that agents plan, a person edits, and the policy of approvals judges."""

from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import Said, User
from tests.e2e.feature_shop import CONFIG, SMALL

AGENT: Final = Path(__file__).with_name("planning_agent.py")
EDITOR: Final = """\
import sys
from pathlib import Path

file = Path(sys.argv[1])
wanted = Path(__file__).with_name("typed.yaml")
file.write_text(wanted.read_text() if wanted.exists() else file.read_text())
"""


@pytest.fixture
def planner(newcomer: User) -> User:
    newcomer.commit(
        {
            ".supervisor/config.yaml": CONFIG,
            ".supervisor/workflows/small.yaml": SMALL,
            "tools/agent.py": AGENT.read_text(),
            "src/README": "A shop.\n",
        }
    )
    return newcomer


def feature(user: User, *words: str) -> Said:
    return user.call("feature", *words)


def kept(user: User, name: str) -> str:
    return (user.repository / ".supervisor/features" / name).read_text()


def test_a_planner_and_a_tech_lead_make_a_plan_and_mend_it_when_it_has_mistakes(
    planner: User,
) -> None:
    planner.commit({"tools/errs.txt": "once\n"})
    said = feature(planner, "plan", "A small shop\n\nWith prices.", "--yes", "--json")
    assert said.code == 0, said.err
    assert said.json["feature"]["id"] == "F1"
    assert [it["title"] for it in said.json["feature"]["phases"]] == ["The core", "The face"]
    assert said.json["feature"]["phases"][1]["components"][0]["depends_on"] == ["F1-PH1-C1"]
    types = planner.types(said.run["id"])
    assert types.count("PlanRefused") == types.count("PlanDrafted") == 1
    text = kept(planner, "F1.yaml")
    assert text.startswith("feature:\n  id: F1\n  title: A small shop\n  description: With prices.")
    assert feature(planner, "load", ".supervisor/features/F1.yaml", "--dry-run").code == 0
    again = feature(planner, "plan", "Another", "--id", "F1", "--yes", "--json")
    assert again.error["kind"] == "conflict"
    shown = feature(planner, "plan", "Another", "--yes")
    assert shown.code == 0, shown.err
    assert "F2: Another" in shown.out
    assert "critical path" in shown.out


def test_a_plan_is_edited_and_nothing_typed_is_lost(planner: User, tmp_path: Path) -> None:
    assert feature(planner, "plan", "A small shop", "--yes").code == 0
    editor = tmp_path / "editor.py"
    editor.write_text(EDITOR)
    before = kept(planner, "F1.yaml")
    words, environment = ("feature", "edit", "F1", "--json"), {"EDITOR": f"python3 {editor}"}
    typed = tmp_path / "typed.yaml"
    typed.write_text(before.replace("core.items", "core.nothing"))
    refused = planner.call(*words, **environment)
    assert refused.error["kind"] == "invalid"
    assert "core.nothing" in refused.error["message"]
    assert "F1.draft" in refused.error["hint"]
    assert kept(planner, "F1.yaml") == before
    typed.unlink()
    again = planner.call(*words, **environment)
    assert again.error["kind"] == "invalid", "the editor was opened on what was typed"
    typed.write_text(before.replace("The page", "A better page"))
    done = planner.call(*words, **environment)
    assert done.code == 0, done.err
    assert done.json["feature"]["phases"][1]["components"][0]["title"] == "A better page"
    assert not (planner.repository / ".supervisor/features/F1.draft").exists()
    typed.write_text(before.replace("id: F1", "id: F2"))
    assert "an id stays" in planner.call(*words, **environment).error["message"]
    (planner.repository / ".supervisor/features/F1.draft").unlink()
    plan, meanwhile = planner.repository / ".supervisor/features/F1.yaml", kept(planner, "F1.yaml")
    editor.write_text(f"{EDITOR}\nPath({str(plan)!r}).write_text({meanwhile + '# theirs'!r})\n")
    typed.write_text(before.replace("The page", "Mine"))
    refused = planner.call(*words, **environment)
    assert refused.error["kind"] == "conflict"
    assert kept(planner, "F1.yaml") == meanwhile + "# theirs"
    assert "Mine" in kept(planner, "F1.draft")


POLICY: Final = """\
approval_gates:
  low_risk:
    conditions: [file_count < 10, no_security_sensitive_files]
    action: auto_approve
  high_risk:
    conditions: [changes_auth_code]
    action: require_approval
"""
RISKY: Final = """\
feature:
  id: P1
  title: Log in
  phases:
    - id: core
      components:
        - {id: items, files: [src/auth/login.py]}
"""


@pytest.mark.parametrize("word", ["approve", "reject"])
def test_a_plan_waits_for_whom_the_policy_wants_by_the_files_that_it_names(
    planner: User, word: str
) -> None:
    builder = Path(__file__).with_name("feature_agent.py").read_text()
    planner.commit(
        {
            ".supervisor/config.yaml": CONFIG + POLICY,
            "tools/agent.py": builder,
            "tools/deeds.json": "{}",
            "plan.yaml": RISKY,
        }
    )
    assert feature(planner, "load", "plan.yaml").code == 0
    asked = feature(planner, "run", "P1", "--yes", "--json")
    assert asked.code == 5, asked.err
    run = asked.run["id"]
    assert not planner.git("branch", "--list", asked.run["branch"])
    listed = planner.call("approvals", "--json").json["approvals"]
    assert [(it["run"], it["reason"]) for it in listed] == [(run, "feature_plan")]
    assert listed[0]["facts"]["changes_auth_code"] is True
    assert listed[0]["evidence"][0]["file"] == "src/auth/login.py"
    said = ("--reason", "Not like this.") if word == "reject" else ()
    assert planner.call(word, run, *said).code == 0
    done = feature(planner, "run", "P1", "--yes", "--json")
    if word == "reject":
        assert "not approved" in planner.call("status", run, "--json").run["outcome"]["reason"]
        assert done.code not in {0, 5}
    else:
        # What a component really changed is judged once more before it lands.
        assert "AssignmentWritten" in planner.types(run)
        assert done.code == 5, done.err
