import pytest

from supervisor_ai.sandboxes.containers.control import Report, parse


def test_a_report_is_understood() -> None:
    told = b'{"exit": 137, "events": {"memory": 1, "processes": 0}}\n'
    assert parse(told) == Report(exit_code=137, exceeded=("memory",))
    assert parse(b'{"missing": "No such file"}\n') == Report(missing="No such file")
    assert parse(b'{"failed": "no room"}\n') == Report(failed="no room")
    assert parse(b"") == Report()


@pytest.mark.parametrize(
    "told",
    [b"\xff\n", b"[1]\n", b'{"exit": "0"}', b'{"missing": 3, "failed": []}', b'{"events": [1]}'],
)
def test_nonsense_says_nothing(told: bytes) -> None:
    assert parse(told) == Report()
