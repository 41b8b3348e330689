"""`supervisor gate`: gates listed, run on any two commits, and false reports counted."""

import json
from typing import Final

import pytest
from tests.e2e.command import AGENT, CONFIG, QUICK, User

TESTS: Final = """\
from app import double


def test_one() -> None:
    assert double(1) == 2


def test_two() -> None:
    assert double(2) == 4
"""
SETTINGS: Final = """\
[project]
name = "{name}"
[tool.pytest.ini_options]
addopts = "{options}"
"""
CHECK: Final = {
    *("gate", "kind", "base", "head", "verdict", "reason", "tests", "findings"),
    *("exit_code", "command", "note", "output", "told"),
}


def test_gates_are_listed(user: User) -> None:
    listed = user.call("gate", "list", "--json")
    assert listed.code == 0
    gates = {it["name"]: it for it in listed.json["gates"]}
    assert {"test", "claims", "auto_run_files", "test_integrity", "mutation"} <= set(gates)
    assert gates["test"]["command"] == ["test", "-f", "done.txt"]
    assert (gates["test"]["kind"], gates["test"]["origin"]) == ("command", "project")
    shown = user.call("gate", "list").out
    assert shown.startswith("GATE ")
    assert "test -f done.txt" in shown
    [lint] = [line for line in shown.splitlines() if line.startswith("lint ")]
    assert "not configured; " in lint[:79], "a narrow terminal shows it, too"
    assert "gates: {lint: {command: " in lint


def test_a_deleted_test_is_found_between_two_commits(user: User) -> None:
    base = user.commit({"app.py": "double = lambda n: 2 * n\n", "tests/test_app.py": TESTS})
    head = user.commit({"tests/test_app.py": TESTS.partition("\n\n\ndef test_two")[0] + "\n"})
    said = user.call("gate", "check", "test_integrity", "--base", base, "--head", head, "--json")
    assert said.code == 1, said.out
    found = said.json["check"]
    assert set(found) == CHECK
    assert (found["gate"], found["kind"]) == ("test_integrity", "test_integrity")
    assert (found["base"], found["head"], found["verdict"]) == (base, head, "failed")
    [finding] = found["findings"]
    assert (finding["rule"], finding["file"]) == ("test_deleted", "tests/test_app.py")
    assert "test_two" in finding["subject"]
    shown = user.call("gate", "check", "test_integrity")
    assert shown.code == 1
    assert shown.out.startswith(f"test_integrity failed on {base[:12]}..{head[:12]}: ")
    assert "test_deleted" in shown.out
    back = user.call("gate", "check", "test_integrity", "--base", head, "--head", base)
    assert back.code == 0, back.out


def test_a_command_runs_on_the_later_commit(user: User) -> None:
    base = user.git("rev-parse", "HEAD")
    head = user.commit({"done.txt": "done\n"})
    passed = user.call("gate", "check", "test", "--json")
    assert passed.code == 0, passed.out
    found = passed.json["check"]
    assert (found["verdict"], found["exit_code"], found["findings"]) == ("passed", 0, [])
    failed = user.call("gate", "check", "test", "--base", head, "--head", base, "--json")
    assert failed.code == 1
    assert failed.json["check"]["exit_code"] == 1
    assert user.call("status", "--json").json["runs"] == []


def test_a_command_that_is_not_there_is_neither_passed_nor_failed(user: User) -> None:
    user.commit({".supervisor/config.yaml": CONFIG.replace("[test, -f, done.txt]", "[no-such]")})
    user.commit({"README.md": "Another.\n"})
    said = user.call("gate", "check", "test", "--json")
    assert (said.code, said.json["check"]["verdict"]) == (6, "not_run")


def test_a_change_cannot_loosen_the_gate_that_looks_at_it(user: User) -> None:
    user.commit({".supervisor/config.yaml": CONFIG.replace("[test, -f, done.txt]", '["true"]')})
    assert user.call("gate", "check", "test").code == 1


def test_a_gate_that_the_change_brings_is_read_from_it_on_demand(user: User) -> None:
    lint = CONFIG.replace("gates:\n", 'gates:\n  lint:\n    command: ["true"]\n')
    user.commit({".supervisor/config.yaml": lint})
    taken = user.call("gate", "check", "lint")
    assert (taken.code, "the commit before it has no such gate" in taken.out) == (0, True)
    refused = user.call("gate", "check", "lint", "--base", "HEAD~1", "--json")
    assert (refused.code, refused.error["kind"]) == (3, "not_found")
    assert "`--base HEAD` uses those of HEAD" in refused.error["hint"]
    assert user.call("gate", "check", "lint", "--base", "HEAD").code == 0


def test_a_report_is_compared_with_two_commits(user: User) -> None:
    user.commit({"new.py": "one = 1\n"})
    claims = {"files_created": ["new.py"], "files_modified": [], "tests_written": []}
    answer = user.home / "answer.json"
    answer.write_text(json.dumps(claims))
    honest = user.call("gate", "check", "claims", "--answer", str(answer), "--json")
    assert (honest.code, honest.json["check"]["findings"]) == (0, []), honest.out
    answer.write_text(json.dumps({**claims, "files_modified": ["nowhere.py"]}))
    false = user.call("gate", "check", "claims", "--answer", str(answer), "--json")
    assert false.code == 1
    assert [it["rule"] for it in false.json["check"]["findings"]] == ["false_file_claim"]
    assert user.call("gate", "claims", "--json").json == {"claims": []}


