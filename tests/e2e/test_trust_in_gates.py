"""Workers that cheat, gates that cannot be green, and files that are never tested twice."""

import json
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import CONFIG as USUAL
from tests.e2e.command import Json, User

FLOW: Final = """\
steps:
  implement: {role: implementer, next: test}
  test: {gate: test, next: commit, on_fail: implement}
  commit: {type: commit}
"""
CONFIG: Final = """\
cli: player
clis:
  player: {adapter: scripted, script: tools/play.json}
gates:
  test: {command: [python3, -m, unittest, discover]}
limits: {step_max_retries: 1}
workflow: short
"""
CODE: Final = "def total(items):\n    return sum(items)\n"
BROKEN: Final = "def total(items):\n    return 0\n"
TESTS: Final = """\
import unittest

from total import total


class TotalTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total([1, 2]), 3)

    def test_nothing(self):
        self.assertEqual(total([]), 0)
"""
SKIPPED: Final = TESTS.replace("    def test_sum", "    @unittest.skip('later')\n    def test_sum")


def attempt(files: dict[str, str], **claims: list[str]) -> Json:
    answer = {"status": "SUCCESS", "files_created": [], "files_modified": [], "tests_written": []}
    return {"role": "implementer", "write": files, "answer": {**answer, **claims}}


def prepare(user: User, *attempts: Json, config: str = CONFIG) -> None:
    """Let the worker make these attempts, one in each visit."""
    replies = [{**it, "visit": number} for number, it in enumerate(attempts, start=1)]
    files = {
        ".supervisor/config.yaml": config,
        ".supervisor/workflows/short.yaml": FLOW,
        "tools/play.json": json.dumps({"replies": replies}),
        "total.py": CODE,
        "test_total.py": TESTS,
    }
    user.commit(files)


def gates(user: User, run: Json, name: str) -> list[Json]:
    return [
        it["payload"]
        for it in user.events(run["id"])
        if it["type"] == "GateEnded" and it["payload"]["gate"] == name
    ]


def test_a_test_that_is_skipped_goes_back_to_the_worker(user: User) -> None:
    cheat = attempt({"total.py": BROKEN, "test_total.py": SKIPPED})
    prepare(user, cheat, attempt({"total.py": CODE + "\n", "test_total.py": TESTS}))
    run = user.run().run
    assert run["status"] == "completed"
    first, second = gates(user, run, "test_integrity")
    assert (first["verdict"], second["verdict"]) == ("failed", "passed")
    logs = user.call("logs", run["id"], "--step", "implement", "--visit", "2", "--json").json
    assert "test_skipped" in logs["logs"][0]["sent"]
    assert user.git("show", f"{run['commit']}:test_total.py") == TESTS.strip()


def test_a_stubborn_cheat_is_put_before_a_person_who_gives_a_reason(user: User) -> None:
    prepare(user, *[attempt({"total.py": CODE + "\n", "test_total.py": SKIPPED})] * 3)
    said = user.run()
    assert (said.code, said.run["active_steps"]) == (5, ["implement-guard"])
    run = said.run["id"]
    bare = user.call("approve", run, "--json")
    assert (bare.code, bare.error["kind"]) == (2, "invalid")
    accepted = user.call("approve", run, "--note", "Flaky until Friday.", "--drive", "--json")
    assert (accepted.code, accepted.run["status"]) == (0, "completed")


def test_a_false_report_is_a_fact_and_is_counted(user: User) -> None:
    lie = attempt({"total.py": CODE + "\n"}, files_created=["never.py"], tests_written=["test_x"])
    prepare(user, lie, attempt({"total.py": CODE + "\n"}, files_modified=["total.py"]))
    run = user.run().run
    assert run["status"] == "completed"
    [refuted] = [it for it in user.events(run["id"]) if it["type"] == "ClaimsRefuted"]
    assert (refuted["payload"]["files"], refuted["payload"]["tests"]) == (1, 1)
    [row] = user.call("gate", "claims", "--json").json["claims"]
    assert (row["role"], row["cli"], row["attempts"], row["refuted"]) == (
        *("implementer", "player", 2, 1),
    )


def test_what_would_run_by_itself_needs_a_person(user: User) -> None:
    prepare(user, attempt({".envrc": "echo hello\n"}))
    said = user.run()
    assert (said.code, said.run["active_steps"]) == (5, ["implement-guard"])
    shown = user.call("status", said.run["id"])
    assert ".envrc" in shown.out + shown.err


