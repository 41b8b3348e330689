"""Starting a loop: what it needs is looked up and pinned before anything is written."""

from supervisor_ai.control.commands.run_start import (
    PreparedRun,
    RunWishes,
    checked,
    find_base,
    pin,
)
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.commands.wishes import WantedLoop
from supervisor_ai.drivers.loop.driver import LoopDriver


class LoopRequest(RunWishes, frozen=True, kw_only=True):
    """How a remit is to be worked on."""

    remit: str
    max_tasks: int | None = None
    is_alone: bool = False
    """Whether no supervisor looks."""


def prepare_loop(preflight: Preflight, request: LoopRequest) -> PreparedRun:
    """Look up what a loop needs, without changing anything."""
    asked = checked(preflight, request.about(request.remit))
    base = find_base(preflight, request.base)
    wanted = WantedLoop(cli=request.cli, max_tasks=request.max_tasks, is_alone=request.is_alone)
    loaded = preflight.catalog.resolve_for(LoopDriver.name, base.sha, wanted)
    return replace(pin(preflight, asked, base, loaded), driver=LoopDriver.name)
