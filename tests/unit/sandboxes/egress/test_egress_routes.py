import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import BrokerRoute, Egress
from supervisor_ai.sandboxes.egress.gateway import PORT, gateway_environment
from supervisor_ai.sandboxes.egress.head import Framing, parse_answer, parse_request
from supervisor_ai.sandboxes.egress.model_access.headers import (
    client_head,
    content_type,
    upstream_head,
)
from supervisor_ai.sandboxes.egress.model_access.route import Route, parse_route
from supervisor_ai.sandboxes.egress.model_access.secret_mask import Mask
from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.target import Target

SECRET = "sk-real-0123456789"
PATHS = (
    "POST /v1/messages",
    "GET /v1/models/*",
    "POST /v1beta/models/*:streamGenerateContent",
    "GET /v1/a/*/c",
)


def route(upstream: str = "https://api.example.com", *, is_local: bool = False) -> Route:
    return parse_route(
        BrokerRoute(
            upstream=upstream, paths=PATHS, header="x-api-key", secret=SECRET, is_local=is_local
        )
    )


@pytest.mark.parametrize(
    ("method", "target", "path"),
    [
        ("POST", "/v1/messages", "/v1/messages"),
        ("POST", "/v1/messages?", "/v1/messages"),
        ("POST", "/v1/messages?beta=true", "/v1/messages?beta=true"),
        ("POST", "/v1/messages?key=a&beta=true&api_key=b", "/v1/messages?beta=true"),
        ("POST", "/v1/messages?access_token=a", "/v1/messages"),
        ("POST", "/v1/messages?KEY=a&%6bey=b&api%5Fkey=c&x;key=d", "/v1/messages"),
        ("POST", "/v1/messages?$httpHeaders=Authorization:x&alt=sse", "/v1/messages?alt=sse"),
        ("POST", "/v1/messages?$ct=application/json%2Bprotobuf&alt=sse", "/v1/messages?alt=sse"),
        ("GET", "/v1/models/gpt-5.1", "/v1/models/gpt-5.1"),
        ("GET", "/v1/models/ft:a:b", "/v1/models/ft:a:b"),
        ("GET", "/v1/models/a%3Ab", "/v1/models/a%3Ab"),
        ("GET", "/v1/a/b/c", "/v1/a/b/c"),
        (
            "POST",
            "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
            "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
        ),
    ],
)
def test_a_listed_request_passes_without_credentials(method: str, target: str, path: str) -> None:
    assert route().path(method, target) == path


