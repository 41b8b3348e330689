"""Attempts of a worker that may leave its sandbox, but only to listed hosts."""

import asyncio
import dataclasses
import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from tests.attacks.attempt import (
    Attempt,
    Evidence,
    Heard,
    Outcome,
    describe,
    run,
    spec_for,
    stolen,
)
from tests.attacks.doors import run_with_naive_door
from tests.attacks.guards import WHOLE, Guards, Layer, careless, option, relaxed
from tests.attacks.scene import METADATA, PRIVATE, PUBLIC, Scene

from supervisor_ai.domain.run.spending.prices import CostCap, Price
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import BrokerRoute, Egress, Profile, SandboxSpec

LISTED: Final = "listed.test:443"
_CLIENT: Final = """
import ssl

def hello(name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname=name)
    try: client.do_handshake()
    except ssl.SSLWantReadError: pass
    return outgoing.read()

def ask(words):
    way = socket.create_connection(('127.0.0.1', 3128), 5)
    way.settimeout(4)
    way.sendall(words)
    return way

def tunnel(target, first):
    way = ask(f'CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n'.encode())
    head = way.recv(4096)
    print(head, flush=True)
    if b' 200' in head:
        way.sendall(first)
        print(head.partition(b'\\r\\n\\r\\n')[2] + way.recv(4096))

def request(method, path, fields='', body=b'{}'):
    way = ask(f'{method} {path} HTTP/1.1\\r\\nHost: x\\r\\nContent-Type: application/json\\r\\n'
              f'{fields}Content-Length: {len(body)}\\r\\n\\r\\n'.encode() + body)
    answer = b''
    while piece := way.recv(1 << 16):
        answer += piece
        if b'END' in answer: break
    print(answer, flush=True)
    return answer
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """An API on the test's own loopback that notes what it is asked."""

    server: socket.socket
    heard: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Return where it is."""
        return f"http://127.0.0.1:{self.server.getsockname()[1]}"

    def serve(self) -> None:
        """Answer every request with its own head, and say what it cost."""
        with suppress(OSError):
            while True:
                guest, _ = self.server.accept()
                with guest:
                    self._answer(guest)

    def _answer(self, guest: socket.socket) -> None:
        guest.settimeout(5)
        request = b""
        while b"\r\n\r\n" not in request and (piece := guest.recv(1 << 16)):
            request += piece
        self.heard.append(request)
        usage = {"input_tokens": 50, "output_tokens": 50}
        told = json.dumps({"usage": usage, "echo": request.decode("latin-1"), "end": "END"})
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(told)}"
        guest.sendall(f"{head}\r\nConnection: close\r\n\r\n{told}".encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Outward:
    """A program that tries to get out through the door."""

    program: str
    allow: tuple[str, ...] = (LISTED,)
    at: tuple[str, int] | None = None
    """Where somebody waits who must never be reached."""
    evidence: Evidence = stolen
    paths: tuple[str, ...] = ()
    tokens: int | None = None
    cost_cap: CostCap | None = None
    reason: str = ""
    """The word by which the refusal is told, if there is one."""

    def __call__(self, scene: Scene, guards: Guards) -> Outcome:
        """Open a door, let the program try, and look who was reached."""
        if self.at is not None:
            family = socket.AF_INET6 if ":" in self.at[0] else socket.AF_INET
            scene.serve(family, self.at)
        refused: list[EgressRefusal] = []
        spec = replace(
            spec_for(scene, f"{_CLIENT}{self.program}"),
            profile=Profile.WORKER,
            egress=self._egress(scene, refused.append),
        )
        heard = self._run(scene, guards, guards.spec(spec))
        if _NO_NETWORK in heard.result.reason:
            return Outcome(succeeded=False, detail=describe(heard))
        if b"TRIED" not in heard.output:
            raise RuntimeError(f"It was not even tried: {describe(heard)}")
        if guards == WHOLE and self.reason and self.reason not in {each.reason for each in refused}:
            raise RuntimeError(f"No {self.reason!r} in {refused}: {describe(heard)}")
        return Outcome(
            succeeded=self.evidence(scene, heard), detail=f"{refused}\n{describe(heard)}"
        )

    def _run(self, scene: Scene, guards: Guards, spec: SandboxSpec) -> Heard:
        if not guards.is_careless:
            return run(scene, guards, spec)
        scene.facts["patience"] = "2"
        spec = replace(spec, stdin=repr(scene.facts).encode())
        return asyncio.run(run_with_naive_door(scene, guards, spec))

    def _egress(self, scene: Scene, sink: Callable[[EgressRefusal], None]) -> Egress:
        if not self.paths:
            return Egress(on_refusal=sink, allow=self.allow)
        upstream = Upstream(server=scene.enter_context(socket.create_server(("127.0.0.1", 0))))
        scene.callback(upstream.server.shutdown, socket.SHUT_RDWR)
        threading.Thread(target=upstream.serve, daemon=True).start()
        scene.requests = upstream.heard
        route = BrokerRoute(
            upstream=upstream.url,
            paths=self.paths,
            header="x-api-key",
            secret=scene.secret,
            is_local=True,
        )
        return Egress(on_refusal=sink, broker=route, tokens=self.tokens, cost_cap=self.cost_cap)


def _also(*entries: str) -> Layer:
    def change(spec: SandboxSpec) -> SandboxSpec:
        egress = spec.egress
        return replace(spec, egress=replace(egress, allow=(LISTED, *entries))) if egress else spec

    return relaxed("exact list of hosts and ports", "the target is listed too", change)


def _more_paths(*entries: str) -> Layer:
    def change(spec: SandboxSpec) -> SandboxSpec:
        egress = spec.egress
        if egress is None or egress.broker is None:
            return spec
        return replace(
            spec, egress=replace(egress, broker=dataclasses.replace(egress.broker, paths=entries))
        )

    return relaxed("the broker's list of paths", "the path is listed too", change)


def _searching(spec: SandboxSpec) -> SandboxSpec:
    egress = spec.egress
    if egress is None or egress.broker is None:
        return spec
    broker = dataclasses.replace(egress.broker, web_tools=("web_search",))
    return replace(spec, egress=replace(egress, broker=broker))


def _unbounded(spec: SandboxSpec) -> SandboxSpec:
    return replace(spec, egress=replace(spec.egress, tokens=None)) if spec.egress else spec


def _without_price(spec: SandboxSpec) -> SandboxSpec:
    return replace(spec, egress=replace(spec.egress, cost_cap=None)) if spec.egress else spec


def _key_inside(spec: SandboxSpec) -> SandboxSpec:
    route = spec.egress.broker if spec.egress else None
    return replace(spec, environment={"API_KEY": route.secret}) if route else spec


def _requested(words: bytes) -> Evidence:
    return lambda scene, _: any(words in request for request in scene.requests)


def _asked_often(scene: Scene, _: Heard) -> bool:
    return len(scene.requests) >= 8


_PRICE: Final = Price(
    input=Decimal(10), output=Decimal(10), cache_read=Decimal(0), cache_write=Decimal(0)
)
"""Of what an answer takes here: a thousandth of a dollar."""

_NO_NETWORK: Final = "the sandbox has no network of its own"
_NAIVE_DOOR: Final = "a door that dials what it is asked to"
_ADDRESS_CHECK: Final = careless(
    "names must lead to public addresses, which are dialled", _NAIVE_DOOR
)
_LITERAL_CHECK: Final = careless(
    "no addresses in place of names", f"{_NAIVE_DOOR}, and it is listed"
)
_HELLO_CHECK: Final = careless(
    "the first words must be TLS for the host that was asked for", _NAIVE_DOOR
)
_MESSAGES: Final = ("POST /v1/messages",)


def _connect(what: str, target: str, at: tuple[str, int], layer: Layer, fact: str) -> Attempt:
    host = target.rpartition(":")[0].strip("[]")
    return Attempt(
        what=what,
        fact=fact,
        layers=(layer,),
        perform=Outward(program=f"tunnel({target!r}, hello({host!r}))", at=at, reason="not-listed"),
    )


def _literal(what: str, target: str, at: tuple[str, int]) -> Attempt:
    return Attempt(
        what=what,
        fact="25",
        layers=(
            replace(
                _LITERAL_CHECK,
                take=lambda guards: _also(target).take(_LITERAL_CHECK.take(guards)),
            ),
        ),
        perform=Outward(
            program=f"tunnel({target!r}, hello('listed.test'))", at=at, reason="ip-literal"
        ),
    )


def _resolves(what: str, name: str, address: str, fact: str = "26") -> Attempt:
    return Attempt(
        what=what,
        fact=fact,
        layers=(_ADDRESS_CHECK,),
        perform=Outward(
            program=f"tunnel('{name}:443', hello('{name}'))",
            allow=(f"{name}:443",),
            at=(address, 443),
            reason="private-address",
        ),
    )


def _first_words(what: str, words: str, reason: str) -> Attempt:
    return Attempt(
        what=what,
        fact="27",
        layers=(_HELLO_CHECK,),
        perform=Outward(program=f"tunnel('{LISTED}', {words})", at=(PUBLIC, 443), reason=reason),
    )


ATTEMPTS: Final = (
    _connect(
        "asks the door for a host that is not listed",
        "other.test:443",
        (PUBLIC, 443),
        _also("other.test:443"),
        "25",
    ),
    _connect(
        "asks the door for another port of a listed host",
        "listed.test:8443",
        (PUBLIC, 8443),
        _also("listed.test:8443"),
        "25",
    ),
    _connect(
        "asks the door for a host whose name begins like a listed one",
        "listed.test.other.test:443",
        (PUBLIC, 443),
        _also("listed.test.other.test:443"),
        "25",
    ),
    _literal("asks the door for an address", f"{PUBLIC}:443", (PUBLIC, 443)),
    _literal("asks the door for an address as one number", "2130706433:443", ("127.0.0.1", 443)),
    _literal("asks the door for an address of IPv6", "[::1]:443", ("::1", 443)),
    Attempt(
        what="hides another host behind a listed one",
        fact="25",
        layers=(careless("targets are read strictly", _NAIVE_DOOR),),
        perform=Outward(
            program="tunnel('listed.test:443@other.test:8443', hello('listed.test'))",
            at=(PUBLIC, 8443),
            reason="bad-target",
        ),
    ),
    Attempt(
        what="asks the door for a page without encryption",
        fact="25",
        layers=(careless("only CONNECT", _NAIVE_DOOR),),
        perform=Outward(
            program="""
