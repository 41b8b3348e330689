"""The program that plays scripts, as a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from supervisor_ai.workers import scripted_agent

PLACE = {
    "SUPERVISOR_STEP": "implement",
    "SUPERVISOR_ROLE": "implementer",
    "SUPERVISOR_VISIT": "1",
    "SUPERVISOR_ATTEMPT": "2",
    "SUPERVISOR_NONCE": "kvmq-tzrb-xwph",
}


def play(directory: Path, *replies: object) -> subprocess.CompletedProcess[str]:
    return play_script(directory, json.dumps({"replies": replies}))


def play_script(directory: Path, script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", scripted_agent.__file__],
        cwd=directory,
        env={**os.environ, **PLACE},
        input=f"{script}\nthe prompt",
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_first_reply_that_fits_is_played(tmp_path: Path) -> None:
    done = play(
        tmp_path,
        {"step": "plan", "say": ["no"]},
        {"step": "implement", "attempt": 1, "say": ["no"]},
        {"step": "implement", "say": ["yes"], "answer": {"status": "SUCCESS"}},
        {"say": ["too late"]},
    )
    nonce = '"nonce": "kvmq-tzrb-xwph"'
    assert done.stdout == f'yes\n```json\n{{\n  {nonce},\n  "status": "SUCCESS"\n}}\n```\n'
    assert done.returncode == 0


def test_files_are_written_extended_and_removed(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("")
    (tmp_path / "log").write_text("a")
    play(
        tmp_path,
        {"write": {"new/deep": "text"}, "append": {"log": "b"}, "delete": ["old"]},
    )
    assert (tmp_path / "new" / "deep").read_text() == "text"
    assert (tmp_path / "log").read_text() == "ab"
    assert not (tmp_path / "old").exists()


def test_a_script_without_a_fitting_reply_says_so(tmp_path: Path) -> None:
    done = play(tmp_path, {"step": "plan"})
    assert done.returncode == scripted_agent.NO_REPLY
    assert "no reply for step/visit/attempt implement/1/2" in done.stderr


@pytest.mark.parametrize("path", ["/etc/x", "../x"])
def test_a_script_stays_inside_its_workspace(tmp_path: Path, path: str) -> None:
    done = play(tmp_path, {"write": {path: ""}})
    assert done.returncode == scripted_agent.BAD_SCRIPT
    assert done.stderr == f"Reply 1 of the script: {path!r} is not inside the workspace.\n"


def test_bad_manners_can_be_played_too(tmp_path: Path) -> None:
    done = play(tmp_path, {"raw": "no fence", "stderr": "oops", "output_bytes": 10, "exit": 7})
    assert (done.returncode, done.stdout, done.stderr) == (7, "x" * 10 + "no fence", "oops")


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("{", "The script is not JSON: Expecting property name"),
        ("[]", "The script needs a list of replies."),
        ('{"replies": {}}', "The script needs a list of replies."),
        ('{"replies": [7]}', "Reply 1 of the script: it is not a mapping."),
        ('{"replies": [{}, {"sya": []}]}', "Reply 2 of the script: 'sya' is not known."),
        ('{"replies": [{"say": "x"}]}', "Reply 1 of the script: 'say' cannot be 'x'."),
        ('{"replies": [{"delete": [1]}]}', "Reply 1 of the script: 1 is not inside the workspace."),
    ],
)
def test_a_bad_script_is_explained(tmp_path: Path, script: str, problem: str) -> None:
    done = play_script(tmp_path, script)
    assert done.returncode == scripted_agent.BAD_SCRIPT
    assert done.stderr.startswith(problem)
    assert done.stdout == ""


def test_everything_wrong_with_a_script_is_said_at_once(tmp_path: Path) -> None:
    done = play(tmp_path, {"hang": 1, "write": {"/x": ""}}, 7)
    assert done.stderr.splitlines() == [
        "Reply 1 of the script: 'hang' cannot be 1.",
        "Reply 1 of the script: '/x' is not inside the workspace.",
        "Reply 2 of the script: it is not a mapping.",
    ]


def test_the_nonce_stands_where_a_script_wants_it(tmp_path: Path) -> None:
    assert play(tmp_path, {"raw": "{{nonce}}, {{nonce}}"}).stdout == ", ".join(
        ["kvmq-tzrb-xwph"] * 2
    )
    own = play(tmp_path, {"answer": {"nonce": "another", "status": "SUCCESS"}})
    assert '"nonce": "another"' in own.stdout
    assert "[]" in play(tmp_path, {"answer": []}).stdout
