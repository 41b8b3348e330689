"""Runs inside a sandbox, before the command: listens, hands the listener over, then becomes it.

    python3 -I -S -c SHIM WAY COMMAND...

WAY is the number of an inherited socket or the path of one that listens. It closes when the
command begins; a command that cannot begin is told over it. Needs nothing that starts slowly.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import os
import sys

_PORT = 3128
_BACKLOG = 128


def _find(way: str) -> _socket.socket:
    if way.isdigit():
        found = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, int(way))
        os.set_inheritable(found.fileno(), False)  # noqa: FBT003 - the system's own signature
        return found
    found = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    found.connect(way)
    return found


def _hand_over(way: _socket.socket) -> None:
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", _PORT))
    listener.listen(_BACKLOG)
    number = listener.fileno().to_bytes(4, sys.byteorder)
    way.sendmsg([b"L"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, number)])
    listener.close()


def _become(command: list[str]) -> None:
    # Python ignores these; the command has to begin as if there had been no shim.
    for ignored in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(ignored, _signal.SIG_DFL)
    os.execvp(command[0], command)  # noqa: S606 - a list of words, no shell


def _main() -> int:
    way = _find(sys.argv[1])
    try:
        _hand_over(way)
        _become(sys.argv[2:])
    except OSError as error:
        way.sendall(f"{error.errno} {error.strerror}".encode())
    return 127


if __name__ == "__main__":
    sys.exit(_main())