def test_a_change_is_taken_apart_and_nothing_is_run(user: User) -> None:
    rules = "harness:\n  files: [qa/**]\n  product: [tests/shop/**]\n"
    user.commit(
        {
            ".supervisor/config.yaml": CONFIG + rules,
            "app.py": "one = 1\n",
            "tests/test_app.py": TESTS,
            "qa/data.csv": "1\n",
            "tests/shop/goods.py": "goods = 1\n",
            "pyproject.toml": SETTINGS.format(name="app", options="-q"),
        }
    )
    (user.repository / "tests/linked.py").symlink_to("../app.py")
    base = user.commit()
    (user.repository / "tests/linked.py").unlink()
    user.commit(
        {
            ".supervisor/config.yaml": CONFIG,
            "app.py": "one = 2\n",
            "tests/test_app.py": "",
            "tests/\x1b[2Jnew.py": "",
            "tests/linked.py": "",
            "qa/data.csv": "2\n",
            "tests/shop/goods.py": "goods = 2\n",
            "pyproject.toml": SETTINGS.format(name="shop", options="-k no"),
        }
    )
    user.environment["SUPERVISOR_TRUST"] = "0"
    said = user.call("gate", "check", "replay", "--explain", "--base", base, "--json")
    assert said.code == 0, said.out
    found = said.json["halves"]
    files = {it["path"]: (it["half"], it["replay"]) for it in found["files"]}
    assert files == {
        ".supervisor/config.yaml": ("harness", "base"),
        "app.py": ("product", "head"),
        "pyproject.toml": ("mixed", "grafted"),
        "qa/data.csv": ("harness", "base"),
        "tests/\x1b[2Jnew.py": ("harness", "left_out"),
        "tests/linked.py": ("harness", "head"),
        "tests/shop/goods.py": ("product", "head"),
        "tests/test_app.py": ("harness", "base"),
    }
    assert found["rules"] == {"harness": ["qa/**"], "product": ["tests/shop/**"]}
    assert (found["touches_harness"], found["touches_product"]) == (True, True)
    [sentence] = found["not_replayed"]
    assert sentence.startswith("The file 'tests/linked.py' cannot be as it was at the base: ")
    shown = user.call("gate", "check", "test", "--explain").out
    assert "Rules of the project: harness 'qa/**'; product 'tests/shop/**' (read from" in shown
    [row] = [line for line in shown.splitlines() if line.startswith("qa/data.csv ")]
    assert row.split(maxsplit=5)[1:5] == ["harness", "as", "at", "base"]
    assert row.endswith("the project says so: harness 'qa/**'")
    assert f"so that a gate is not green by replay:\n  {sentence}\n" in shown
    assert "\x1b" not in shown
    narrow = user.call("gate", "check", "replay", "--explain", COLUMNS="40").out
    assert max(map(len, narrow.splitlines())) <= 40


@pytest.mark.parametrize(
    ("arguments", "code", "kind", "words", "hint"),
    [
        (["replay"], 3, "not_found", "No gate is called 'replay'", "replay --explain"),
        (["claims", "--explain"], 2, "invalid", "'claims' runs no tests", "replay --explain"),
        (["replay", "--explain", "--tdd"], 2, "invalid", "takes only", ""),
        (["tset"], 3, "not_found", "'tset'", "'test'"),
        (["test", "--head", "nowhere"], 3, "not_found", "'nowhere'", ""),
        (["test", "--base", "nowhere"], 3, "not_found", "'nowhere'", ""),
        (["test_integrity"], 2, "invalid", "There is no commit before 'main'", "--base"),
        (["claims"], 2, "invalid", "there is no report to compare", "--answer FILE"),
    ],
)
def test_what_does_not_exist_is_said(
    user: User, arguments: list[str], code: int, kind: str, words: str, hint: str
) -> None:
    base = [] if arguments == ["test_integrity"] or "--base" in arguments else ["--base", "HEAD"]
    said = user.call("gate", "check", *arguments, *base, "--json")
    assert (said.code, said.error["kind"]) == (code, kind)
    assert words in said.error["message"]
    assert hint in f"{said.error['message']} {said.error['hint']}"


def test_commands_of_the_project_need_trust_and_looking_does_not(user: User) -> None:
    user.commit({"README.md": "Another.\n"})
    user.environment["SUPERVISOR_TRUST"] = "0"
    refused = user.call("gate", "check", "test", "--json")
    assert (refused.code, refused.error["kind"]) == (7, "denied")
    looked = user.call("gate", "check", "test_integrity", "--json")
    assert (looked.code, looked.json["check"]["verdict"]) == (0, "passed")


