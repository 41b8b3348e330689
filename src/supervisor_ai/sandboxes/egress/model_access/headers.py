"""HTTP headers that the broker changes: the worker's credentials go, ours come; no cookies."""

import re
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Final

from supervisor_ai.sandboxes.egress.head import Field, Framing, RequestHead, ResponseHead, values
from supervisor_ai.sandboxes.egress.model_access.route import Route
from supervisor_ai.sandboxes.egress.model_access.secret_mask import Mask

_HOP: Final = (
    "connection|keep-alive|te|trailers?|transfer-encoding|content-length|upgrade|expect"
    "|http2-settings|proxy-.*"
)
# Who asks, on whose account, for whom, and what he says he really meant.
_WORKERS: Final = re.compile(
    rf"{_HOP}|host|accept-encoding|via|forwarded|x-forwarded.*|x-real-ip|x-original-.*|x-rewrite-.*"
    r"|x-http-method.*|x-method-override|cookie2?|.*auth.*|.*api-?key.*|.*token.*|.*secret.*"
    r"|.*password.*|.*credential.*|x-amz-.*|openai-(?:organization|project)|chatgpt-.*"
    r"|anthropic-(?:organization|workspace).*|x-goog-(?:user-project|iam|request-reason).*"
    # With these, some model services and gateways fetch, call tools or go elsewhere.
    r"|x-dashscope-(?:plugin|ossresourceresolve)|x-mcp-.*|x-litellm-.*|x-portkey-.*|helicone-.*"
    r"|cf-aig-.*|.*(?:target|base|custom|forward|upstream)-?(?:ur[il]|host|endpoint)"
)
_UPSTREAMS: Final = re.compile(rf"{_HOP}|set-cookie2?|alt-svc|refresh")
_EMPTY: Final = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})


def upstream_head(request: RequestHead, path: str, route: Route, given: Mapping[str, str]) -> bytes:
    """Write the head that goes upstream, with what the request is given on the way."""
    fields = [
        ("Host", route.authority),
        *_kept(request.fields, _WORKERS, given),
        ("Accept-Encoding", "identity"),
        *given.items(),
        *_framing(request.framing, is_required=request.method not in ("GET", "HEAD")),
    ]
    return _written(f"{request.method} {path} HTTP/1.1", fields)


def client_head(answer: ResponseHead, framing: Framing, mask: Mask) -> bytes:
    """Write the head that goes back, without anything that would show the secret."""
    fields = [
        *(field for field in _kept(answer.fields, _UPSTREAMS) if not mask.is_in(": ".join(field))),
        *_framing(framing, is_required=False),
        ("Connection", "close"),
    ]
    return _written(f"HTTP/1.1 {answer.status} {_phrase(answer.status)}", fields)


def has_body(request: RequestHead, answer: ResponseHead) -> bool:
    """Tell whether a body follows the head of the answer."""
    return request.method != "HEAD" and answer.status not in _EMPTY


def content_type(answer: ResponseHead) -> str:
    """Return what the body is, or nothing if nobody says or it is encoded."""
    if any(value.lower() != "identity" for value in values(answer.fields, "content-encoding")):
        return ""
    named = values(answer.fields, "content-type")
    return named[0].partition(";")[0].strip().lower() if named else ""


def _kept(
    fields: tuple[Field, ...], dropped: re.Pattern[str], ours: Iterable[str] = ()
) -> Iterator[Field]:
    named = ",".join(values(fields, "connection")).lower().split(",")
    never = {*(name.lower() for name in ours), *(name.strip() for name in named)}
    for name, value in fields:
        plain = name.lower().replace("_", "-")
        if not dropped.fullmatch(plain) and plain not in never and name.lower() not in never:
            yield name, value


def _framing(framing: Framing, *, is_required: bool) -> Iterator[Field]:
    if framing.is_chunked:
        yield "Transfer-Encoding", "chunked"
    elif framing.length is not None or is_required:
        yield "Content-Length", str(framing.length or 0)


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in {*HTTPStatus} else "Unknown"


def _written(first: str, fields: list[Field]) -> bytes:
    lines = [first, *(f"{name}: {value}" for name, value in fields)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
