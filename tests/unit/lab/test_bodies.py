"""Bodies of requests: whole, chunked, compressed, cut off, too large."""

import gzip
import zlib
from collections.abc import Callable
from email.message import Message
from io import BytesIO

import pytest

from supervisor_ai.lab.body import MAX_BODY, BadBody, read_body


def read(body: bytes, **headers: str) -> bytes:
    message: Message[str, str] = Message()
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    return read_body(message, BytesIO(body))


def test_a_body_has_its_length() -> None:
    assert read(b"hello and more", Content_Length="5") == b"hello"
    assert read(b"hello") == b""


def test_a_body_comes_in_chunks() -> None:
    wire = b"5;x=y\r\nhello\r\nA\r\n, chunks!!\r\n0\r\ntrailer: 1\r\n\r\n"
    assert read(wire, Transfer_Encoding="chunked") == b"hello, chunks!!"


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_is_unpacked(pack: Callable[[bytes], bytes], encoding: str) -> None:
    packed = pack(b"hello" * 100)
    size = str(len(packed))
    assert read(packed, Content_Length=size, Content_Encoding=encoding) == b"hello" * 100


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"hell", {"Content-Length": "5"}, 400),
        (b"", {"Content-Length": "-5"}, 400),
        (b"", {"Content-Length": "²"}, 400),
        (b"", {"Content-Length": "5x"}, 400),
        (b"", {"Content-Length": str(MAX_BODY + 1)}, 413),
        (b"5\r\nhelloo\r\n0\r\n\r\n", {"Transfer-Encoding": "chunked"}, 400),
        (b"5\r\nhell", {"Transfer-Encoding": "chunked"}, 400),
        (b"5" * 2000 + b"\r\n", {"Transfer-Encoding": "chunked"}, 400),
        (b"0\r\n" + b"a: b\r\n" * 200, {"Transfer-Encoding": "chunked"}, 400),
        (b"fffffffff\r\n", {"Transfer-Encoding": "chunked"}, 413),
        (b"hello", {"Content-Length": "5", "Content-Encoding": "gzip"}, 400),
        (
            gzip.compress(b"hello", mtime=0)[:-9],
            {"Content-Length": "16", "Content-Encoding": "gzip"},
            400,
        ),
        (b"hello", {"Content-Length": "5", "Content-Encoding": "zstd"}, 415),
    ],
)
def test_a_bad_body_is_refused(body: bytes, headers: dict[str, str], status: int) -> None:
    with pytest.raises(BadBody) as caught:
        read(body, **headers)
    assert caught.value.status == status


def test_a_small_body_does_not_become_a_large_one() -> None:
    bomb = gzip.compress(bytes(MAX_BODY + 1))
    with pytest.raises(BadBody) as caught:
        read(bomb, Content_Length=str(len(bomb)), Content_Encoding="gzip")
    assert caught.value.status == 413
