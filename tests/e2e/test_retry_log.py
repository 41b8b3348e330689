"""The retry log: what was expected, what came instead, and what was done."""

import re

from tests.e2e.command import CONFIG, QUICK, User

EXACT = QUICK.replace("role: implementer", "role: implementer\n    retry_policy: exact")


def test_an_agent_that_answers_badly_twice_is_in_the_retry_log(user: User) -> None:
    user.commit({".supervisor/workflows/quick.yaml": EXACT})
    user.script(implement=["silent", "incomplete", "well"])
    run = user.run("--workflow", "quick").run
    assert run["status"] == "completed"
    said = user.call("logs", run["id"], "--retries")
    assert (said.code, said.err) == (0, "")
    assert re.findall(
        r"^\*\*(Agent|Task|Attempt|Action):\*\* (.*?) *$", said.out, re.MULTILINE
    ) == [
        ("Agent", "implementer"),
        ("Task", "Do it"),
        ("Attempt", "1/3"),
        ("Action", "Rescheduling with exact same parameters"),
        ("Agent", "implementer"),
        ("Task", "Do it"),
        ("Attempt", "2/3"),
        ("Action", "Rescheduling with exact same parameters"),
    ]
    assert said.out.startswith("## Supervisor Log\n\n### [")
    assert said.out.count('"files_created": "array"') == 2
    first, second = said.out.split("**Received:**")[1:]
    assert first.startswith("\n```json\nI am done.\n")
    assert "I forgot the status." in second
    kept = user.repository / ".supervisor" / "logs" / f"{run['id']}-retries.md"
    assert kept.read_text().rstrip("\n") == said.out.rstrip("\n")
    assert "logs" not in user.git("status", "--porcelain", "--untracked-files=all")
    kept.unlink()
    assert user.call("logs", run["id"], "--retries", "--step", "implement").code == 0
    assert kept.read_text().rstrip("\n") == said.out.rstrip("\n")


def test_a_log_that_cannot_be_written_costs_no_run(user: User) -> None:
    user.script(implement=["crash", "well"])
    run = user.run("--workflow", "quick").run
    assert run["status"] == "waiting"
    kept = user.repository / ".supervisor" / "logs" / f"{run['id']}-retries.md"
    kept.unlink()
    kept.mkdir()
    said = user.call("approve", run["id"], "--drive", "--json")
    assert (said.code, said.run["status"]) == (0, "completed")
    assert said.err.count("cannot be written") == 1


def test_an_erased_text_is_in_no_log(user: User) -> None:
    user.script(implement=["crash"])
    run = user.run("--workflow", "quick").run
    kept = user.repository / ".supervisor" / "logs" / f"{run['id']}-retries.md"
    assert "the engine is on fire" in received(kept.read_text())
    [failed] = [it for it in user.events(run["id"]) if it["type"] == "AttemptFailed"]
    for name in ("feedback", "transcript"):
        assert user.call("ledger", "erase", failed["payload"][name], "--yes").code == 0
    assert not kept.exists()
    assert received(user.call("logs", run["id"], "--retries").out) == "```json\n[erased]\n```"
    assert received(kept.read_text()) == "```json\n[erased]\n```"


def received(log: str) -> str:
    return log.partition("**Received:**\n")[2].partition("\n\n**Action:**")[0]


def test_the_retry_log_is_data_too(user: User) -> None:
    user.commit({".supervisor/config.yaml": CONFIG.replace("retries: 0", "retries: 1")})
    user.script(implement=["crash"])
    run = user.run("--workflow", "quick").run
    assert run["status"] == "waiting"
    retries = user.call("logs", run["id"], "--retries", "--json").json["retries"]
    assert [(it["step"], it["cli"], it["attempt"], it["move"]) for it in retries] == [
        ("implement", "my_agent", 1, "retry_same"),
        ("implement", "my_agent", 2, "escalate"),
    ]
    assert {(it["category"], it["max_retries"]) for it in retries} == {("cli_error", 1)}
    assert "the engine is on fire" in retries[1]["received"]
    [second] = user.call("logs", run["id"], "--retries", "--attempt", "2", "--json").json["retries"]
    assert second == retries[1]


def test_a_run_without_a_failed_attempt_says_so(reader: User) -> None:
    said = reader.call("logs", "last", "--retries")
    assert (said.code, said.out, said.err) == (0, "", "No attempt has failed.\n")
    assert reader.call("logs", "last", "--retries", "--json").json == {"retries": []}