@pytest.mark.parametrize(
    ("method", "target", "reason"),
    [
        ("GET", "/v1/messages", "path-not-listed"),
        ("post", "/v1/messages", "path-not-listed"),
        ("POST", "/v1/files", "path-not-listed"),
        ("POST", "/v1/messages/batches", "path-not-listed"),
        ("POST", "/V1/messages", "path-not-listed"),
        ("GET", "/v1/models/a/b", "path-not-listed"),
        ("GET", "/v1/a/b/b/c", "path-not-listed"),
        ("POST", "/v1beta/models/x:delete:streamGenerateContent", "path-not-listed"),
        ("GET", "/", "path-not-listed"),
        ("GET", "/v1/models/", "path-not-listed"),
        ("POST", "/v1/messages/", "path-not-listed"),
        ("GET", "", "bad-request"),
        ("GET", "//", "bad-request"),
        ("GET", "/v1/models/a//", "bad-request"),
        ("GET", "/v1/models/..", "bad-request"),
        ("GET", "/v1/models/.", "bad-request"),
        ("POST", "/v1/x/../messages", "bad-request"),
        ("GET", "/v1/models/%2e%2e", "bad-request"),
        ("GET", "/v1/models/a%2fb", "bad-request"),
        ("GET", "/v1/models/a%2Fb", "bad-request"),
        ("GET", "/v1/models/a%5cb", "bad-request"),
        ("GET", "/v1/models/a%00", "bad-request"),
        ("GET", "/v1/models/a%252fb", "bad-request"),
        ("GET", "/v1/models/a%3fb", "bad-request"),
        ("GET", "/v1/models/a%c3%a4", "bad-request"),
        ("GET", "/v1/models/a%zz", "bad-request"),
        ("GET", "/v1/models/a\\b", "bad-request"),
        ("GET", "/v1/models/a;b", "bad-request"),
        ("GET", "//v1/models/a", "bad-request"),
        ("POST", "/v1//messages", "bad-request"),
        ("POST", "/v1/messages#x", "bad-request"),
        ("POST", "/v1/messages?a#x", "bad-request"),
        ("POST", "/v1/messages\x00", "bad-request"),
        ("POST", "/v1/messages?a\tb", "bad-request"),
        ("POST", "/v1/messages?ä", "bad-request"),
    ],
)
def test_every_other_request_is_refused(method: str, target: str, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        route().path(method, target)
    assert (caught.value.reason, caught.value.host) == (reason, "api.example.com")


@given(st.text(alphabet="/.%2eEfF5cC\\;*:v1models?#", max_size=30))
def test_no_spelling_gets_out_of_its_part_of_the_path(rest: str) -> None:
    try:
        path = route().path("GET", "/v1/models/" + rest)
    except Refused:
        return
    whole = path.partition("?")[0]
    assert whole.count("/") == 3
    assert not {".", ".."} & set(whole.split("/"))


def test_an_upstream_may_have_a_path_and_a_port() -> None:
    found = route("https://api.example.com:8443/base/")
    assert found.target == Target(host="api.example.com", port=8443)
    assert found.path("POST", "/v1/messages") == "/base/v1/messages"
    assert found.is_tls


def test_only_a_local_upstream_may_be_an_address_or_without_tls() -> None:
    found = route("http://127.0.0.1:8080", is_local=True)
    assert (found.target, found.is_tls) == (Target(host="127.0.0.1", port=8080), False)
    assert route("http://localhost", is_local=True).target.port == 80


@pytest.mark.parametrize(
    "upstream",
    [
        *("http://api.example.com", "https://127.0.0.1", "https://[::1]", "https://2130706433"),
        *("https://", "ftp://api.example.com", "api.example.com", "https://u:p@api.example.com"),
        *("https://api.example.com?x", "https://api.example.com#x", "https://api.example.com:x"),
        *("https://api.exämple.com", "https://api.example.com/a b"),
    ],
)
def test_an_upstream_that_cannot_be_used_is_an_error(upstream: str) -> None:
    with pytest.raises(InvalidInput, match="cannot send requests"):
        route(upstream)


@pytest.mark.parametrize(
    "entry", ["/v1", "POST v1", "POST  /v1", "post /v1", "CONNECT /", "POST /%"]
)
def test_a_path_that_cannot_be_used_is_an_error(entry: str) -> None:
    with pytest.raises(InvalidInput, match="is no request"):
        parse_route(
            BrokerRoute(upstream="https://a.example", paths=(entry,), header="h", secret=SECRET)
        )


@pytest.mark.parametrize(("header", "secret"), [("a b", SECRET), ("h", "a\r\nb"), ("h", "")])
def test_a_header_that_cannot_be_written_is_an_error_without_the_secret(
    header: str, secret: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_route(
            BrokerRoute(upstream="https://a.example", paths=PATHS, header=header, secret=secret)
        )
    assert SECRET not in str(caught.value)


def test_a_route_does_not_show_its_secret() -> None:
    assert SECRET not in repr(route())


WORKERS = (
    *("Authorization", "X-Api-Key", "x-goog-api-key", "api-key", "Cookie", "Proxy-Authorization"),
    *("Proxy-Connection", "Connection", "Keep-Alive", "TE", "Upgrade", "Trailer", "Host", "Via"),
    *("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "OpenAI-Organization", "OpenAI-Project"),
    *("X_API_KEY", "X-Auth-Token", "X-HTTP-Method-Override", "X-Original-URL", "Accept-Encoding"),
    *("X-Goog-User-Project", "X-Listed-As-Hop", "Expect", "X-Amz-Security-Token"),
    *("X-DashScope-Plugin", "X-MCP-Servers", "Helicone-Target-Url", "X-Portkey-Custom-Host"),
    *("X-Target-URL", "X_Upstream_Host"),
)


def test_the_worker_says_nothing_upstream_about_who_pays() -> None:
    lines = "".join(f"{name}: worker\r\n" for name in WORKERS if name != "Connection")
    head = (
        f"POST /v1/messages HTTP/1.1\r\n{lines}Connection: close, X-Listed-As-Hop\r\n"
        "Content-Length: 2\r\nanthropic-version: 1\r\nContent-Type: application/json\r\n\r\n"
    )
    sent = upstream_head(
        parse_request(head.encode()), "/v1/messages", route(), {"x-api-key": SECRET}
    )
    assert sent.decode() == (
        "POST /v1/messages HTTP/1.1\r\nHost: api.example.com\r\nanthropic-version: 1\r\n"
        f"Content-Type: application/json\r\nAccept-Encoding: identity\r\nx-api-key: {SECRET}\r\n"
        "Content-Length: 2\r\n\r\n"
    )


def test_an_answer_comes_without_cookies_and_without_the_secret() -> None:
    head = (
        "HTTP/1.1 299 Whatever\r\nSet-Cookie: a\r\nConnection: keep-alive, X-Hop\r\nX-Hop: a\r\n"
        f"X-Echo: you sent {SECRET}!\r\nX-{SECRET}: b\r\nContent-Type: text/plain\r\n"
        "Alt-Svc: h3\r\n"
        "Content-Length: 9\r\nLocation: https://elsewhere.example/\r\n\r\n"
    )
    answer = parse_answer(head.encode())
    said = client_head(answer, Framing(is_chunked=True), Mask(f"Bearer {SECRET}"))
    assert said.decode() == (
        "HTTP/1.1 299 Unknown\r\nContent-Type: text/plain\r\n"
        "Location: https://elsewhere.example/\r\nTransfer-Encoding: chunked\r\n"
        "Connection: close\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("Content-Type: Text/Event-Stream; charset=utf-8", "text/event-stream"),
        ("X: y", ""),
        ("Content-Type: application/json\r\nContent-Encoding: gzip", ""),
    ],
)
def test_the_kind_of_a_body_that_can_be_read(lines: str, kind: str) -> None:
    assert content_type(parse_answer(f"HTTP/1.1 200 OK\r\n{lines}\r\n\r\n".encode())) == kind


@given(st.lists(st.sampled_from([SECRET[:3], SECRET[3:], SECRET, "x", SECRET[0]]), max_size=12))
def test_a_secret_is_covered_wherever_the_pieces_break(pieces: list[str]) -> None:
    mask = Mask(SECRET)
    seen = b"".join(mask.cover(piece.encode()) for piece in pieces) + mask.rest()
    assert seen.decode() == "".join(pieces).replace(SECRET, "*" * len(SECRET))


def test_what_cannot_begin_the_secret_passes_at_once() -> None:
    assert Mask(SECRET).cover(b"data: x\n\n") == b"data: x\n\n"


def test_a_command_is_led_to_what_is_there() -> None:
    broker = BrokerRoute(upstream="https://a.example", paths=PATHS, header="h", secret=SECRET)
    url = f"http://127.0.0.1:{PORT}"
    names = ("ANTHROPIC_BASE_URL",)

    def told(**changes: object) -> dict[str, str]:
        return gateway_environment(
            Egress(on_refusal=print, broker_variables=names, **changes),  # type: ignore[arg-type]
            PORT,
        )

    always = {
        **dict.fromkeys(("HTTPS_PROXY", "https_proxy"), url),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), "localhost,127.0.0.1,::1"),
        "NODE_USE_ENV_PROXY": "1",
    }
    plain = dict.fromkeys(("HTTP_PROXY", "http_proxy"), url)
    assert told(allow=("a.example:443",)) == always | plain
    assert told(broker=broker) == always | {"ANTHROPIC_BASE_URL": url}
