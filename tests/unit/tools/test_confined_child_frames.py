"""Messages of known length."""

import io

import pytest

from supervisor_ai.tools.confined_child import TooLongError, read_frame, write_frame


def test_messages_come_back_as_they_were_written() -> None:
    stream = io.BytesIO()
    for payload in (b"", b"a", b"\x00\xff" * 1000):
        write_frame(stream, payload)
    stream.seek(0)
    assert [read_frame(stream, most=2000) for _ in range(4)] == [
        b"",
        b"a",
        b"\x00\xff" * 1000,
        None,
    ]


def test_a_message_that_breaks_off_is_none() -> None:
    stream = io.BytesIO()
    write_frame(stream, b"abc")
    whole = stream.getvalue()
    assert [read_frame(io.BytesIO(whole[:end]), most=9) for end in range(len(whole))] == [
        None for _ in whole
    ]


def test_a_message_that_is_too_long_is_not_read() -> None:
    stream = io.BytesIO((1 << 62).to_bytes(8, "big"))
    with pytest.raises(TooLongError, match="9 are allowed"):
        read_frame(stream, most=9)
