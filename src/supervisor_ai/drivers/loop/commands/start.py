"""Starting a loop: what it needs is looked up and pinned before anything is written."""

from msgspec import Struct

from supervisor_ai.control.commands.run_start import (
    PreparedRun,
    StartRequest,
    checked,
    find_base,
    pin,
)
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.commands.wishes import WantedLoop
from supervisor_ai.drivers.loop.driver import LoopDriver


class LoopRequest(Struct, frozen=True, kw_only=True):
    """How a remit is to be worked on."""

    remit: str
    base: str | None = None
    cli: str | None = None
    budget: str | None = None
    sandbox: str | None = None
    max_tasks: int | None = None
    is_alone: bool = False
    """Whether no supervisor looks."""
    is_fresh: bool = False


def prepare_loop(preflight: Preflight, request: LoopRequest) -> PreparedRun:
    """Look up what a loop needs, without changing anything."""
    asked = checked(
        preflight,
        StartRequest(
            task=request.remit,
            cli=request.cli,
            base=request.base,
            sandbox=request.sandbox,
            budget=request.budget,
            is_fresh=request.is_fresh,
        ),
    )
    base = find_base(preflight, request.base)
    wanted = WantedLoop(cli=request.cli, max_tasks=request.max_tasks, is_alone=request.is_alone)
    loaded = preflight.catalog.resolve_for(LoopDriver.name, base.sha, wanted)
    return replace(pin(preflight, asked, base, loaded), driver=LoopDriver.name)
