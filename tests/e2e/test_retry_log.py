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
    assert said.out.count('"files_created"') > 2
    first, second = said.out.split("**Received:**")[1:]
    assert first.startswith("\n```json\nI am done.\n")
    assert "I forgot the status." in second


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