def test_false_reports_are_counted(user: User) -> None:
    assert user.call("gate", "claims", "--json").json == {"claims": []}
    said = user.call("gate", "claims")
    assert (said.code, said.out, said.err) == (0, "", "No worker has reported anything yet.\n")


def test_a_runs_gates_are_shown_and_their_output_is_found(reader: User) -> None:
    status = reader.call("status", "last", "--json").json
    gates = {it["gate"]: it for it in status["gates"]}
    assert gates["test"]["verdict"] == "passed"
    assert gates["test"]["step"] == "test"
    assert "  GATE " in reader.call("status", "last").out
    logs = reader.call("logs", "last", "--gate", "test", "--json").json["logs"]
    assert {(it["kind"], it["by"]) for it in logs} == {("gate", "test")}
    missing = reader.call("logs", "last", "--gate", "tset", "--json")
    assert (missing.code, missing.error["hint"]) == (3, "Did you mean 'test'?")


def test_what_a_run_passed_in_spite_of_is_named_at_its_end(user: User) -> None:
    gates = "gates:\n  lint:\n    command: [sh, -c, 'echo odd; exit 1']\n    policy: warn\n"
    step = "  look:\n    gates: [test, lint]\n    next: commit\n  commit:\n"
    checked = QUICK.replace("next: commit", "next: look", 1).replace("  commit:\n", step)
    user.commit(
        {
            ".supervisor/config.yaml": CONFIG.replace("gates:\n", gates),
            ".supervisor/workflows/quick.yaml": checked,
        }
    )
    done = user.call("run", "Do it", "--workflow", "quick")
    assert done.code == 0, done.err
    assert "  warned   gate lint failed (it only warns): odd\n" in done.out
    assert "objected" not in done.out
    assert ", 1 attempt of workers\n" in done.out


def agent(*, also_reports: str, also_writes: str | None = None) -> dict[str, str]:
    """Make an agent that writes and reports a file more than the usual one."""
    text = AGENT.read_text()
    text = text.replace('["done.txt"]', f'["done.txt", "{also_reports}"]')
    if also_writes is not None:
        deed = f'    print("echo hello", file=open("{also_writes}", "w"), flush=True)\n'
        text = text.replace('    if deed == "echo":', f'{deed}    if deed == "echo":')
    return {"tools/agent.py": text}


def test_a_finding_is_accepted_with_a_reason_only(user: User) -> None:
    user.commit(agent(also_reports=".envrc", also_writes=".envrc"))
    run = user.run("--workflow", "quick")
    assert (run.code, run.run["status"]) == (5, "waiting")
    shown = user.call("status", "last").out
    assert "why       a gate found what only a person may accept" in shown
    assert "found     gate auto_run_files failed: " in shown
    assert "  .envrc" in shown
    question = user.call("status", "last", "--json").json["question"]
    assert (question["step"], question["reason"]) == ("implement-guard", "findings")
    assert [it["gate"] for it in question["gates"]] == ["auto_run_files"]
    assert [it["file"] for it in question["findings"]] == [".envrc"]
    assert f'approve {run.run["id"]} --note "…"' in shown
    refused = user.call("approve", "last", "--drive", "--json")
    assert (refused.code, refused.error["kind"]) == (2, "invalid")
    assert refused.error["message"] == "A finding is accepted with a reason."
    done = user.call("approve", "last", "--note", "We all use direnv.", "--drive", "--json")
    assert done.run["status"] == "completed", done.err
    assert user.call("status", "last", "--json").json["question"] is None
    [entry] = user.call("logs", "last", "--gate", "auto_run_files", "--json").json["logs"]
    assert [finding["file"] for finding in entry["findings"]] == [".envrc"]


@pytest.mark.parametrize(
    ("key", "value"), [("core.hooksPath", "scripts"), ("include.path", "../scripts/own")]
)
def test_a_file_that_the_users_git_would_run_or_read_asks_a_person(
    user: User, key: str, value: str
) -> None:
    user.commit({**agent(also_reports="scripts/own", also_writes="scripts/own"), "scripts/x": ""})
    user.git("config", key, value)
    run = user.run("--workflow", "quick")
    assert (run.code, run.run["status"]) == (5, "waiting")
    question = user.call("status", "last", "--json").json["question"]
    assert [it["gate"] for it in question["gates"]] == ["auto_run_files"]
    assert [it["file"] for it in question["findings"]] == ["scripts/own"]
    assert f"your git's setting '{key.lower()}' names it" in question["findings"][0]["message"]


def test_a_worker_that_reports_what_is_not_so_is_counted(user: User) -> None:
    user.commit(agent(also_reports="nowhere.py"))
    run = user.run("--workflow", "quick")
    assert (run.code, run.run["status"]) == (5, "waiting"), run.out
    assert "reported 1 file that git does not bear out" in run.err
    assert user.call("gate", "claims", "--json").json["claims"] == [
        {
            "role": "implementer",
            "cli": "my_agent",
            "attempts": 1,
            "refuted": 1,
            "files": 1,
            "tests": 0,
            "commits": 0,
        }
    ]
    assert "implementer  my_agent  1" in user.call("gate", "claims").out
