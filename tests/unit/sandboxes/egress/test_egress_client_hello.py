import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.sandboxes.egress.client_hello import server_name
from supervisor_ai.sandboxes.egress.refusal import Refused


def real_hello(name: str | None) -> bytes:
    """Let the real library say its first words."""
    context = ssl.create_default_context()
    context.check_hostname = False
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


HELLO = real_hello("api.example.com")


def records(message: bytes, *sizes: int) -> bytes:
    """Cut one handshake message into records of the given sizes, the last one takes the rest."""
    cut = b""
    for size in (*sizes, len(message)):
        piece, message = message[:size], message[size:]
        if piece:
            cut += b"\x16\x03\x01" + len(piece).to_bytes(2, "big") + piece
    return cut


def extension(kind: int, content: bytes) -> bytes:
    return kind.to_bytes(2, "big") + len(content).to_bytes(2, "big") + content


def sni(name: bytes, kind: int = 0) -> bytes:
    entry = bytes([kind]) + len(name).to_bytes(2, "big") + name
    return extension(0, len(entry).to_bytes(2, "big") + entry)


def hello(*extensions: bytes) -> bytes:
    """Write a ClientHello with these extensions and nothing else of interest."""
    joined = b"".join(extensions)
    body = b"\x03\x03" + bytes(32) + b"\x00" + b"\x00\x02\x13\x01" + b"\x01\x00"
    body += len(joined).to_bytes(2, "big") + joined
    return records(b"\x01" + len(body).to_bytes(3, "big") + body)


def reason(heard: bytes) -> str:
    with pytest.raises(Refused) as caught:
        server_name(heard)
    return caught.value.reason


REASONS = {None, "not-tls", "no-sni", "hidden-sni"}


def outcome(heard: bytes) -> str | None:
    try:
        server_name(heard)
    except Refused as refused:
        return refused.reason
    return None


def test_the_name_in_a_real_hello_is_found() -> None:
    assert server_name(HELLO) == "api.example.com"


@given(st.integers(0, len(HELLO) - 1))
def test_as_long_as_a_hello_is_not_complete_there_is_no_name(size: int) -> None:
    assert server_name(HELLO[:size]) is None


@given(st.lists(st.integers(1, 400), max_size=30))
def test_a_hello_in_many_records_is_the_same(sizes: list[int]) -> None:
    assert server_name(records(HELLO[5:], *sizes)) == "api.example.com"


def test_what_follows_the_hello_does_not_matter() -> None:
    assert server_name(HELLO + b"\x17\x03\x03garbage") == "api.example.com"


def test_the_name_is_compared_in_lower_case() -> None:
    assert server_name(hello(sni(b"API.Example.com"))) == "api.example.com"


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        (real_hello(None), "no-sni"),
        (hello(), "no-sni"),
        (hello(sni(b"a.example", kind=1)), "no-sni"),
        (hello(sni(b"a.example"), extension(0xFE0D, b"x")), "hidden-sni"),
        (hello(sni(b"a.example"), sni(b"b.example")), "not-tls"),
        (hello(sni("ä.example".encode())), "not-tls"),
        (hello(sni(b"a.example")[:-1]), "not-tls"),
        (hello(extension(0, b"")), "not-tls"),
        (hello(extension(0, b"\x00\x05\x00\x00\x01a\x00")), "not-tls"),
        (b"SSH-2.0-OpenSSH", "not-tls"),
        (b"GET / HTTP/1.1\r\n", "not-tls"),
        (b"\x16\x02\x00\x00\x01x", "not-tls"),
        (b"\x16\x03\x01\x00\x00", "not-tls"),
        (b"\x16\x03\x01\xff\xff", "not-tls"),
        (records(b"\x02\x00\x00\x01x"), "not-tls"),
        (records(HELLO[5:], *[1] * 70), "not-tls"),
        (b"\x80\x2e\x01\x03\x01", "not-tls"),
    ],
)
def test_whatever_hides_its_name_or_is_no_hello_is_refused(heard: bytes, expected: str) -> None:
    assert reason(heard) == expected


@given(st.binary(max_size=300))
def test_noise_is_refused_or_incomplete_but_never_an_error(noise: bytes) -> None:
    for heard in (noise, records(b"\x01" + len(noise).to_bytes(3, "big") + noise)):
        assert outcome(heard) in REASONS


@given(st.integers(0, len(HELLO) - 1), st.integers(0, 255))
def test_a_changed_byte_is_never_an_error(place: int, byte: int) -> None:
    assert outcome(HELLO[:place] + bytes([byte]) + HELLO[place + 1 :]) in REASONS
