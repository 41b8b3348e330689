"""Messages of known length on a stream of bytes."""

from typing import BinaryIO, Final

_LENGTH: Final = 8


class TooLongError(ValueError):
    """A message is longer than the reader will take."""


def write_frame(stream: BinaryIO, payload: bytes) -> None:
    """Write a message."""
    stream.write(len(payload).to_bytes(_LENGTH, "big"))
    stream.write(payload)
    stream.flush()


def read_frame(stream: BinaryIO, *, most: int) -> bytes | None:
    """Read a message; None at the end of the stream, also where it breaks off."""
    head = stream.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    length = int.from_bytes(head, "big")
    if length > most:
        raise TooLongError(f"A message has {length} bytes; {most} are allowed.")
    payload = stream.read(length)
    return payload if len(payload) == length else None
