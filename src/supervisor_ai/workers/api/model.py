"""A model behind an API, as a run pins it: the service, the choice, and the name of the key."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.domain.run.spending.model_services import SERVICES, Provider

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_KEY: Final = re.compile(r"[\x21-\x7e]+")


class Model(Struct, frozen=True, kw_only=True):
    """One model and how to ask it; the key itself is never here, only its variable."""

    name: str
    provider: Provider
    model: str
    base_url: str | None = None
    key: str | None = None
    """`${NAME}`, a variable of the supervisor's own."""
    max_tokens: int | None = None
    temperature: float | None = None
    timeout: float | None = None
    """Seconds for one question, within the attempt's own time."""
    stream: bool = True
    structured: bool = True
    """Whether the answer's schema is sent along, for a service that can keep to it."""
    plain_http: bool = False
    """Whether the user agreed to http on another machine."""

    @property
    def url(self) -> str:
        """Return where its service is."""
        return self.base_url or SERVICES[self.provider]


class Keyless(Exception):
    """The variable that should hold a key does not."""


def pinned_models(cli: Cli) -> tuple[Model, ...]:
    """Read the chain that a CLI pins: the model that it names, then those that stand in for it."""
    try:
        chain = msgspec.json.decode(cli.script or "[]", type=tuple[Model, ...])
    except msgspec.MsgspecError as error:
        raise InvalidInput(
            f"The CLI {cli.name!r} pins models that cannot be read: {error}."
        ) from error
    if not chain:
        raise InvalidInput(
            f"The CLI {cli.name!r} has no model.",
            hint="Name one of those under `models`: clis.NAME.model: primary",
        )
    return chain


def find_key(model: Model, environment: Mapping[str, str]) -> str | None:
    """Read the key from the user's environment; None for a service that wants none."""
    if model.key is None:
        return None
    found = _REFERENCE.fullmatch(model.key)
    if found is None:
        raise Keyless(f"The key of {model.name!r} must be named as a variable.")
    value = environment.get(found[1], "").strip()
    if not value:
        raise Keyless(f"The environment variable {found[1]!r} is not set.")
    # Anything else could end the header and begin another one.
    if not _KEY.fullmatch(value):
        raise Keyless(f"The environment variable {found[1]!r} holds no usable key.")
    return value
