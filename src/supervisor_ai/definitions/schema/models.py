"""The shape of a model behind an API."""

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, AliasChoices, Field

from supervisor_ai.definitions.schema.base import Duration, FileShape, Name

_KEY: Final = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]{0,127}\}")
_URL: Final = re.compile(
    r"https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:(?P<port>[0-9]{1,5}))?(/[A-Za-z0-9._~%-]+)*"
)
_PORTS: Final = range(1, 65536)
_MODEL: Final = re.compile(r"[\x21-\x7e]{1,200}")


def service_url(value: str) -> str:
    """Accept the address of a service: no name, no key and no question in it."""
    found = _URL.fullmatch(value.rstrip("/"))
    if found is None or int(found["port"] or 1) not in _PORTS:
        raise ValueError(f"must be an address such as https://api.example.com/v1, found {value!r}")
    return found[0]


def key_reference(value: str) -> str:
    """Accept the name of a variable; what is written here ends up in files and in the ledger."""
    if not _KEY.fullmatch(value):
        raise ValueError("must take the key from a variable, as ${API_KEY}; no key belongs here")
    return value


def model_id(value: str) -> str:
    """Accept what a service calls its model."""
    if not _MODEL.fullmatch(value):
        raise ValueError(f"must be the name of a model, without blanks, found {value!r}")
    return value


class ModelShape(FileShape):
    """`models.NAME`: a model behind an API."""

    provider: Literal["openai_compatible", "openrouter", "ollama", "anthropic"] | None = None
    base_url: Annotated[str, AfterValidator(service_url)] | None = None
    key: Annotated[str, AfterValidator(key_reference)] | None = Field(
        default=None, validation_alias=AliasChoices("key", "api_key")
    )
    plain_http: bool | None = None
    model: Annotated[str, AfterValidator(model_id)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2, strict=False)] | None = None
    timeout: Duration | None = None
    stream: bool | None = None
    structured: bool | None = None
    fallback: list[Name] | None = None
