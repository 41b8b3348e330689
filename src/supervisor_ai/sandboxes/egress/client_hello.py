"""The TLS client hello: which host the client says it wants (SNI)."""

from typing import Final

from supervisor_ai.sandboxes.egress.refusal import Refused

_HANDSHAKE: Final = 22
_CLIENT_HELLO: Final = 1
_RECORD_HEAD: Final = 5
_MESSAGE_HEAD: Final = 4
_LARGEST_RECORD: Final = 1 << 14
_MOST_RECORDS: Final = 64
_SERVER_NAME: Final = 0
_ENCRYPTED_HELLO: Final = 0xFE0D
_HOST_NAME: Final = 0


def server_name(heard: bytes) -> str | None:
    """Return the host in a ClientHello, or None as long as it is not complete.

    Whatever hides the name, or is no ClientHello, is refused.
    """
    message = _handshake(heard)
    if message[:1] not in (b"", bytes([_CLIENT_HELLO])):
        raise Refused("not-tls")
    return _name(_extensions(_Cursor(_body(message)))) if _is_whole(message) else None


def _handshake(heard: bytes) -> bytes:
    """Join what the records carry: one message may come in many."""
    message, at = b"", 0
    for _ in range(_MOST_RECORDS):
        if at >= len(heard):
            break
        head = heard[at : at + _RECORD_HEAD]
        if head[0] != _HANDSHAKE or head[1:2] not in (b"", b"\x03"):
            raise Refused("not-tls")
        if len(head) < _RECORD_HEAD:
            break
        size = int.from_bytes(head[3:], "big")
        if not 0 < size <= _LARGEST_RECORD:
            raise Refused("not-tls")
        at += _RECORD_HEAD
        message += heard[at : at + size]
        at += size
        if _is_whole(message):
            break
    else:
        raise Refused("not-tls")
    return message


def _is_whole(message: bytes) -> bool:
    return len(message) >= _MESSAGE_HEAD + int.from_bytes(
        message[1:_MESSAGE_HEAD].ljust(3, b"\xff")
    )


def _body(message: bytes) -> bytes:
    return message[_MESSAGE_HEAD : _MESSAGE_HEAD + int.from_bytes(message[1:_MESSAGE_HEAD])]


class _Cursor:
    """Reads what a client wrote, and refuses what does not add up."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def has_ended(self) -> bool:
        return self._at == len(self._content)

    def take(self, size: int) -> bytes:
        taken = self._content[self._at : self._at + size]
        if len(taken) != size:
            raise Refused("not-tls")
        self._at += size
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def block(self, size: int) -> bytes:
        """Take what follows after its own length."""
        return self.take(self.number(size))


def _extensions(hello: _Cursor) -> dict[int, bytes]:
    hello.take(2 + 32)
    for size in (1, 2, 1):  # the session, the ciphers, the compressions
        hello.block(size)
    if hello.has_ended():
        return {}
    rest = _Cursor(hello.block(2))
    if not hello.has_ended():
        raise Refused("not-tls")
    found: dict[int, bytes] = {}
    while not rest.has_ended():
        kind = rest.number(2)
        if kind in found:
            raise Refused("not-tls")
        found[kind] = rest.block(2)
    return found


def _name(extensions: dict[int, bytes]) -> str:
    if _ENCRYPTED_HELLO in extensions:
        raise Refused("hidden-sni")
    if _SERVER_NAME not in extensions:
        raise Refused("no-sni")
    outer = _Cursor(extensions[_SERVER_NAME])
    names = _Cursor(outer.block(2))
    if names.number(1) != _HOST_NAME:
        raise Refused("no-sni")
    name = names.block(2)
    if not (names.has_ended() and outer.has_ended() and name.isascii()):
        raise Refused("not-tls")
    return name.decode("ascii").lower()
