"""The demo: what a newcomer sees first."""

import html
import re
from pathlib import Path

from tests.e2e.command import User


def test_the_demo_shows_a_failure_and_its_repair(newcomer: User, tmp_path: Path) -> None:
    said = newcomer.call("demo", SUPERVISOR_TRUST="", TMPDIR=str(tmp_path))
    assert said.code == 0, said.err
    assert "AssertionError: 3 != 2.5" in said.err
    assert "implement #2" in said.err
    assert "gate test passed" in said.err
    assert "2 files changed" in said.out
    directory = re.search(r"The project stays in (\S+)\.", said.err)
    assert directory is not None
    status = newcomer.call("-C", directory[1], "status", "--json").json
    [run] = status["runs"]
    assert (run["status"], run["workflow"]) == ("completed", "standard")
    visits = {step["step"]: step["visits"] for step in run["steps"]}
    tried = {"implement": 2, "implement-guard": 2, "test": 2}
    assert visits == {"plan": 1, **tried, "review": 1, "commit": 1}
    assert f"logs {run['id']}" in said.out
    drawn = (Path(__file__).parents[2] / "docs/demo.svg").read_text()
    rows = re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>([^<]*)</text>', drawn)
    lines: dict[str, str] = {}
    for place, words in rows:
        lines[place] = lines.get(place, "") + html.unescape(words)
    cleaned = newcomer.call("demo", "--clean", "--json", TMPDIR=str(tmp_path))
    assert (cleaned.json["applied"], cleaned.json["detail"]) == (True, "1 removed.")
    assert not Path(directory[1]).exists()
    assert newcomer.call("demo", "--clean", "--json", TMPDIR=str(tmp_path)).json["applied"] is False
    told = {_constant(line) for line in said.out.splitlines()}
    # What is printed after the run, up to the ledger, whose path is cut to the picture's width.
    assert told - {_constant(line) for line in lines.values()} == set(), "run scripts/picture.py"


def _constant(line: str) -> str:
    """Leave out of a line what differs from run to run and from place to place."""
    names = (
        r"\S*/supervisor-demo-\w+|\br[0-9a-z]{4,11}\b|\b[0-9a-f]{12}\b|\d+\.\d s|\S*/supervisor "
    )
    return " ".join(re.sub(names, " ", line.replace("\xa0", " ")).split())


def test_the_demo_of_a_feature_has_a_conflict_a_failing_test_and_an_approval(
    newcomer: User, tmp_path: Path
) -> None:
    said = newcomer.call("demo", "feature", SUPERVISOR_TRUST="", TMPDIR=str(tmp_path))
    assert said.code == 0, said.err
    assert "It conflicts with what is on the branch" in said.err
    assert "Nobody is there to ask, so the demo says yes." in said.err
    assert "SHOP: A small shop  completed (8 of 8, 100 %)" in said.out
    assert said.out.count("● SHOP-PH") == 8
    directory = re.search(r"The project stays in (\S+)\.", said.err)
    assert directory is not None
    runs = newcomer.call("-C", directory[1], "status", "--json").json["runs"]
    gates = [it for run in runs for it in run["steps"] if it["step"] == "test"]
    assert sum(it["visits"] == 2 for it in gates) == 1, "one test failed at first"
    assert newcomer.call("demo", "nothing", "--json").error["kind"] == "not_found"


def test_the_demo_of_checkpoints_blocks_and_passes_when_the_work_is_revised(
    newcomer: User, tmp_path: Path
) -> None:
    said = newcomer.call("demo", "checkpoint", SUPERVISOR_TRUST="", TMPDIR=str(tmp_path))
    assert said.code == 0, said.err
    assert "CHECKPOINT-001: block (score: 0.40), decided 5 of 5 checks" in said.out
    assert "No requirement for the goal G-2, G-3." in said.out
    assert "CHECKPOINT-001: pass (score: 1.00), decided 5 of 5 checks" in said.out
    assert "The coordinator asked for the end, after 2 checkpoints." in said.err


def test_the_demo_of_a_loop_follows_a_directive_to_the_task_that_does_it(
    newcomer: User, tmp_path: Path
) -> None:
    said = newcomer.call("demo", "loop", SUPERVISOR_TRUST="", TMPDIR=str(tmp_path))
    assert said.code == 0, said.err
    assert "Code Style Supervisor: laid the ground" in said.err
    assert "created 1 cleanup directive" in said.err
    assert "1 failed before): Write thank()" in said.out
    assert "task_3 (done" in said.out
    assert "still open" not in said.out


def test_a_team_and_a_kanban_are_shown_with_commands_that_are_typed(
    newcomer: User, tmp_path: Path
) -> None:
    said = newcomer.call("demo", "team", "--json", SUPERVISOR_TRUST="", TMPDIR=str(tmp_path))
    assert (said.code, said.json["team"]["phase"]) == (0, "DELETED"), said.err
    for line in (
        '$ supervisor team send stats "CLAIM: task 2. Files: [stats/averages.py]" --from coder-2',
        "who goes on? Recommended: coder-1 with #1.",
        "DONE: refused. Task 1 waits for the approval of unified-reviewer.",
        "coder-1 asks for your review of task #1.",
    ):
        assert line in said.err
    shown = newcomer.call("demo", "kanban", SUPERVISOR_TRUST="", TMPDIR=str(tmp_path))
    assert shown.code == 0, shown.err
    assert "current  none: the kanban is complete" in shown.out
    assert '$ supervisor kanban new "Say goodbye too" --run --yes' in shown.err
