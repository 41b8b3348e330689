"""From a table and an order to a command: arguments, variables and the files of a home."""

import json
from collections.abc import Iterable, Mapping

from msgspec import Struct

from supervisor_ai.workers.launch.order import LaunchOrder
from supervisor_ai.workers.launch.profile import Addition, Aspect, Json, LaunchProfile


class AgentLaunch(Struct, frozen=True, kw_only=True):
    """One start of a CLI."""

    words: tuple[str, ...]
    """What follows the program."""
    environment: Mapping[str, str]
    files: Mapping[str, str]
    """Texts by path in the home."""
    covers: tuple[str, ...]


class Launcher:
    """Plans starts of one CLI."""

    def __init__(self, profile: LaunchProfile) -> None:
        self.profile = profile

    def plan(self, order: LaunchOrder, *besides: Addition) -> AgentLaunch:
        """Lay the order, and what else there is to say, over what is always said."""
        profile = self.profile
        additions = [*(profile.means[aspect].tell(order) for aspect in Aspect), *besides]
        files = {path: text for each in additions for path, text in each.files.items()}
        return AgentLaunch(
            words=(
                *profile.words,
                *profile.stream,
                *profile.shields,
                *(word for each in additions for word in each.words),
                *order.flags,
                *profile.last_words,
            ),
            environment=_joined(profile.environment, additions),
            files={**files, **self._settings(additions)},
            covers=profile.covers,
        )

    def _settings(self, additions: Iterable[Addition]) -> Mapping[str, str]:
        if self.profile.settings_file is None:
            return {}
        settings = self.profile.settings
        for each in additions:
            settings = _merged(settings, each.settings)
        return {self.profile.settings_file: json.dumps(settings)}


def _joined(environment: Mapping[str, str], additions: Iterable[Addition]) -> Mapping[str, str]:
    return {
        **environment,
        **{name: value for each in additions for name, value in each.environment.items()},
    }


def _merged(below: Json, above: Json) -> Json:
    """Lay settings over others; what holds more settings is merged, all else replaced."""
    merged = dict(below)
    for key, value in above.items():
        found = merged.get(key)
        both = isinstance(found, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(found, value) if both else value  # type: ignore[arg-type]
    return merged
