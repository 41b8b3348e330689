"""Streams that are closed, full or read by nobody: no traceback, a code to rely on."""

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import click
import pytest
from tests.e2e.command import SUPERVISOR, User
from tests.support.preloaded import CLOSED, GONE

from supervisor_ai.cli.main import supervisor

FULL: Final = "/dev/full"
STREAMS: Final[Mapping[str, Mapping[int, str]]] = {
    "stdin closed": {0: CLOSED},
    "stdout closed": {1: CLOSED},
    "stderr closed": {2: CLOSED},
    "all closed": {0: CLOSED, 1: CLOSED, 2: CLOSED},
    "nobody reads stdout": {1: GONE},
    "nobody reads stderr": {2: GONE},
    "stdout full": {1: FULL},
    "stderr full": {2: FULL},
    "both full": {1: FULL, 2: FULL},
}
SHELL: Final = {
    "2>&-": 0,
    ">&-": 0,
    "<&-": 0,
    "<&- >&- 2>&-": 0,
    ">/dev/full": 6,
    "2>/dev/full": 0,
    ">/dev/full 2>&1": 6,
}


def verbs(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from verbs(found, *path, name)


def call(user: User, streams: Mapping[int, str], *arguments: str) -> tuple[int, str, str]:
    assert user.preloaded is not None
    return user.preloaded.call(
        arguments,
        directory=user.repository,
        environment=user.environment,
        seconds=300,
        streams=streams,
    )


@pytest.mark.parametrize("verb", list(verbs(supervisor)), ids=" ".join)
def test_no_verb_breaks_on_its_streams(reader: User, verb: tuple[str, ...]) -> None:
    for name, wanted in (("all closed", 0), ("nobody reads stdout", 0), ("stdout full", 6)):
        code, _, err = call(reader, STREAMS[name], *verb, "--help")
        assert code == wanted, name
        assert "Traceback" not in err


@pytest.mark.parametrize("streams", STREAMS.values(), ids=list(STREAMS))
@pytest.mark.parametrize(
    "wanted", [("status",), ("events", "--json"), ("logs", "last")], ids=" ".join
)
def test_what_is_read_is_written_or_not(
    reader: User, streams: Mapping[int, str], wanted: tuple[str, ...]
) -> None:
    code, _, err = call(reader, streams, *wanted)
    assert code == (6 if streams.get(1) == FULL else 0)
    assert ("stdout could not be written: No space left on device" in err) is (streams == {1: FULL})


@pytest.mark.parametrize("streams", STREAMS.values(), ids=list(STREAMS))
def test_an_error_keeps_its_code(reader: User, streams: Mapping[int, str]) -> None:
    assert call(reader, streams, "status", "nonsense")[0] == 3
    assert call(reader, streams, "status", "nonsense", "--json")[0] == 3
    assert call(reader, streams, "nonsense")[0] == 2


def test_a_run_needs_no_stream(user: User) -> None:
    code, _, _ = call(user, STREAMS["all closed"], "run", "Do it", "--yes")
    assert code == 0
    newest = user.newest()
    assert newest is not None
    assert newest["status"] == "completed"


@pytest.mark.parametrize("redirections", SHELL)
def test_a_shell_may_close_what_it_likes(reader: User, redirections: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" status --json {redirections}', SUPERVISOR],
        cwd=reader.repository,
        env=reader.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == SHELL[redirections]
    assert "Traceback" not in done.stderr


def test_a_text_on_stdin_that_is_none_is_refused(reader: User, tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"Add \xff it")
    code, _, err = call(reader, {0: str(binary)}, "run", "-", "--dry-run")
    assert (code, err.splitlines()[0]) == (
        2,
        "error: The text on stdin is not UTF-8: byte 4 is 0xff.",
    )
