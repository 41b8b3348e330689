"""A bug of ours: one sentence, exit code 70, and a report that can be found."""

import errno
from pathlib import Path

import pytest

from supervisor_ai.cli.failures import report_failure
from supervisor_ai.cli.interrupts import Interrupted
from supervisor_ai.domain.errors import Denied


def test_a_bug_is_one_sentence_and_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUPERVISOR_STATE", str(tmp_path))
    monkeypatch.delenv("SUPERVISOR_DEBUG", raising=False)
    assert report_failure(raised(ZeroDivisionError("oh")), as_json=False) == 70
    [report] = (tmp_path / "bugs").iterdir()
    assert "ZeroDivisionError: oh" in report.read_text()
    assert capsys.readouterr().err == (
        "error: This is a bug in supervisor: ZeroDivisionError: oh\n"
        f"hint: Please report it with {report}.\n"
    )


def test_a_traceback_is_shown_to_whoever_asks_for_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUPERVISOR_DEBUG", "1")
    assert report_failure(raised(ZeroDivisionError("oh")), as_json=False) == 70
    assert "Traceback" in capsys.readouterr().err


def test_an_error_is_told_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_failure(Denied("No \x1b[31mway."), as_json=False) == 7
    assert capsys.readouterr().err == "error: No way.\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted()])
def test_an_interrupt_is_no_error(error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    assert report_failure(error, as_json=True) == 130
    assert capsys.readouterr().out == ""


def raised(error: Exception) -> Exception:
    """Give an exception the traceback of a place."""
    try:
        raise error
    except type(error) as caught:
        return caught


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EMFILE, "Too many open files"),
        RuntimeError("can't start new thread"),
        MemoryError(),
        ExceptionGroup("several", [OSError(errno.ENOMEM, "Cannot allocate memory")]),
    ],
)
def test_a_machine_that_runs_out_of_something_is_no_bug(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_failure(error, as_json=False) == 6
    told = capsys.readouterr().err
    assert "ran out of something" in told
    assert "hint: " in told


def test_other_errors_of_the_system_stay_bugs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUPERVISOR_DEBUG", "1")
    mixed = ExceptionGroup("several", [MemoryError(), ValueError("x")])
    for error in (OSError(errno.ENOENT, "No such file"), RuntimeError("x"), mixed):
        assert report_failure(error, as_json=False) == 70
    assert "This is a bug" in capsys.readouterr().err
