"""The shapes of a script: who is answered, with what, and what goes wrong on the way."""

import re
from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

MAX_TURNS: Final = 1_000
MAX_WAIT: Final = 86_400
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_HEADER_VALUE: Final = re.compile(r"[\t\x20-\x7e]{0,4000}")
_FRAMING: Final = frozenset({"connection", "content-length", "transfer-encoding"})

DialectName = Literal["anthropic", "responses", "chat", "gemini", "ollama"]
KeyHeader = Literal["authorization", "x-api-key", "x-goog-api-key"]
CursorName = Literal["sequence", "history"]
FaultName = Literal["malformed_sse", "truncated_sse", "sse_error", "empty_200", "html_200", "reset"]
StopName = Literal["max_tokens", "refusal"]


def _expression(value: str) -> str:
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"is not a regular expression: {error}") from error
    return value


def _header_name(value: str) -> str:
    if not _HEADER_NAME.fullmatch(value):
        raise ValueError("is not the name of a header")
    if value.lower() in _FRAMING:
        raise ValueError("is a header that the server sets by itself")
    return value


def _number_as_text(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def _header_value(value: str) -> str:
    if not _HEADER_VALUE.fullmatch(value):
        raise ValueError("is not the value of a header")
    return value


HeaderName = Annotated[str, AfterValidator(_header_name)]
HeaderValue = Annotated[str, BeforeValidator(_number_as_text), AfterValidator(_header_value)]
Expression = Annotated[str, AfterValidator(_expression)]
Seconds = Annotated[float, Field(ge=0, le=MAX_WAIT)]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


class LabShape(BaseModel):
    """A mapping with known keys."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True, frozen=True)


class Tokens(LabShape):
    """`usage`: the tokens that an answer is said to have cost."""

    model_config: ClassVar[ConfigDict] = ConfigDict(validate_by_name=True, **LabShape.model_config)

    input: Count = Field(default=100, alias="in")
    output: Count = Field(default=20, alias="out")
    cache_read: Count = 0
    cache_write: Count = 0


class LabCall(LabShape):
    """`tool`: a call of one of the client's tools."""

    name: str
    input: dict[str, JsonValue] = Field(default_factory=dict)
    id: str | None = None
    namespace: str | None = None


class FreeCall(LabShape):
    """`custom`: a call whose input is plain text, as Codex's apply_patch wants it."""

    name: str
    input: str
    id: str | None = None


class Turn(LabShape):
    """One answer of the model, or one thing that goes wrong instead."""

    text: str | None = None
    thinking: str | None = None
    tool: LabCall | None = None
    tools: list[LabCall] = Field(default_factory=list, max_length=MAX_TURNS)
    custom: FreeCall | None = None
    stop: StopName | None = None
    model: str | None = None
    usage: Tokens = Field(default_factory=Tokens)
    drip: Seconds | None = None

    status: Annotated[int, Field(ge=400, le=599)] | None = None
    body: JsonValue = None
    reset: Annotated[Seconds, Field(gt=0)] | None = None
    fault: FaultName | None = None
    hang: Seconds | None = None
    times: Annotated[int, Field(ge=-1, le=1_000_000)] | None = None

    headers: dict[HeaderName, HeaderValue] = Field(default_factory=dict, max_length=50)
    delay: Seconds | None = None

    @property
    def calls(self) -> tuple[LabCall, ...]:
        """List the tool calls in their order."""
        return (*((self.tool,) if self.tool else ()), *self.tools)

    @property
    def is_trouble(self) -> bool:
        """Tell whether something goes wrong instead of an answer."""
        return self.status is not None or self.fault is not None or self.hang is not None

    @property
    def ends_by_clock(self) -> bool:
        """Tell whether time, not the number of requests, ends this turn."""
        return self.reset is not None and self.times is None


class Scenario(LabShape):
    """The turns of one conversation, and which requests belong to it."""

    turns: Annotated[list[Turn], Field(min_length=1, max_length=MAX_TURNS)]
    match: Expression | None = None
    dialect: DialectName | None = None
    cursor: CursorName | None = None


class Script(LabShape):
    """Everything that the model will say."""

    scenarios: Annotated[list[Scenario], Field(min_length=1, max_length=MAX_TURNS)]
    cursor: CursorName = "sequence"
    side: Turn | None = None
    side_calls: bool = True
    key_header: KeyHeader | None = None
    """Where a key or a login has to come; without it, or with another one, the answer is 401."""
