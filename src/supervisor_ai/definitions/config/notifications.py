"""What the user's config says about telling people."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.definitions.config.merged import MergedConfig
from supervisor_ai.definitions.schema.people.notifications import (
    OFF,
    USUAL,
    ChannelShape,
    QuietHoursShape,
)
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.notices import (
    NO_NOTICES,
    NoticePolicy,
    NoticeRoute,
    NoticeSeverity,
    NoticeState,
)
from supervisor_ai.domain.quiet_hours import (
    NEVER_QUIET,
    QuietHours,
    QuietWindow,
    Weekday,
    require_an_end,
)
from supervisor_ai.engine.ports.notifications import READY_CHANNELS, ChannelSetting

KEY: Final = "notifications"


class Notifications(Struct, frozen=True, kw_only=True):
    """The user's channels, and who hears what through them."""

    channels: Mapping[str, ChannelSetting]
    policy: NoticePolicy = NO_NOTICES

    @property
    def names(self) -> tuple[str, ...]:
        """Name every channel that there is."""
        return tuple(sorted({*self.channels, *(kind.value for kind in READY_CHANNELS)}))

    def check(self, name: str, place: FilePlace, mistakes: FileMistakes) -> None:
        """Note a name that is no channel."""
        if name not in self.names:
            mistakes.add(place, unknown("channel", name, self.names))


def read_notifications(config: MergedConfig, mistakes: FileMistakes) -> Notifications:
    """Make the channels and the policy, and note what leads nowhere."""
    shape = config.shape.notifications
    channels = {name: _channel(name, it) for name, it in shape.channels.items()}
    quiet = _quiet(shape.quiet_hours, config, mistakes)
    policy = NoticePolicy(routes=_routes(config), quiet_hours=quiet)
    found = Notifications(channels=channels, policy=policy)
    paths = [
        *((KEY, "severities", severity) for severity in shape.severities),
        *((KEY, "states", state, "channels") for state in shape.states),
    ]
    for choice in (choice for path in paths for choice in config.choices(*path)):
        found.check(choice.name, choice.place, mistakes)
    return found


def _channel(name: str, shape: ChannelShape) -> ChannelSetting:
    return ChannelSetting(
        name=name,
        kind=shape.kind,
        url=shape.url or "",
        secret=shape.secret or "",
        command=tuple(shape.command or ()),
        environment=shape.env,
        timeout=shape.timeout,
        is_plain_allowed=shape.plain_http,
    )


def _routes(config: MergedConfig) -> dict[NoticeState, NoticeRoute]:
    """Say who hears of a state: whom it names itself, else whom its severity does."""
    shape = config.shape.notifications
    by_severity = {NoticeSeverity(key): tuple(it) for key, it in shape.severities.items()}
    by_state = {NoticeState(key): it for key, it in shape.states.items()}
    routes: dict[NoticeState, NoticeRoute] = {}
    for state, usual in USUAL.items():
        said = by_state.get(state)
        word = said.severity if said is not None and said.severity is not None else usual.value
        if word == OFF:
            continue
        severity = NoticeSeverity(word)
        own = None if said is None or said.channels is None else tuple(said.channels)
        channels = by_severity.get(severity, ()) if own is None else own
        if channels:
            routes[state] = NoticeRoute(severity=severity, channels=tuple(dict.fromkeys(channels)))
    return routes


def _quiet(shape: QuietHoursShape, config: MergedConfig, mistakes: FileMistakes) -> QuietHours:
    if not shape.windows:
        return NEVER_QUIET
    path = (KEY, "quiet_hours")
    if shape.timezone is None:
        mistakes.add(config.place(*path, "timezone"), "is missing; name one as Europe/Berlin")
        return NEVER_QUIET
    windows = tuple(
        QuietWindow(days=tuple(map(Weekday, it.days)), start=it.start, end=it.end)
        for it in shape.windows
    )
    quiet = QuietHours(windows=windows, zone=shape.timezone)
    try:
        require_an_end(quiet)
    except InvalidInput as error:
        mistakes.add(config.place(*path), " ".join(filter(None, (error.message, error.hint))))
        return NEVER_QUIET
    return quiet
