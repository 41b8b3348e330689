"""The protections of a run, and how exactly one of them is taken away."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from tests.attacks import loose_bwrap
from tests.attacks.filter_rules import rules_without
from tests.attacks.loose_bwrap import Loosening
from tests.attacks.scene import Scene
from tests.support.known_tools import covers_of_tools, known_tools

from supervisor_ai.domain.run.definition import ResourceLimits
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Mount, SandboxSpec
from supervisor_ai.sandboxes.bwrap.privileged_start import Child, PrivilegedStarter
from supervisor_ai.sandboxes.bwrap.run_as import RunAs, SameUser, StartFiles
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.sandboxes.host_view.hidden_secrets import SecretCovers

if TYPE_CHECKING:
    from typing_extensions import override
else:

    def override(method: object) -> object:
        """Mean nothing at run time; the module that has it is not there for every user."""
        return method


BWRAP: Final = shutil.which("bwrap", path="/usr/bin:/usr/local/bin:/bin") or "/usr/bin/bwrap"
Edit = tuple[tuple[str, ...], tuple[str, ...]]
"""Options of bubblewrap, and what stands in their place; `{home}` and the like are filled in."""


class Slip(StrEnum):
    """What the product does around bubblewrap, left undone."""

    ENVIRONMENT = "bubblewrap inherits the supervisor's environment"
    DIRECTORY = "an open home directory is inherited"
    TERMINAL = "a terminal is inherited"
    COMMAND_LINE = "the options are on the command line"
    ROOT = "root starts bubblewrap as itself"
    NO_LIMITS = "no limits of the kernel"
    CARELESS = "the host is careless"


_BY_BUBBLEWRAP: Final = frozenset(
    {Slip.ENVIRONMENT, Slip.DIRECTORY, Slip.TERMINAL, Slip.COMMAND_LINE}
)


def _as_it_is(spec: SandboxSpec) -> SandboxSpec:
    return spec


class Guards(Struct, frozen=True, kw_only=True):
    """What is missing; nothing by default, and then it is the product that runs."""

    edits: tuple[Edit, ...] = ()
    rules: tuple[str, ...] = ()
    slips: frozenset[Slip] = frozenset()
    spec: Callable[[SandboxSpec], SandboxSpec] = _as_it_is

    @property
    def needs_stand_in(self) -> bool:
        """Tell whether bubblewrap must be told something else than the product tells it."""
        return bool(self.edits or self.rules or self.slips & _BY_BUBBLEWRAP)

    @property
    def is_careless(self) -> bool:
        """Tell whether the host does naively what the product does with care."""
        return Slip.CARELESS in self.slips


WHOLE: Final = Guards()


class Layer(Struct, frozen=True, kw_only=True):
    """One protection, by name, and the way to take it away."""

    name: str
    take: Callable[[Guards], Guards]
    how: str
    """What is done to take it away, in words."""


def option(name: str, wanted: Sequence[str], *instead: str) -> Layer:
    """Replace an option of bubblewrap."""
    return options(name, (tuple(wanted), instead))


def _in_words(wanted: Sequence[str], instead: Sequence[str]) -> str:
    given = f"`{' '.join(wanted)}`"
    return f"{given} becomes `{' '.join(instead)}`" if instead else f"without {given}"


def options(name: str, *edits: Edit) -> Layer:
    """Replace options of bubblewrap that make one protection together."""
    return Layer(
        name=name,
        take=lambda guards: replace(guards, edits=(*guards.edits, *edits)),
        how=", ".join(_in_words(*edit) for edit in edits),
    )


def shown(name: str, *mount: str) -> Layer:
    """Mount something that the product does not mount."""
    layer = option(name, ("--remount-ro", "/dev"), *mount, "--remount-ro", "/dev")
    return replace(layer, how=f"with `{' '.join(mount)}`")


def rule(*names: str) -> Layer:
    """Take rules out of the system call filter."""
    return Layer(
        name=f"system call filter: {', '.join(names)}",
        take=lambda guards: replace(guards, rules=(*guards.rules, *names)),
        how="the filter without these rules",
    )


def slip(name: str, left_undone: Slip, how: str = "") -> Layer:
    """Take away what the product does around bubblewrap."""
    return Layer(
        name=name,
        take=lambda guards: replace(guards, slips=guards.slips | {left_undone}),
        how=how or left_undone.value,
    )


def careless(name: str, how: str) -> Layer:
    """Let the host do naively what the product does with care."""
    return slip(name, Slip.CARELESS, how)


def relaxed(name: str, how: str, change: Callable[[SandboxSpec], SandboxSpec]) -> Layer:
    """Ask the product for less."""
    return Layer(name=name, take=lambda guards: replace(guards, spec=change), how=how)


class _Unlimited:
    """The same user without any limits of the kernel."""

    async def move_in(self, mounts: Sequence[Mount]) -> tuple[Mount, ...]:
        """Leave everything as it is."""
        return tuple(mounts)

    def bound(self, pid: int, limits: ResourceLimits) -> None:
        """Set no bounds."""

    def start(self, command: Sequence[str], limits: ResourceLimits, wiring: StartFiles) -> Child:
        """Start the command as the product does for an ordinary user."""
        return SameUser(_of_the_process()[1]).start(command, limits, wiring)

    def listen(self, pid: int, held: int, reply: int) -> None:
        """Listen as the product does."""
        SameUser(_of_the_process()[1]).listen(pid, held, reply)


class LooseSandbox(BubblewrapSandbox):
    """The product's sandbox for a user that it would not let start one."""

    tenant: RunAs

    @contextmanager
    @override
    def _tenancy(self) -> Iterator[RunAs]:
        yield self.tenant


