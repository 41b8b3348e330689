"""What is said of a command that ended badly."""

from datetime import UTC, datetime

import pytest

from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.workers.command import diagnose_exit

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def diagnose(code: int, stdout: str = "", stderr: str = "") -> Diagnosis:
    return diagnose_exit(code, stdout, stderr, NOW)


def test_the_end_of_the_output_is_told() -> None:
    found = diagnose(1, "x" * 5000 + "the last words")
    assert found.category is FailureCategory.CLI_ERROR
    assert found.message.startswith("The worker exited with code 1: xxx")
    assert found.message.endswith("the last words")
    assert len(found.message) < 3000


def test_a_silent_end_has_no_output_to_tell() -> None:
    assert diagnose(3, " \n").message == "The worker exited with code 3."


def test_why_it_ended_is_told_first() -> None:
    found = diagnose(
        1, "working", "Error: no model is set\n    at main (a.js:1)\n\nNode.js v20.1.0\n"
    )
    assert found.message.partition("\n")[0] == (
        "The worker exited with code 1: Error: no model is set"
    )
    assert "working" in found.message


@pytest.mark.parametrize(
    "words",
    [
        "curl: (6) Could not resolve host: api.example.org",
        "Error: getaddrinfo EAI_AGAIN api.example.org",
        "OSError: [Errno 101] Network is unreachable",
    ],
)
def test_an_agent_that_needs_the_network_is_told_how_hosts_are_listed(words: str) -> None:
    found = diagnose(1, words)
    assert found.category is FailureCategory.NETWORK
    assert "`egress: [host:port]` at its CLI or its role" in found.message.partition("\n")[0]


@pytest.mark.parametrize(
    ("code", "stderr", "category", "action"),
    [
        (1, "", FailureCategory.CLI_ERROR, Action.RETRY_ONCE),
        (1, "something odd", FailureCategory.CLI_ERROR, Action.RETRY_ONCE),
        (127, "sh: 1: agent: not found", FailureCategory.CLI_ERROR, Action.ESCALATE),
        (
            1,
            "ModuleNotFoundError: No module named 'x'",
            FailureCategory.CLI_ERROR,
            Action.FAIL_OVER,
        ),
        (1, "MemoryError: out of memory", FailureCategory.RESOURCE, Action.ESCALATE),
        (1, "OSError: No space left on device", FailureCategory.RESOURCE, Action.ESCALATE),
        (1, "try again", FailureCategory.CLI_ERROR, Action.RETRY_SAME),
        (1, "the request timed out", FailureCategory.NETWORK, Action.RETRY_SAME),
        (137, "", FailureCategory.RESOURCE, Action.RETRY_ONCE),
        (1, "BLOCKED: it is impossible to go on", FailureCategory.LOGIC, Action.ESCALATE),
    ],
)
def test_words_decide_what_is_done(
    code: int, stderr: str, category: FailureCategory, action: Action
) -> None:
    found = diagnose(code, "", stderr)
    assert (found.category, found.action) == (category, action)


def test_the_answer_itself_is_no_complaint() -> None:
    found = diagnose(1, "I added a check for: out of memory", "odd end")
    assert found.action is Action.RETRY_ONCE
