from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from supervisor_ai.domain.run.values import Identity
from supervisor_ai.workspaces.files.disk_errors import disk_failure
from supervisor_ai.workspaces.repositories.git import GitReply, failure, printable, signature


def reply(complaint: bytes) -> GitReply:
    return GitReply(code=128, output=b"", complaint=complaint)


def test_control_characters_never_reach_a_message() -> None:
    assert printable(b"\x1b[31mred\x1b[0m\nnext\xff\x9b") == "[31mred [0m next\ufffd\ufffd"
    assert len(printable(b"x" * 10_000)) < 700


@pytest.mark.parametrize(
    ("complaint", "hint"),
    [
        (b"fatal: write error: No space left on device", "Free some disk space and try again."),
        (
            b"fatal: Unable to create 'x': Read-only file system",
            "Make the file system writable and try again.",
        ),
        (
            b"fatal: could not fetch 1 from promisor remote",
            "If this is a partial clone, fetch the rest: `git fetch --refetch --no-filter`.",
        ),
        (b"fatal: bad object", "If it fails again, check the disk and `git fsck`."),
        (
            b"fatal: Unable to create 'x.lock': File exists.",
            "If no git runs here any more, remove the lock that is named.",
        ),
    ],
)
def test_a_failure_says_what_was_asked_what_git_said_and_what_to_do(
    complaint: bytes, hint: str
) -> None:
    error = failure("add", Path("/x"), reply(complaint))
    assert error.message == f"`git add` failed in '/x': {complaint.decode()}"
    assert error.hint == hint


def test_a_silent_failure_names_the_exit_code() -> None:
    assert failure("add", Path("/x"), reply(b"")).message.endswith("exit code 128")


def test_the_systems_word_becomes_a_sentence() -> None:
    error = disk_failure(OSError(28, "No space left on device", "/x"))
    assert error.message == "The file '/x' could not be used: No space left on device."
    assert error.hint == "Free some disk space and try again."


def test_a_signature_has_a_name_a_time_and_no_time_zone() -> None:
    at = datetime(2030, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    signed = signature(Identity(name="Ada", email="a@b"), at)
    assert signed["GIT_AUTHOR_NAME"] == signed["GIT_COMMITTER_NAME"] == "Ada"
    assert (
        signed["GIT_COMMITTER_DATE"]
        == f"@{int(datetime(2030, 1, 1, tzinfo=UTC).timestamp())} +0000"
    )


def test_a_name_that_git_would_refuse_is_replaced() -> None:
    signed = signature(Identity(name="<\0.> ", email=""))
    assert signed["GIT_AUTHOR_NAME"] == "Supervisor"
    assert signed["GIT_AUTHOR_EMAIL"] == "supervisor@localhost"
