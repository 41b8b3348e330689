import pytest

from supervisor_ai.engine.ports.sandbox import Channel
from supervisor_ai.sandboxes.bwrap.bwrap_errors import Overture, exec_failure

Heard = list[tuple[Channel, bytes]]


def overture() -> tuple[Overture, Heard]:
    heard: Heard = []
    return Overture(lambda channel, piece: heard.append((channel, piece))), heard


@pytest.mark.parametrize("said", [b"error: x", b"b", b"bwrap! no", b"x" * 20_000])
def test_words_of_the_command_pass_sooner_or_later(said: bytes) -> None:
    sink, heard = overture()
    sink(Channel.STDERR, said)
    sink.release()
    assert heard == [(Channel.STDERR, said)]
    assert sink.complaint == ""


@pytest.mark.parametrize("said", [b"bwrap: Can't chdir\n", b"launcher: no\n"])
def test_words_of_bubblewrap_are_held_back(said: bytes) -> None:
    sink, heard = overture()
    for at in range(len(said)):
        sink(Channel.STDERR, said[at : at + 1])
    assert heard == []
    assert sink.complaint == said.decode().strip()


def test_output_never_waits() -> None:
    sink, heard = overture()
    sink(Channel.STDERR, b"bwrap: ")
    sink(Channel.STDOUT, b"bwrap: ")
    assert heard == [(Channel.STDOUT, b"bwrap: ")]


def test_a_long_speech_that_begins_like_bubblewrap_is_not_kept_for_ever() -> None:
    sink, heard = overture()
    sink(Channel.STDERR, b"bwrap: " + b"x" * 10_000)
    assert len(heard[0][1]) == 10_007


def test_after_the_first_words_nothing_is_held_back() -> None:
    sink, heard = overture()
    sink(Channel.STDERR, b"hello\n")
    sink(Channel.STDERR, b"bwrap: is a fine tool\n")
    assert len(heard) == 2


@pytest.mark.parametrize(
    ("complaint", "why"),
    [
        ("bwrap: execvp pytest: No such file or directory", "No such file or directory"),
        ("bwrap: execvp a: b: Permission denied", "Permission denied"),
        ("bwrap: a warning\nbwrap: execvp x: Exec format error", "Exec format error"),
        ("bwrap: Can't find source path /x: No such file or directory", None),
        ("", None),
    ],
)
def test_only_a_failing_execution_means_that_the_command_is_missing(
    complaint: str, why: str | None
) -> None:
    assert exec_failure(complaint) == why
