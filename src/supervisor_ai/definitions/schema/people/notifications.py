"""The part of `config.yaml` that is about telling people: channels, who hears what, and when."""

import re
from datetime import time, timedelta
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from supervisor_ai.definitions.schema.base import (
    Command,
    Duration,
    FileShape,
    Name,
    Text,
    Variable,
    one_of,
)
from supervisor_ai.definitions.schema.hosts import is_local
from supervisor_ai.definitions.schema.scalars import reference
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.quiet_hours import WEEK
from supervisor_ai.engine.ports.notifications import ChannelKind

OFF: Final = "off"
_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_MIDNIGHT: Final = "24:00"
_DAYS: Final = {
    **{day.value: (day,) for day in WEEK},
    **{day.value[:3]: (day,) for day in WEEK},
    "weekdays": WEEK[:5],
    "weekends": WEEK[5:],
    "daily": WEEK,
}
_LONGEST: Final = timedelta(minutes=1)
_NEEDS: Final = {
    ChannelKind.COMMAND: ("command",),
    ChannelKind.WEBHOOK: ("url", "secret"),
    ChannelKind.APPRISE: ("url",),
}
_MAY_HAVE: Final = {
    ChannelKind.COMMAND: ("env",),
    ChannelKind.WEBHOOK: ("plain_http",),
}


def _kind(value: object) -> ChannelKind:
    return ChannelKind(one_of(value, [kind.value for kind in ChannelKind]))


def _severity(value: object) -> str:
    return one_of(OFF if value is False else value, [*(it.value for it in NoticeSeverity), OFF])


def _clock(value: object) -> time:
    if value == _MIDNIGHT:
        return time()
    found = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f'must be a time such as "22:00", in quotes, found {value!r}')
    return time(int(found[1]), int(found[2]))


def _days(value: object) -> object:
    said = value if isinstance(value, list) else [value]
    words = [one_of(word, tuple(_DAYS)) for word in said]
    return list(dict.fromkeys(day.value for word in words for day in _DAYS[word]))


def _secret(value: str) -> str:
    if reference(value) is None:
        raise ValueError("must take the secret from a variable, as ${NAME}; no secret belongs here")
    return value


def _timeout(value: timedelta) -> timedelta:
    if not timedelta() < value <= _LONGEST:
        raise ValueError("must be more than nothing and at most 1m")
    return value


def _route(value: object) -> object:
    """Take a word for the severity that it names."""
    return value if isinstance(value, dict) else {"severity": value}


class ChannelShape(FileShape):
    """`notifications.channels.NAME`: one way to reach you."""

    kind: Annotated[ChannelKind, BeforeValidator(_kind)]
    url: Text | None = None
    secret: Annotated[Text, AfterValidator(_secret)] | None = None
    command: Command | None = None
    env: dict[Variable, Text] = Field(default_factory=dict)
    plain_http: bool = False
    timeout: Annotated[Duration, AfterValidator(_timeout)] = timedelta(seconds=10)

    @model_validator(mode="after")
    def _fits_its_kind(self) -> "ChannelShape":
        needed = _NEEDS.get(self.kind, ())
        for key in needed:
            if not getattr(self, key):
                raise ValueError(f"a channel of the kind {self.kind.value!r} needs {key!r}")
        allowed = {"kind", "timeout", *needed, *_MAY_HAVE.get(self.kind, ())}
        for key in sorted(self.model_fields_set - allowed):
            raise ValueError(f"a channel of the kind {self.kind.value!r} has no {key!r}")
        return self._with_fitting_address()

    def _with_fitting_address(self) -> "ChannelShape":
        if self.kind is ChannelKind.APPRISE:
            _secret(self.url or "")
        if self.kind is not ChannelKind.WEBHOOK or reference(self.url or ""):
            return self
        parts = urlsplit(self.url or "")
        is_plain = parts.scheme == "http" and (self.plain_http or is_local(self.url or ""))
        if not parts.hostname or parts.username or (parts.scheme != "https" and not is_plain):
            raise ValueError(
                "url must be an address such as https://example.org/hook; one without encryption"
                " needs `plain_http: true`"
            )
        return self


class RouteShape(FileShape):
    """`notifications.states.STATE`: how urgent it is, and who hears of it."""

    severity: Annotated[str, BeforeValidator(_severity)] | None = None
    channels: list[Name] | None = None


class WindowShape(FileShape):
    """`notifications.quiet_hours.windows`: from a time to another, on some days."""

    days: Annotated[list[str], BeforeValidator(_days)] = Field(
        default_factory=lambda: [day.value for day in WEEK]
    )
    start: Annotated[time, BeforeValidator(_clock)] = Field(alias="from")
    end: Annotated[time, BeforeValidator(_clock)] = Field(alias="to")


class QuietHoursShape(FileShape):
    """`notifications.quiet_hours`: when nobody is disturbed but by what is critical."""

    timezone: Text | None = None
    windows: list[WindowShape] = Field(default_factory=list)


Route = Annotated[RouteShape, BeforeValidator(_route)]
SeverityWord = Literal["info", "warning", "critical"]
StateWord = Literal[
    "approval", "objection", "blocked", "budget", "failed", "completed", "cancelled"
]


class NotificationsShape(FileShape):
    """`notifications`: who hears of your runs."""

    channels: dict[Name, ChannelShape] = Field(default_factory=dict)
    severities: dict[SeverityWord, list[Name]] = Field(default_factory=dict)
    states: dict[StateWord, Route] = Field(default_factory=dict)
    quiet_hours: QuietHoursShape = Field(default_factory=QuietHoursShape)


USUAL: Final = {
    NoticeState.APPROVAL: NoticeSeverity.WARNING,
    NoticeState.OBJECTION: NoticeSeverity.WARNING,
    NoticeState.BLOCKED: NoticeSeverity.WARNING,
    NoticeState.BUDGET: NoticeSeverity.WARNING,
    NoticeState.FAILED: NoticeSeverity.WARNING,
    NoticeState.COMPLETED: NoticeSeverity.INFO,
    NoticeState.CANCELLED: NoticeSeverity.INFO,
}
"""How urgent a state is where nobody says so."""