@pytest.mark.parametrize("name", ["a\x1b[2Jb.py", "src/\u202egpj.py"])
def test_a_name_that_is_not_what_it_looks_like_needs_a_person(user: User, name: str) -> None:
    prepare(user, attempt({name: "a = 1\n"}))
    said = user.run()
    assert (said.code, said.run["active_steps"]) == (5, ["implement-guard"])


def test_a_name_that_commands_take_for_an_option_is_told(user: User) -> None:
    prepare(user, attempt({"-rf": "a = 1\n"}))
    said = user.call("run", "Do it", "--yes")
    assert said.code == 0, said.out
    assert "Noted: name_like_an_option (-rf)." in said.err


def test_a_link_that_leaves_the_repository_needs_a_person(user: User) -> None:
    prepare(user, attempt({"total.py": CODE + "\n"}))
    linking = "import os, runpy\nos.symlink('/etc/passwd', 'users')\n"
    user.commit(
        {
            "tools/link.py": f"{linking}runpy.run_path('tools/agent.py', run_name='__main__')\n",
            ".supervisor/config.yaml": USUAL.replace("agent.py", "link.py"),
        }
    )
    said = user.run("--workflow", "short")
    assert (said.code, said.run["active_steps"]) == (5, ["implement-guard"])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("test_more.py", "# def test_new(): soon\n"),
        ("test_more.py", "NAME = 'test_new'\n"),
        ("README.md", "Run test_new.\n"),
    ],
)
def test_a_test_that_is_only_spoken_of_is_not_written(user: User, path: str, text: str) -> None:
    prepare(user, attempt({"total.py": CODE + "\n", path: text}, tests_written=["test_new"]))
    user.run()
    newest = user.newest()
    assert newest is not None
    assert "ClaimsRefuted" in user.types(newest["id"])


def test_what_cannot_be_loaded_for_want_of_something_else_is_not_red(user: User) -> None:
    tests = "import unittest\n\nimport nowhere\n\n\n"
    tests += "class MoreTest(unittest.TestCase):\n    def test_it(self):\n        nowhere.look()\n"
    config = CONFIG.replace("step_max_retries: 1", "step_max_retries: 0")
    prepare(user, attempt({"total.py": CODE + "\n", "test_more.py": tests}), config=config)
    flow = FLOW.replace("role: implementer,", "role: implementer, config: {tdd: true},")
    user.commit({".supervisor/workflows/short.yaml": flow})
    said = user.run()
    assert (said.code, said.run["active_steps"]) == (5, ["implement-guard"])
    [red] = gates(user, said.run, "red_before_green")
    assert (red["verdict"], "without 'nowhere'" in red["reason"]) == ("failed", True)


def test_the_same_files_are_tested_once(user: User) -> None:
    prepare(user, attempt({"total.py": CODE + "\n"}))
    verdicts = [gates(user, user.run().run, "test")[0] for _ in range(3)]
    assert [it["is_reused"] for it in verdicts] == [False, True, True]
    assert [(it["verdict"], it["tests"]) for it in verdicts] == [("passed", 2)] * 3


def test_a_tool_that_is_written_again_is_another_tool(user: User, tmp_path: Path) -> None:
    tool = tmp_path / "tools" / "bin" / "judge"
    tool.parent.mkdir(parents=True)
    prepare(
        user,
        attempt({"total.py": CODE + "\n"}),
        config=CONFIG.replace("[python3, -m, unittest, discover]", "[judge]"),
    )
    path = f"{tool.parent}:{user.environment['PATH']}"
    found = []
    for code in (0, 0, 1):
        if not tool.exists() or code:
            # What takes less than a second is run again, and its verdict is not kept.
            tool.write_text(f"#!/bin/sh\nsleep 2\nexit {code}\n")
            tool.chmod(0o755)
        found.append(gates(user, user.run(PATH=path).run, "test")[0])
    assert [(it["verdict"], it["is_reused"]) for it in found] == [
        ("passed", False),
        ("passed", True),
        ("failed", False),
    ]


def test_another_history_is_another_question(user: User) -> None:
    prepare(user, attempt({"total.py": CODE + "\n"}))
    reused = [gates(user, user.run().run, "test")[0]["is_reused"]]
    user.git("commit", "--allow-empty", "--message", "the same files")
    reused.append(gates(user, user.run().run, "test")[0]["is_reused"])
    assert reused == [False, False]


def test_a_run_can_be_told_to_use_nothing_from_before(user: User) -> None:
    prepare(user, attempt({"total.py": CODE + "\n"}))
    runs = [user.run(*words).run for words in ((), ("--no-cache",), ())]
    assert [gates(user, run, "test")[0]["is_reused"] for run in runs] == [False, False, True]
    births = [user.events(run["id"])[0]["payload"]["is_fresh"] for run in runs]
    assert births == [False, True, False]
    assert "without what is known from before" in user.call("events", runs[1]["id"]).out


