"""What of the user's a pinned agent may have: only what their own config says now."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from supervisor_ai.definitions.schema.scalars import reference
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.domain.structs import replace

if TYPE_CHECKING:
    from supervisor_ai.definitions.config.settings import EffectiveSettings


class OwnAgents:
    """Compares agents that runs pinned with the user's config at the moment of their start.

    What reads the config is imported only when it is asked for.
    """

    def __init__(self, user_directory: Path) -> None:
        self._directory = user_directory

    def filled(self, cli: Cli) -> Cli:
        """Return the agent with the broker of now; raise InvalidInput where it is not the user's.

        A definition may only name a variable, a service or a key. What it names is the user's to
        give, and they give it to the agent that they configured, not to one of the same name.
        """
        if cli.adapter == "api":
            self._require_services(cli)
            return cli
        if cli.broker is None and not any(map(reference, cli.environment.values())):
            return cli
        own = self._settings().clis.get(cli.name.partition(":")[0])
        if own is None:
            raise self._refusal(cli, "is not in it")
        differing = next(_differing(cli, own.cli), None)
        if differing is not None:
            raise self._refusal(cli, f"has another {differing}")
        return replace(cli, broker=own.cli.broker)

    def _require_services(self, cli: Cli) -> None:
        from supervisor_ai.definitions.overlay.project_limits import SERVICE_KEYS

        models = self._settings().models
        for pinned in _links(cli):
            name = str(pinned.get("name"))
            own = models[name].pinned(name) if name in models else None
            if own is None:
                raise self._refusal(cli, f"asks a model {name!r} that is not in it")
            for key in SERVICE_KEYS:
                if pinned.get(key) != own.get(key):
                    raise self._refusal(cli, f"asks the model {name!r} with another {key}")

    def _settings(self) -> "EffectiveSettings":
        from supervisor_ai.definitions.consent.own_settings import read_own_settings

        return read_own_settings(self._directory)

    def _refusal(self, cli: Cli, why: str) -> InvalidInput:
        return InvalidInput(
            f"The run pinned the CLI {cli.name!r} with a service or a variable of yours, and your"
            f" config in {str(self._directory)!r} does not give it now: the CLI {why}.",
            hint="Let the run go on with what your config says now: supervisor workflow migrate",
        )


def _differing(pinned: Cli, own: Cli) -> Iterator[str]:
    for key in ("adapter", "command", "environment", "egress", "script"):
        if getattr(pinned, key) != getattr(own, key):
            yield key
    if (pinned.broker and pinned.broker.upstream) != (own.broker and own.broker.upstream):
        yield "upstream"


def _links(cli: Cli) -> Iterator[dict[str, object]]:
    """Read the chain of models; what is no chain is for the adapter to refuse."""
    try:
        chain = json.loads(cli.script or "[]")
    except (ValueError, RecursionError):
        return
    if isinstance(chain, list):
        yield from (link for link in chain if isinstance(link, dict))
