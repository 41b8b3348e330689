"""The first process of a container, on the host: what it does needs no engine."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from supervisor_ai.sandboxes.containers.control_channel import ControlChannel, InitReport
from supervisor_ai.sandboxes.containers.init_process import InitOrders
from supervisor_ai.sandboxes.processes.inherited_fds import InheritedFds

START = """import sys
from supervisor_ai.sandboxes.containers.init_process import main
main(sys.argv[1])
"""
PATIENCE = 30


def start(way: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", START, str(way / "control")]
    return subprocess.Popen(words, stderr=subprocess.DEVNULL)


def keep(way: Path, orders: InitOrders, stdin: bytes = b"") -> tuple[InitReport, bytes]:
    """Let a keeper carry the orders out; return its report and what the command said."""
    with (
        InheritedFds() as files,
        ControlChannel(way, os.geteuid()) as control,
        start(way) as process,
    ):
        output = files.pipe()
        text = files.file(json.dumps(orders).encode())
        assert select.select([control], [], [], PATIENCE)[0]
        found = control.admit()
        assert found is not None
        assert found.pid == process.pid
        control.order([text, files.file(stdin), output.theirs, output.theirs])
        files.hand_over()
        assert process.wait(PATIENCE) == 0
        return control.read(), os.read(output.ours, 1 << 16)


def orders(*argv: str, cwd: str = "/", path: str = "/usr/bin:/bin") -> InitOrders:
    return {"argv": list(argv), "environment": {"PATH": path, "KEY": "a\nb"}, "cwd": cwd}


def test_the_command_gets_what_was_ordered_and_its_end_is_told(tmp_path: Path) -> None:
    script = 'pwd; echo "$KEY"; cat; exit 3'
    report, said = keep(tmp_path, orders("sh", "-c", script, cwd="/usr"), b"given")
    assert (report.exit_code, report.missing, report.failed) == (3, None, None)
    assert said == b"/usr\na\nb\ngiven"
    assert not (tmp_path / "control").exists()


def test_a_signal_is_told_by_the_exit_code(tmp_path: Path) -> None:
    report, _ = keep(tmp_path, orders("sh", "-c", "kill -9 $$"))
    assert report.exit_code == 128 + signal.SIGKILL


def test_signals_that_python_ignores_are_not_ignored_by_the_command(tmp_path: Path) -> None:
    report, said = keep(tmp_path, orders("grep", "SigIgn", "/proc/self/status"))
    assert report.exit_code == 0
    ignored = int(said.split()[1], 16)
    assert not ignored & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1)


def test_the_command_has_no_file_but_its_channels(tmp_path: Path) -> None:
    _, said = keep(tmp_path, orders("ls", "/proc/self/fd"))
    assert said.split() == [b"0", b"1", b"2", b"3"]  # the last is the listing itself


@pytest.mark.parametrize("command", ["no-such-command", "/usr", "./no/such/file"])
def test_a_command_that_cannot_be_started_is_told(tmp_path: Path, command: str) -> None:
    report, said = keep(tmp_path, orders(command))
    assert (report.exit_code, said) == (None, b"")
    assert report.missing


def test_a_script_without_a_first_line_is_for_the_shell(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('echo "$1"\n')
    script.chmod(0o755)
    report, said = keep(tmp_path, orders(str(script), "one"))
    assert (report.exit_code, said) == (0, b"one\n")


def test_a_directory_that_is_not_there_is_no_failure_of_the_command(tmp_path: Path) -> None:
    report, _ = keep(tmp_path, orders("true", cwd="/no/such/place"))
    assert (report.exit_code, report.missing) == (None, None)
    assert "/no/such/place" in str(report.failed)


def test_nothing_begins_when_nobody_gives_orders(tmp_path: Path) -> None:
    with ControlChannel(tmp_path, os.geteuid()) as control, start(tmp_path) as process:
        assert select.select([control], [], [], PATIENCE)[0]
        control.admit()
        control.order([])
        assert process.wait(PATIENCE) == 0
        assert control.read() == InitReport()


def test_who_comes_too_late_ends_without_having_begun(tmp_path: Path) -> None:
    with ControlChannel(tmp_path, os.geteuid()) as control:
        control.refuse()
        with start(tmp_path) as process:
            assert process.wait(PATIENCE) != 0
        assert control.read() == InitReport()
