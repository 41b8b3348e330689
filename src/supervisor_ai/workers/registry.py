"""The registry of worker adapters by name: agents of ours, and plug-ins from entry points."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.domain.errors import Conflict, NotFound, SupervisorError, Unavailable
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import OutputSink, Sandbox
from supervisor_ai.engine.ports.workers import (
    ModelLogin,
    Worker,
    WorkerFactory,
    WorkerReport,
    WorkerRequest,
)
from supervisor_ai.tools.programs import find_program
from supervisor_ai.tools.text import nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

GROUP: Final = "supervisor.workers"
_PACKAGE: Final = "supervisor_ai"
AGENTS: Final = ("claude", "codex", "gemini", "opencode", "qwen")
"""The agents of ours; each is the folder of that name, with a value `AGENT` in its `agent.py`."""
_OURS: Final = frozenset((*AGENTS, "api", "command", "scripted"))
Fill = Callable[[Cli], Cli]
"""Gives a pinned agent what of the user's it may have now, or raises InvalidInput."""
FindLogin = Callable[[str], ModelLogin | None]
"""Finds the login that an adapter's agent goes out with, where it has no key."""
Plugin = Callable[[Sandbox, Mapping[str, str]], Worker]
"""What an entry point names: given a sandbox and the user's environment, it makes a worker."""


class InstalledAdapters(Collection[str]):
    """The names of all adapters; installed packages are asked where one of ours will not do."""

    def __contains__(self, name: object) -> bool:  # type: ignore[explicit-override]
        return name in _OURS or name in self._names

    def __iter__(self) -> Iterator[str]:  # type: ignore[explicit-override]
        return iter(self._names)

    def __len__(self) -> int:  # type: ignore[explicit-override]
        return len(self._names)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset((*AGENTS, *_entry_points().names))


def _entry_points() -> "EntryPoints":
    # Importing what reads the metadata of packages takes longer than most calls need.
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


class _FilledWorker(Struct, frozen=True, kw_only=True):
    """Any adapter's worker, plug-ins included, which never sees an agent that was not filled."""

    worker: Worker
    fill: Fill
    find_login: FindLogin

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        cli = self.fill(request.cli)
        # Who configures the way to a model says also what its requests carry.
        login = self.find_login(cli.adapter) if cli.broker is None else None
        return await self.worker.run(replace(request, cli=cli, login=login), on_output)


def locate_program(cli: Cli, path: str | None) -> str | None:
    """Find the program that an agent is; None where it is none of the host's."""
    if not cli.command and cli.adapter not in AGENTS:
        return None
    name = cli.command[0] if cli.command else cli.adapter
    if "/" in name and not name.startswith("/"):
        return f"{name} of the project"
    found = find_program(name, path)
    if found is None:
        raise Unavailable(f"The program {name!r} is not on the PATH.")
    return found


def worker_factory(
    sandbox: Sandbox,
    environment: Mapping[str, str],
    fill: Fill,
    find_login: FindLogin = lambda _: None,
) -> WorkerFactory:
    """Return what makes the worker for an adapter's name; each is made once."""
    made: dict[str, Worker] = {}

    def find(adapter: str) -> Worker:
        if adapter not in made:
            worker = _make(adapter, sandbox, environment)
            made[adapter] = _FilledWorker(worker=worker, fill=fill, find_login=find_login)
        return made[adapter]

    return find


def _make(adapter: str, sandbox: Sandbox, environment: Mapping[str, str]) -> Worker:
    offers = _offers(adapter)
    if not offers:
        raise _unknown(adapter)
    if len(offers) > 1:
        raise Conflict(
            f"Two packages offer a worker adapter {adapter!r}: {' and '.join(sorted(offers))}.",
            hint="Uninstall one of them.",
        )
    [entry] = offers.values()
    return _load(entry, sandbox, environment)


def _offers(adapter: str) -> Mapping[str, "EntryPoint"]:
    """Find who offers an adapter, each place once."""
    from importlib.metadata import EntryPoint

    found = tuple(_entry_points().select(name=adapter))
    if adapter in AGENTS:
        own = f"{_PACKAGE}.workers.{adapter}.agent:AGENT.worker"
        # An installation may be older than its sources, and name our agents in another place.
        foreign = (entry for entry in found if entry.module.partition(".")[0] != _PACKAGE)
        found = (EntryPoint(name=adapter, value=own, group=GROUP), *foreign)
    return {entry.value: entry for entry in found}


def _load(entry: "EntryPoint", sandbox: Sandbox, environment: Mapping[str, str]) -> Worker:
    try:
        plugin: Plugin = entry.load()
        return plugin(sandbox, environment)
    except SupervisorError:
        raise
    except Exception as error:  # a plug-in may fail in any way
        raise Unavailable(
            f"The worker plug-in {entry.name!r} ({entry.value}) cannot be loaded: "
            f"{type(error).__name__}: {error}.",
            hint="Reinstall the package that it belongs to, or choose another adapter.",
        ) from error


def _unknown(adapter: str) -> NotFound:
    known = sorted(InstalledAdapters())
    near = nearest(adapter, known)
    hint = f"Did you mean {near!r}?" if near else f"There are: {', '.join(known)}."
    return NotFound(f"There is no worker adapter {adapter!r}.", hint=hint)
