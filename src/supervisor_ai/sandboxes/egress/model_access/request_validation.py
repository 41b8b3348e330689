"""Validates the body of a request to a model against the closed list of its dialect."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NoReturn
from urllib.parse import unquote

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.sandboxes.egress.head import Framing, RequestHead, values
from supervisor_ai.sandboxes.egress.model_access.request_schemas import (
    DIALECTS,
    RequestDialect,
    Requires,
    Rule,
    Shape,
)
from supervisor_ai.sandboxes.egress.refusal import Refused

_BODILESS: Final = frozenset({"GET", "HEAD", "DELETE"})
_JSON: Final = re.compile(r"application/json(?:\s*;\s*charset=\"?utf-8\"?)?", re.IGNORECASE)
_UNTOLD: Final = "application/x-www-form-urlencoded"
"""What clients say who were not told what they send."""
_MOST_PARTS: Final = 1 << 20
"""More than the context of any model holds; a part costs us a hundred times its own size."""
_QUICK: Final = 1 << 16
"""A body of this size is read in about a millisecond; a larger one must not hold others up."""
_VERSION: Final = re.compile(r"_(?:\d{8}|\d{4}_\d\d_\d\d)\Z", re.ASCII)
_SNAKE: Final = re.compile(r"_([a-z])")
_SEARCHES: Final = re.compile(
    r"(?:\A|[-_/:.])"
    r"(?:search|online|sonar|perplexity|compound|alltools|rumination|deep-?research)"
    r"(?:\Z|[-_/:.])",
    re.IGNORECASE,
)
"""What models are called that search the web by themselves, whatever tools they are given."""
_TEXTS: Final = frozenset({"block", "part", "item", "content", "fallback"})
"""Shapes in whose place a mere text may stand."""
_CHECKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "data_url": lambda text: text.startswith("data:"),
    # Base64 has no colon, and every absolute address has one.
    "inline": lambda text: text.startswith("data:") or ":" not in text,
}
_NAME: Final = re.compile(r"[\w.:/-]{1,80}", re.ASCII)


def as_json(request: RequestHead, body: bytes) -> RequestHead:
    """Declare as JSON what nobody declared as anything, and the length of what was read."""
    fields = tuple(
        (name, value)
        for name, value in request.fields
        if name.lower() != "content-type" or value.lower() != _UNTOLD
    )
    if body and not values(fields, "content-type"):
        fields = (*fields, ("Content-Type", "application/json"))
    return replace(request, fields=fields, framing=Framing(length=len(body) or None))


async def validate(
    request: RequestHead, path: str, body: bytes, allowed: frozenset[str], turn: asyncio.Lock
) -> None:
    """Refuse a request that makes a provider reach what the role may not.

    `allowed` names the web tools of the role; large bodies are read in a thread, one at a time.
    """
    if request.method in _BODILESS and not body:
        return
    place = unquote(path.partition("?")[0])
    found = ((dialect, dialect.path.fullmatch(place)) for dialect in DIALECTS)
    dialect, match = next(((it, match) for it, match in found if match), (None, None))
    if dialect is None or match is None or request.method != "POST":
        raise Refused("unknown-api")
    review = _Review(dialect=dialect, allowed=allowed)
    review.check_model(next(iter(match.groups()), None) or "")
    if not body:
        return
    review.check_head(request)
    if len(body) < _QUICK:
        review.check_body(body)
        return
    async with turn:
        await asyncio.to_thread(review.check_body, body)


class _Review(Struct, frozen=True, kw_only=True):
    """One look at one request."""

    dialect: RequestDialect
    allowed: frozenset[str]

    def check_head(self, request: RequestHead) -> None:
        """Refuse what the provider would read in another way than we do."""
        # To some servers both spellings of a name are one.
        fields = tuple((name.replace("_", "-"), value) for name, value in request.fields)
        if any(it.lower() != "identity" for it in values(fields, "content-encoding")):
            self._refuse("unreadable-body", "content-encoding", "it is compressed")
        types = values(fields, "content-type")
        if len(types) != 1 or not _JSON.fullmatch(types[0]):
            self._refuse("unreadable-body", "content-type", "it is not declared as JSON in UTF-8")

    def check_model(self, name: str) -> None:
        """Refuse a model that searches by itself, unless the role may search."""
        if _SEARCHES.search(name) and "web_search" not in self.allowed:
            self._refuse("tool-not-allowed", "model", "its model searches the web by itself")

    def check_body(self, body: bytes) -> None:
        """Refuse a body that is no strict JSON, or holds what is not on the list."""
        try:
            said = _parse(body)
            if isinstance(said, dict):
                self._check(said, "", "")
                return
        except (ValueError, RecursionError):
            pass
        self._refuse("unreadable-body", "body", "it is no strict JSON object within the bounds")

    def _check(self, value: object, rule: Rule, place: str) -> None:
        if rule is None or value is None:
            return
        if isinstance(rule, Requires):
            self._require(rule, place)
        elif isinstance(value, list):
            for item in value:
                self._check(item, rule, place)
        elif isinstance(value, dict):
            self._check_object(value, rule, place)
        elif rule == "model" and isinstance(value, str):
            self.check_model(value)
        elif rule in _CHECKS and isinstance(value, str):
            if not _CHECKS[rule](value):
                self._refuse("part-not-listed", place, "the provider would fetch it")
        elif rule not in _TEXTS:
            self._refuse_part(place)

    def _check_object(self, value: Mapping[str, object], rule: str, place: str) -> None:
        shape = self._shape(value, rule, place)
        if isinstance(shape, Requires):
            self._require(shape, f"{place}.{value.get('type')}")
            return
        for key, inner in self._keys(value, place):
            if key not in shape:
                self._refuse_part(f"{place}.{key}")
            self._check(inner, shape[key], f"{place}.{key}")

    def _shape(self, value: Mapping[str, object], rule: str, place: str) -> Shape:
        shapes, kind = self.dialect.shapes, value.get("type", "")
        if rule in shapes:
            return shapes[rule]
        plain = _VERSION.sub("", kind) if isinstance(kind, str) else "?"
        if f"{rule}:{plain}" not in shapes:
            self._refuse_part(f"{place}.{kind}")
        return shapes[f"{rule}:{plain}"]

    def _keys(self, value: Mapping[str, object], place: str) -> Iterator[tuple[str, object]]:
        seen: set[str] = set()
        for key, inner in value.items():
            name = _SNAKE.sub(lambda it: it[1].upper(), key) if self.dialect.has_twins else key
            if name in seen:
                self._refuse("unreadable-body", f"{place}.{name}", "a key stands there twice")
            seen.add(name)
            yield name, inner

    def _require(self, rule: Requires, place: str) -> None:
        if not rule.tools & self.allowed:
            named = " or ".join(sorted(rule.tools))
            self._refuse(
                "tool-not-allowed", place, f"the `allowed_tools` of this role do not name {named}"
            )

    def _refuse_part(self, place: str) -> NoReturn:
        self._refuse("part-not-listed", place, "it is not on the list of what may be asked for")

    def _refuse(self, reason: str, place: str, why: str) -> NoReturn:
        part = place.removeprefix(".")
        # A worker wrote these names.
        part = part if _NAME.fullmatch(part) else "a name that is none"
        message = f"The sandbox did not send this request: {part}: {why}. Go on without it."
        raise Refused(reason, part=part, answer=(self.dialect.status, self.dialect.error(message)))


def _parse(body: bytes) -> object:
    """Read JSON in which no two readers find different things."""
    if sum(body.count(mark) for mark in (b"{", b"[", b",")) > _MOST_PARTS:
        raise ValueError("too many parts")
    return json.loads(body.decode(), object_pairs_hook=_object, parse_constant=_no_constant)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)