way = ask(b'GET http://other.test/ HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n')
print(way.recv(4096))
""",
            at=(PUBLIC, 80),
            reason="plain-http",
        ),
    ),
    _resolves("has a listed name lead to a private address", "private.test", PRIVATE),
    _resolves("has a listed name lead to the host itself", "loop.test", "127.0.0.1"),
    _resolves("has a listed name lead to the metadata address", "metadata.test", METADATA),
    _first_words("names another host inside TLS", "hello('other.test')", "sni-mismatch"),
    _first_words("names no host inside TLS", "hello(None)", "no-sni"),
    _first_words("speaks something else than TLS", "b'SSH-2.0-evil\\r\\n'", "not-tls"),
    Attempt(
        what="goes past the door",
        fact="31",
        layers=(
            option("--unshare-net", ("--unshare-net",)),
            careless(
                "no listener where there is no network of its own",
                "a listener that is made inside, wherever that is",
            ),
        ),
        perform=Outward(
            program=f"print(socket.create_connection(('{PUBLIC}', 443), 3).recv(100))",
            at=(PUBLIC, 443),
        ),
    ),
    Attempt(
        what="reads the files at the API that the broker is for",
        fact="29",
        layers=(_more_paths("POST /v1/messages", "GET /v1/files"),),
        perform=Outward(
            program="request('GET', '/v1/files', body=b'')",
            paths=_MESSAGES,
            evidence=_requested(b"/v1/files"),
            reason="path-not-listed",
        ),
    ),
    Attempt(
        what="reaches another path of the API by dots",
        fact="29",
        layers=(careless("paths are read strictly", _NAIVE_DOOR),),
        perform=Outward(
            program="request('POST', '/v1/messages/../files')",
            paths=_MESSAGES,
            evidence=_requested(b"files"),
            reason="bad-request",
        ),
    ),
    Attempt(
        what="sends what it found to its own account at the API",
        fact="29",
        layers=(careless("the worker's key is replaced by ours", _NAIVE_DOOR),),
        perform=Outward(
            program="request('POST', '/v1/messages', 'X-Api-Key: mine-not-yours\\r\\n')",
            paths=_MESSAGES,
            evidence=_requested(b"mine-not-yours"),
        ),
    ),
    Attempt(
        what="reads the key of the API",
        fact="29",
        layers=(relaxed("the key stays outside", "the key is in the environment", _key_inside),),
        perform=Outward(
            program="request('POST', '/v1/messages'); print(dict(os.environ))",
            paths=_MESSAGES,
        ),
    ),
    Attempt(
        what="goes on asking when its budget is spent",
        layers=(relaxed("the budget cuts it off", "no budget", _unbounded),),
        perform=Outward(
            program="for _ in range(8): request('POST', '/v1/messages')",
            paths=_MESSAGES,
            tokens=250,
            evidence=_asked_often,
        ),
    ),
    Attempt(
        what="goes on asking when its money is spent",
        layers=(relaxed("the price of its tokens cuts it off", "no price", _without_price),),
        perform=Outward(
            program="for _ in range(8): request('POST', '/v1/messages')",
            paths=_MESSAGES,
            cost_cap=CostCap(limit=Decimal("0.0025"), price=_PRICE),
            evidence=_asked_often,
        ),
    ),
    Attempt(
        what="lets its model search the web for it",
        fact="29",
        layers=(relaxed("the closed list of what may be asked", "the role names it", _searching),),
        perform=Outward(
            program=(
                "request('POST', '/v1/messages',"
                ' body=b\'{"tools": [{"type": "web_search_20250305"}]}\')'
            ),
            paths=_MESSAGES,
            evidence=_requested(b"/v1/messages"),
            reason="tool-not-allowed: tools.web_search_20250305",
        ),
    ),
)
