"""Supervisors beside workflows: they count commits over runs, and their wishes reach planners."""

from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import Json, User, make_user
from tests.e2e.feature_shop import AGENT as BUILDER
from tests.e2e.feature_shop import CONFIG as OF_FEATURES
from tests.e2e.feature_shop import PLAN, SMALL
from tests.e2e.kanban_project import CONFIG as OF_KANBANS
from tests.e2e.kanban_project import FILE, furnish, kanban_files
from tests.support.preloaded import Preloaded

from supervisor_ai.domain.structs import replace

AGENT: Final = Path(__file__).with_name("attached_agent.py")
CONFIG: Final = """\
cli: my_agent
clis:
  my_agent: {adapter: command, command: [python3, tools/agent.py]}
workflow: small
quality:
  attach: [workflow]
  supervisors:
    code_style: {every: 1}
    internaliser: {enabled: false}
    design: {enabled: false}
    api_docs: {every: 2, owns: [api]}
"""
WORKFLOW: Final = """\
name: small
description: Plan, implement, commit
initial_step: plan
steps:
  plan: {role: planner, next: build}
  build: {role: implementer, next: commit}
  commit: {type: commit, terminal: true}
"""
OWN: Final = """\
name: api_docs
description: Describes the API
answer: design_findings
template: design_review.j2
cli: my_agent
writes: true
"""
BOTH: Final = """\
import os, pathlib, runpy

is_supervisor = os.environ["SUPERVISOR_ROLE"] == "code_style_supervisor"
name = "supervisor.py" if is_supervisor else "worker.py"
runpy.run_path(str(pathlib.Path(__file__).with_name(name)), run_name="__main__")
"""


@pytest.fixture(scope="module")
def worked(
    tmp_path_factory: pytest.TempPathFactory, state: Path, preloaded: Preloaded
) -> tuple[User, list[Json]]:
    """Do three tasks one after the other, each from where the one before it ended."""
    user = replace(make_user(tmp_path_factory.mktemp("attached"), state), preloaded=preloaded)
    user.commit(
        {
            ".supervisor/config.yaml": CONFIG,
            ".supervisor/workflows/small.yaml": WORKFLOW,
            ".supervisor/roles/api_docs.yaml": OWN,
            "tools/agent.py": AGENT.read_text(),
            "app.txt": "",
        }
    )
    runs: list[Json] = []
    for task in ("First", "Second", "Third"):
        base = ("--base", runs[-1]["branch"]) if runs else ()
        said = user.call("run", f"{task} line", "--yes", "--json", *base)
        assert said.code == 0, said.out + said.err
        runs.append(said.json["run"])
    return user, runs


def facts(user: User, run: Json, kind: str) -> list[Json]:
    return [it["payload"] for it in user.events(run["id"]) if it["type"] == kind]


def test_each_supervisor_counts_the_commits_of_all_runs(worked: tuple[User, list[Json]]) -> None:
    user, runs = worked
    looks = [
        [(it["supervisor"], it["outcome"]) for it in facts(user, run, "SupervisorRan")]
        for run in runs
    ]
    assert looks == [
        [("code_style", "bootstrapped")],
        [("code_style", "reviewed"), ("api_docs", "bootstrapped")],
        [("code_style", "reviewed")],
    ]


def test_what_they_write_are_commits_of_their_own_on_the_branch(
    worked: tuple[User, list[Json]],
) -> None:
    user, runs = worked
    subjects = user.git("log", "--format=%s", f"main..{runs[-1]['branch']}").splitlines()
    assert [it for it in subjects if it.startswith("knowledge: ")] == [
        "knowledge: Api Docs Supervisor after 2 commits",
        "knowledge: Code Style Supervisor after 1 commit",
    ]
    files = user.git("ls-tree", "-r", "--name-only", runs[-1]["branch"], "docs/").splitlines()
    assert files == [
        "docs/knowledge/_index.md",
        "docs/knowledge/api/lines.md",
        "docs/knowledge/conventions/lines.md",
    ]


def test_a_write_in_the_folder_of_another_is_refused_and_on_record(
    worked: tuple[User, list[Json]],
) -> None:
    user, runs = worked
    refused = facts(user, runs[1], "WriteRefused")
    assert refused
    assert all(path.startswith("docs/knowledge/design") for it in refused for path in it["paths"])


