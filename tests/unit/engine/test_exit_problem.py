"""What is said of a worker that ended badly."""

import pytest

from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.engine.effects.worker import exit_problem


def test_the_end_of_the_output_is_told() -> None:
    problem = exit_problem(1, "x" * 5000 + "the last words")
    assert problem.category is FailureCategory.CLI_ERROR
    assert problem.message.startswith("The worker exited with code 1.\n")
    assert problem.message.endswith("the last words")
    assert len(problem.message) < 2500


def test_a_silent_end_has_no_output_to_tell() -> None:
    assert exit_problem(3, " \n").message == "The worker exited with code 3."


@pytest.mark.parametrize(
    "words",
    [
        "curl: (6) Could not resolve host: api.example.org",
        "Error: getaddrinfo EAI_AGAIN api.example.org",
        "OSError: [Errno 101] Network is unreachable",
    ],
)
def test_an_agent_that_needs_the_network_is_told_how_hosts_are_listed(words: str) -> None:
    problem = exit_problem(1, words)
    assert problem.category is FailureCategory.NETWORK
    assert "`egress: [host:port]` at its CLI or its role" in problem.message.partition("\n")[0]