def test_going_on_can_be_told_to_use_nothing_from_before(user: User) -> None:
    prepare(user, attempt({"total.py": CODE + "\n"}))
    asking = FLOW.replace("next: test}", "next: ask}\n  ask: {type: human_gate, next: test}")
    user.commit({".supervisor/workflows/short.yaml": asking})

    def reuses(*words: str) -> bool:
        run = user.run().run["id"]
        if words[0] != "approve":
            assert user.call("approve", run).code == 0
        named = () if words[0] == "serve" else (run,)
        assert user.call(words[0], *named, *words[1:]).code == 0
        return bool(gates(user, {"id": run}, "test")[0]["is_reused"])

    assert not reuses("resume")
    assert not reuses("resume", "--no-cache")
    assert not reuses("approve", "--drive", "--no-cache")
    assert not reuses("serve", "--once", "--no-cache")
    assert reuses("approve", "--drive")


def test_only_who_drives_can_use_nothing_from_before(user: User) -> None:
    said = user.call("approve", "any", "--no-cache", "--json")
    assert (said.code, said.error["kind"]) == (2, "invalid")
    assert "--drive" in said.error["hint"]


@pytest.mark.parametrize(
    ("command", "verdict", "words"),
    [
        (["no-such-program"], "not_run", "no-such-program"),
        (["sh", "-c", "kill -9 $$"], "failed", "code"),
        (["sh", "-c", "echo 'Ran 0 tests in 0.1s'; echo OK"], "failed", "no test ran"),
        (["sh", "-c", "echo '3 passed, 1 failed in 0.1s'"], "failed", "1 failed"),
        (["python3", "-m", "unittest", "nothing_here"], "failed", "code 1"),
    ],
    ids=["missing", "killed", "zero tests", "failures hidden", "broken"],
)
def test_a_gate_is_never_green_without_evidence(
    user: User, command: list[str], verdict: str, words: str
) -> None:
    config = CONFIG.replace("[python3, -m, unittest, discover]", json.dumps(command))
    config = f"{config}baseline: off\n"
    config = config.replace("step_max_retries: 1", "step_max_retries: 0")
    prepare(user, attempt({"total.py": CODE + "\n"}), config=config)
    said = user.run()
    assert (said.code, said.run["status"]) == (1, "failed")
    [ended] = gates(user, said.run, "test")
    assert ended["verdict"] == verdict
    assert words in ended["reason"]
    assert said.run["commit"] is None


COUNTING = """\
import shop

for case in shop.CASES:
    case()
print(f"{len(shop.CASES)} passed in 0.01s")
"""


@pytest.mark.parametrize(
    ("least", "verdict", "words"),
    [
        ("", "failed", "At least 5 tests are wanted; it ran 4."),
        (", min_tests: 4", "passed", "It ran 4 tests."),
    ],
)
def test_as_many_tests_are_wanted_as_there_were_where_a_runner_names_none(
    user: User, least: str, verdict: str, words: str
) -> None:
    gate = f"{{command: [python3, check.py]{least}}}"
    config = f"gates: {{test: {gate}}}\n"
    user.commit(
        {
            ".supervisor/config.yaml": config,
            "check.py": COUNTING,
            "shop.py": "CASES = [print] * 5\n",
        }
    )
    user.commit({"shop.py": "CASES = [print] * 4\n"})
    check = user.call("gate", "check", "test", "--json").json["check"]
    assert (check["verdict"], words in check["reason"]) == (verdict, True), check


def test_a_runner_that_is_not_known_says_so(user: User) -> None:
    config = CONFIG.replace("[python3, -m, unittest, discover]", '["true"]')
    prepare(user, attempt({"total.py": CODE + "\n"}), config=config)
    run = user.run().run
    assert "tests: unknown" in gates(user, run, "test")[0]["reason"]


def test_gates_behind_a_guard_still_see_the_change(user: User) -> None:
    flow = FLOW.replace("{gate: test,", "{gates: [changelog, mutation],")
    config = CONFIG.replace("limits:", "  changelog: {policy: block}\nlimits:")
    prepare(
        user, attempt({"total.py": CODE.replace("sum(items)", "sum(items) + 0")}), config=config
    )
    user.commit({".supervisor/workflows/short.yaml": flow})
    said = user.run()
    assert (said.code, said.run["outcome"]["kind"]) == (1, "gate_failed")
    [changelog] = gates(user, said.run, "changelog")
    assert changelog["verdict"] == "failed"
    [mutation] = gates(user, said.run, "mutation")
    assert "faults were tried" in mutation["reason"]
