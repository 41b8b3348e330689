import pytest

from supervisor_ai.sandboxes.containers.control_channel import InitReport, parse


def test_a_report_is_understood() -> None:
    told = b'{"exit": 137, "events": {"memory": 1, "processes": 0}}\n'
    assert parse(told) == InitReport(exit_code=137, exceeded=("memory",))
    assert parse(b'{"missing": "No such file"}\n') == InitReport(missing="No such file")
    assert parse(b'{"failed": "no room"}\n') == InitReport(failed="no room")
    assert parse(b"") == InitReport()


@pytest.mark.parametrize(
    "told",
    [b"\xff\n", b"[1]\n", b'{"exit": "0"}', b'{"missing": 3, "failed": []}', b'{"events": [1]}'],
)
def test_nonsense_says_nothing(told: bytes) -> None:
    assert parse(told) == InitReport()
