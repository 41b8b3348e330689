import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.sandboxes.egress.body import LAST_CHUNK, MessageBody, chunk
from supervisor_ai.sandboxes.egress.head import Framing, parse_answer, parse_request, values
from supervisor_ai.sandboxes.egress.refusal import Refused


def head(*lines: bytes) -> bytes:
    return b"\r\n".join([*lines, b"", b""])


def test_a_request_is_read() -> None:
    request = parse_request(
        head(b"POST /v1/messages?beta=true HTTP/1.1", b"Host: x", b"Content-Length:  12 ", b"A:")
    )
    assert (request.method, request.target) == ("POST", "/v1/messages?beta=true")
    assert request.framing == Framing(length=12)
    assert request.fields == (("Host", "x"), ("Content-Length", "12"), ("A", ""))
    assert request.is_modern


def test_a_field_is_found_whatever_its_case() -> None:
    request = parse_request(head(b"GET / HTTP/1.0", b"ACCEPT: a", b"accept: b"))
    assert values(request.fields, "accept") == ["a", "b"]
    assert not request.is_modern


POST = b"POST / HTTP/1.1"


@pytest.mark.parametrize(
    "lines",
    [
        [POST, b"Content-Length: 1", b"Transfer-Encoding: chunked"],
        [POST, b"Content-Length: 1", b"Content-Length: 1"],
        [POST, b"Content-Length: 1, 1"],
        [POST, b"Content-Length: +1"],
        [POST, b"Content-Length: -1"],
        [POST, b"Content-Length: 0x1"],
        [POST, b"Content-Length: 1_0"],
        [POST, b"Content-Length:"],
        [POST, b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"],
        [POST, b"Transfer-Encoding: gzip, chunked"],
        [POST, b"Transfer-Encoding: xchunked"],
        [POST, b"Transfer-Encoding : chunked"],
        [POST, b"Transfer-Encoding:\x0bchunked"],
        [b"POST / HTTP/1.0", b"Transfer-Encoding: chunked"],
        [POST, b"A: b", b" folded"],
        [POST, b"A: b", b"\tfolded"],
        [POST, b"A: b\nContent-Length: 1"],
        [POST, b"A: b\rContent-Length: 1"],
        [POST, b"A: b\x00"],
        [POST, b"A b"],
        [POST, b": b"],
        [POST, "Ä: b".encode()],
        [b"POST  / HTTP/1.1"],
        [b"POST / HTTP/1.1 "],
        [b" POST / HTTP/1.1"],
        [b"POST /a b HTTP/1.1"],
        [b"POST /\x01 HTTP/1.1"],
        [b"POST /\xc3\xa4 HTTP/1.1"],
        [b"POST\t/ HTTP/1.1"],
        [b"POST / HTTP/2.0"],
        [b"POST / http/1.1"],
        [b"POST /"],
        [b"", b"GET / HTTP/1.1"],
        [b""],
    ],
)
def test_a_request_that_two_readers_could_read_differently_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(Refused) as caught:
        parse_request(head(*lines))
    assert caught.value.reason == "bad-request"


def outcome(text: bytes) -> str | None:
    try:
        parse_request(text)
    except Refused as refused:
        return refused.reason
    return None


@given(st.binary(max_size=200))
def test_noise_is_refused_but_never_an_error(noise: bytes) -> None:
    for text in (noise, b"POST / HTTP/1.1\r\n" + noise):
        assert outcome(text) in (None, "bad-request")


def test_an_answer_is_read() -> None:
    answer = parse_answer(head(b"HTTP/1.1 200 OK", b"Transfer-Encoding: chunked"))
    assert (answer.status, answer.framing) == (200, Framing(is_chunked=True))
    assert parse_answer(head(b"HTTP/1.0 404")).status == 404


@pytest.mark.parametrize("line", [b"HTTP/1.1 600 x", b"HTTP/2 200 OK", b"", b"200 OK"])
def test_an_answer_that_makes_no_sense_is_refused(line: bytes) -> None:
    with pytest.raises(Refused):
        parse_answer(head(line))


def read_body(content: bytes, framing: Framing, *, is_open_ended: bool = False) -> bytes:
    async def read() -> bytes:
        reader = asyncio.StreamReader(limit=1 << 12)
        reader.feed_data(content)
        reader.feed_eof()
        body = MessageBody(reader, framing, is_open_ended=is_open_ended)
        whole = b""
        while piece := await body.read():
            whole += piece
        assert not await body.read()
        return whole

    return asyncio.run(read())


CHUNKED = Framing(is_chunked=True)


@pytest.mark.parametrize(
    ("content", "framing", "expected"),
    [
        (b"hello and more", Framing(length=5), b"hello"),
        (b"nothing", Framing(), b""),
        (b"nothing", Framing(length=0), b""),
        (b"0\r\n\r\nrest", CHUNKED, b""),
        (b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n", CHUNKED, b"abcde"),
        (b"A\r\n0123456789\r\n00\r\n\r\n", CHUNKED, b"0123456789"),
    ],
)
def test_a_body_is_read_to_its_end(content: bytes, framing: Framing, expected: bytes) -> None:
    assert read_body(content, framing) == expected


def test_the_body_of_an_answer_may_go_on_to_the_end() -> None:
    assert read_body(b"all of it", Framing(), is_open_ended=True) == b"all of it"
    assert read_body(b"all of it", Framing(length=3), is_open_ended=True) == b"all"


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=8))
def test_what_was_cut_into_chunks_comes_together_again(pieces: list[bytes]) -> None:
    content = b"".join(map(chunk, pieces)) + LAST_CHUNK
    assert read_body(content, CHUNKED) == b"".join(pieces)


@pytest.mark.parametrize(
    "content",
    [
        b"x\r\nabc\r\n0\r\n\r\n",
        b"-3\r\nabc\r\n0\r\n\r\n",
        b"0x3\r\nabc\r\n0\r\n\r\n",
        b"3\nabc\n0\n\n\r\n",
        b"3\r\nabcd\r\n0\r\n\r\n",
        b" 3\r\nabc\r\n0\r\n\r\n",
        b"fffffffff\r\n",
        b"3;\x00\r\nabc\r\n0\r\n\r\n",
        b"0\r\n" + b"A: b\r\n" * 100 + b"\r\n",
        b"1" * 10_000 + b"\r\n",
    ],
)
def test_chunks_that_make_no_sense_are_refused(content: bytes) -> None:
    with pytest.raises(Refused):
        read_body(content, CHUNKED)


@pytest.mark.parametrize(
    ("content", "framing"),
    [(b"ab", Framing(length=3)), (b"3\r\nab", CHUNKED), (b"3", CHUNKED), (b"", CHUNKED)],
)
def test_a_body_that_ends_too_early_is_a_lost_connection(content: bytes, framing: Framing) -> None:
    with pytest.raises(ConnectionError):
        read_body(content, framing)


def test_a_line_of_blanks_does_not_keep_anybody_busy() -> None:
    blanks = b" " * 32_000
    with pytest.raises(Refused, match="bad-request"):
        parse_request(head(b"POST / HTTP/1.1", b"Host: x", b"A:" + blanks + b"\x01"))
    request = parse_request(head(b"POST / HTTP/1.1", b"Host: x", b"A: y" + blanks + b"x "))
    assert values(request.fields, "a") == ["y" + blanks.decode() + "x"]
