"""Agents that misbehave: what happened is said, and nothing is believed or left behind."""

from pathlib import Path

import pytest
from tests.e2e.command import CONFIG, Json, User

ASKED = (
    "End the output with one fenced block: a line ```json, one JSON object that repeats the nonce, "
    "a line ```."
)


def failed(user: User, deed: str) -> str:
    """Let the implementer do a bad deed, which ends the run; return why the attempt failed."""
    user.script(implement=[deed])
    said = user.run("--workflow", "quick")
    assert said.code == 1, said.out + said.err
    run = said.run
    assert (run["status"], run["outcome"]["kind"]) == ("failed", "worker_failed")
    assert _why(user, run).partition(": ")[2] in run["outcome"]["reason"]
    return _why(user, run)


def escalated(user: User, deed: str) -> str:
    """Let the implementer do what only a person can help with; return why the attempt failed."""
    user.script(implement=[deed])
    said = user.run("--workflow", "quick")
    assert (said.code, said.run["status"]) == (5, "waiting"), said.out + said.err
    return _why(user, said.run)


def _why(user: User, run: Json) -> str:
    [failure] = [it for it in user.events(run["id"]) if it["type"] == "AttemptFailed"]
    category, reason = failure["payload"]["category"], failure["payload"]["reason"]
    return f"{category}: {reason}"


@pytest.mark.parametrize(
    ("deed", "why"),
    [
        (
            "silent",
            f"parsing: The output has no fenced json block; it ends with 'I am done.'. {ASKED}",
        ),
        (
            "twice",
            "parsing: The output is ambiguous: it has two different answers that repeat the nonce, "
            f"first SUCCESS, then SUCCESS. {ASKED}",
        ),
        (
            "incomplete",
            "validation: The final json block is no valid implementation answer: "
            "status: is missing; files_created: is missing; files_modified: is missing; "
            "tests_written: is missing.",
        ),
    ],
)
def test_a_bad_answer_is_no_answer(user: User, deed: str, why: str) -> None:
    assert failed(user, deed) == why


def test_a_crash_that_nobody_understands_is_for_a_person(user: User) -> None:
    assert escalated(user, "crash") == (
        "cli_error: The worker exited with code 1: the engine is on fire"
    )


def test_bytes_that_are_no_text_are_replaced(user: User) -> None:
    user.script(implement=["garbage"])
    run = user.run("--workflow", "quick").run
    assert run["status"] == "completed"
    [entry] = user.call("logs", run["id"], "--step", "implement", "--json").json["logs"]
    assert "\N{REPLACEMENT CHARACTER}" in entry["came_back"]


def test_too_much_output_ends_the_attempt(user: User) -> None:
    user.commit({".supervisor/config.yaml": f"{CONFIG}  output_bytes: 2000000\n"})
    assert escalated(user, "flood") == (
        "resource: The command was killed when it had written more than 2000000 bytes."
    )


def test_a_worker_that_hangs_is_stopped(user: User) -> None:
    user.commit({".supervisor/config.yaml": f"{CONFIG}  step_timeout: 2s\n"})
    assert failed(user, "hang") == (
        "resource: The command was killed after 2 s, all the time that it had."
    )


def test_what_git_refuses_is_left_out_and_named(user: User) -> None:
    user.script(implement=["litter"])
    said = user.run("--workflow", "quick")
    assert said.code in {0, 1, 5}, said.out + said.err
    run = said.run["id"]
    [left] = [it["payload"] for it in user.events(run) if it["type"] == "FilesLeftOut"]
    assert left["count"] == 5
    assert set(left["paths"]) == {f"part{number}/.gitmodules" for number in range(5)}
    assert "gitmodulesUrl" in left["reason"]
    assert user.call("cancel", run).code in {0, 4}
    assert user.call("resume", run).code in {0, 1}


def test_what_git_refuses_stops_nobody_who_cancels(user: User) -> None:
    user.script(implement=["litter"])
    user.run("--workflow", "careful")
    [run] = user.call("status", "--json").json["runs"]
    assert user.call("cancel", run["id"]).code == 0
    assert user.call("resume", run["id"]).code == 1
    assert user.call("status", run["id"], "--json").run["status"] == "cancelled"


def test_what_is_over_the_limit_never_comes_into_the_repository(user: User) -> None:
    limits = "sandbox: {limits: {worker: {disk: 2MiB}}}\n"
    user.commit({".supervisor/config.yaml": CONFIG + limits})
    user.script(implement=["hoard"])
    before = stored(user)
    user.run("--workflow", "quick")
    assert stored(user) - before < 1 << 20


def stored(user: User) -> int:
    """Measure the objects of the repository."""
    objects = user.repository / ".git" / "objects"
    return sum(it.stat().st_size for it in objects.rglob("*") if it.is_file())


def test_a_secret_in_the_name_of_a_file_is_told_to_nobody(user: User) -> None:
    user.script(implement=["secret name"])
    said = user.call("run", "Do it", "--yes", "--workflow", "quick")
    assert said.code == 0, said.err
    assert "done.txt" in said.out + said.err
    assert "a1B2c3D4e5F6" not in said.out + said.err


def test_a_daemon_does_not_outlive_its_worker(user: User) -> None:
    user.script(implement=["daemon"])
    assert user.run("--workflow", "quick").run["status"] == "completed"
    assert not strays("stray-of-the-e2e-tests")


def strays(words: str) -> list[str]:
    """Name the processes whose command line has the words."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if words in command:
                found.append(f"{entry.name}: {command}")
    return found


def test_secrets_and_control_characters_reach_nobody(user: User) -> None:
    user.script(implement=["betray"])
    said = user.call("run", "Do it", "--workflow", "quick", "--verbose")
    assert said.code == 0
    run = user.newest()
    assert run is not None
    logs = user.call("logs", run["id"])
    for text in (said.out + said.err, logs.out):
        assert "sk-ant" not in text
        assert "\x1b" not in text
    kept = [
        path for path in (user.repository / ".supervisor/artifacts").rglob("*") if path.is_file()
    ]
    assert kept
    assert not any(b"sk-ant" in path.read_bytes() for path in kept)


def test_a_missing_program_is_named(user: User) -> None:
    user.commit({".supervisor/config.yaml": CONFIG.replace("python3, tools", "pyhton3, tools")})
    said = user.run("--workflow", "quick")
    assert (said.code, said.error["kind"]) == (6, "unavailable")
    assert "its program 'pyhton3' was not found on your PATH" in said.error["message"]
    assert user.newest() is None


def test_an_agent_that_is_blocked_asks_a_person(user: User) -> None:
    user.script(implement=["blocked", "well"])
    said = user.call("run", "Do it", "--workflow", "quick")
    assert said.code == 5
    assert "Which port?" in said.out
    run = user.newest()
    assert run is not None
    assert (run["status"], run["active_steps"]) == ("waiting", ["implement"])
    answered = user.call("approve", run["id"], "--note", "Port 80.", "--drive", "--json")
    assert answered.run["status"] == "completed"
    logs = user.call("logs", run["id"], "--attempt", "2", "--json").json["logs"]
    assert "Port 80." in logs[0]["sent"]