def test_a_wish_reaches_the_next_planner_whose_answer_settles_it(
    worked: tuple[User, list[Json]],
) -> None:
    user, runs = worked
    (stock,) = facts(user, runs[2], "StockTaken")
    assert [(it["number"], it["response"]) for it in stock["answers"]] == [(1, "addressed")]
    logs = user.call("logs", runs[2]["id"], "--step", "plan").out
    assert "## ACTIVE DIRECTIVES" in logs
    assert "Number the lines" in logs
    assert user.call("ledger", "verify").code == 0


def test_they_look_after_each_task_of_a_kanban(newcomer: User) -> None:
    tasks = {"first": "Architect", "second": "Implementor"}
    furnish(newcomer, kanban_files(tasks), first=["well", "reply"])
    attached = "quality: {attach: [kanban], supervisors: {code_style: {every: 1}}}\n"
    newcomer.commit(
        {
            ".supervisor/config.yaml": OF_KANBANS + attached,
            "tools/worker.py": (newcomer.repository / "tools/agent.py").read_text(),
            "tools/supervisor.py": AGENT.read_text(),
            "tools/agent.py": BOTH,
        }
    )
    wish = ("directives", "--add", "Say why", "--why", "Nobody knows", "--file", "app/README")
    assert newcomer.call(*wish, "--dry-run").code == 0
    assert newcomer.call("directives", "--json").json == {"pending_directives": []}
    for _ in range(2):
        assert newcomer.call(*wish).code == 0
    assert newcomer.call("directives", "--drop", "2").code == 0
    assert newcomer.call("directives", "--drop", "2").code == 3
    (shown,) = newcomer.call("directives", "--json").json["pending_directives"]
    assert shown == {
        "number": 1,
        "type": "functional",
        "source": "person",
        "description": "Say why",
        "rationale": "Nobody knows",
        "priority": "normal",
        "files": ["app/README"],
        "age": 0,
        "status": "pending",
    }
    said = newcomer.call("kanban", "run", FILE, "--yes", "--json")
    assert said.code == 0, said.out + said.err
    (failed,) = facts(newcomer, said.run, "AttemptFailed")
    assert failed["reason"].startswith("Directive 1 is not answered")
    (answered,) = facts(newcomer, said.run, "DirectivesAnswered")
    assert (answered["step"], answered["answers"][0]["response"]) == ("architect", "explained")
    left = newcomer.call("directives", "--json").json["pending_directives"]
    assert [(it["number"], it["source"]) for it in left] == [(3, "code_style")]
    looks = facts(newcomer, said.run, "SupervisorRan")
    assert [it["supervisor"] for it in looks] == ["code_style"] * 2
    subjects = newcomer.git("log", "--format=%s", f"main..{said.run['branch']}").splitlines()
    assert subjects.count("knowledge: Code Style Supervisor after 1 commit") == 1
    index = newcomer.git("show", f"{said.run['branch']}:docs/knowledge/_index.md")
    assert "conventions/lines.md" in index


def test_they_look_at_what_a_feature_has_merged(newcomer: User) -> None:
    quality = "quality: {attach: [feature], supervisors: {code_style: {every: 2}}}\n"
    newcomer.commit(
        {
            ".supervisor/config.yaml": OF_FEATURES + quality,
            ".supervisor/workflows/small.yaml": SMALL,
            "tools/worker.py": BUILDER.read_text(),
            "tools/deeds.json": "{}",
            "tools/supervisor.py": AGENT.read_text(),
            "tools/agent.py": BOTH,
            "src/README": "A shop.\n",
        }
    )
    (newcomer.repository / "plan.yaml").write_text(PLAN)
    assert newcomer.call("feature", "load", "plan.yaml").code == 0
    said = newcomer.call("feature", "run", "P1", "--yes", "--json")
    assert said.code == 0, said.out + said.err
    looks = [
        it
        for child in newcomer.call("status", "--json").json["runs"]
        for it in facts(newcomer, child, "SupervisorRan")
    ]
    assert looks
    subjects = newcomer.git("log", "--format=%s", f"main..{said.run['branch']}").splitlines()
    assert subjects.count("knowledge: what the quality supervisors wrote down") == 1


def test_no_file_of_a_workflow_has_such_a_step(newcomer: User) -> None:
    newcomer.commit(
        {
            ".supervisor/config.yaml": CONFIG.partition("quality:")[0],
            ".supervisor/workflows/small.yaml": WORKFLOW.replace(
                "type: commit,", "type: attached_supervisors,"
            ),
        }
    )
    said = newcomer.call("run", "Anything", "--yes", "--json")
    assert said.code == 2, said.out
    assert "quality: {attach: [workflow]}" in said.error["message"]