def sandbox(guards: Guards, scene: Scene) -> BubblewrapSandbox:
    """Make the product's sandbox, or one that lacks what the guards lack."""
    environment = {"HOME": os.fspath(scene.home), "PATH": "/usr/bin:/bin"}
    executable = _stand_in(guards, scene) if guards.needs_stand_in else Path(BWRAP)
    made = LooseSandbox if guards.slips & {Slip.ROOT, Slip.NO_LIMITS} else BubblewrapSandbox
    sandbox = made(
        state=known_tools(scene.state),
        environment=environment,
        executable=executable,
        first_user=scene.first_user,
    )
    sandbox._covers, sandbox._launchpad = _of_the_process()
    if isinstance(sandbox, LooseSandbox):
        sandbox.tenant = _Unlimited() if Slip.NO_LIMITS in guards.slips else SameUser()
    return sandbox


@cache
def _of_the_process() -> tuple[SecretCovers, PrivilegedStarter]:
    """Share what a supervisor makes once for all its commands."""
    return SecretCovers(covers_of_tools()), PrivilegedStarter()


def _stand_in(guards: Guards, scene: Scene) -> Path:
    place = scene.state / "loose"
    place.mkdir(parents=True)
    program = place / "bwrap"
    text = Path(loose_bwrap.__file__).read_text(encoding="utf-8")
    program.write_text(f"#!{_interpreter()} -IS\n{text}", encoding="utf-8")
    program.chmod(0o755)
    order: Loosening = {
        "executable": BWRAP,
        "edits": [(scene.fill(wanted), scene.fill(instead)) for wanted, instead in guards.edits],
        "rules": rules_without(*guards.rules).hex() if guards.rules else None,
        "environment": dict(os.environ) if Slip.ENVIRONMENT in guards.slips else {},
        "inherits": os.fspath(scene.home) if Slip.DIRECTORY in guards.slips else None,
        "terminal": scene.facts.get("terminal") if Slip.TERMINAL in guards.slips else None,
        "on_command_line": Slip.COMMAND_LINE in guards.slips,
    }
    (place / "loose.json").write_text(json.dumps(order), encoding="utf-8")
    return program


def _interpreter() -> str:
    """Prefer one that every user can run: where root starts a sandbox, another user makes it."""
    system = "/usr/bin/python3"
    return system if os.access(system, os.X_OK) else os.path.realpath(sys.executable)
