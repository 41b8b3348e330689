"""What is said where an engine does not do what it was asked."""

import pytest

from supervisor_ai.sandboxes.containers.engine import DOCKER, EngineAnswer
from supervisor_ai.sandboxes.containers.preparation import failure


@pytest.mark.parametrize(
    ("complaint", "message"),
    [
        ("", "docker failed: it said nothing."),
        ("Error: no such image.", "docker failed: no such image."),
        ("warning\nIs the docker daemon running?", "docker failed: Is the docker daemon running."),
        ("Stop!", "docker failed: Stop."),
    ],
)
def test_a_failure_is_one_sentence_with_one_full_stop(complaint: str, message: str) -> None:
    answer = EngineAnswer(code=1, text="", complaint=complaint)
    assert failure(DOCKER, answer).message == message
