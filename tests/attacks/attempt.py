"""One attempt: what is tried, what stops it, and how one sees whether it worked."""

import asyncio
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from tests.attacks.guards import WHOLE, Guards, Layer, sandbox
from tests.attacks.scene import Scene

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    Mount,
    Profile,
    SandboxEnd,
    SandboxResult,
    SandboxSpec,
)

_PRELUDE: Final = """
S = eval(sys.stdin.read())
PATIENCE = float(S['patience'])

def got(what=""):
    print("GOT", what, flush=True)
"""
_SYSTEM_CALLS: Final = """
libc = ctypes.CDLL(None, use_errno=True)

def call(number, *values):
    ctypes.set_errno(0)
    libc.syscall.restype = ctypes.c_long
    given = [ctypes.c_long(v) if isinstance(v, int) else v for v in values]
    return libc.syscall(ctypes.c_long(number), *given), ctypes.get_errno()

def reached(number, *values):
    # The filter says EPERM before the kernel has looked at anything.
    result, error = call(number, *values)
    print(result, errno.errorcode.get(error, error), flush=True)
    if result >= 0 or error != errno.EPERM:
        got(result)
    return result
"""
_BEGIN: Final = """
print("TRIED", flush=True)
try:
"""
_MODULES: Final = re.compile(r"\b(?:errno|mmap|os|signal|socket|struct|subprocess|time|ctypes)\b")
"""What a program may name; to import all of it takes longer than most programs do."""
_NOT_RUN: Final = (SandboxEnd.SANDBOX_FAILED, SandboxEnd.COMMAND_MISSING)
_POSTLUDE: Final = """
except OSError as error:
    print("REFUSED", error, flush=True)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came of a command."""

    result: SandboxResult
    output: bytes
    errors: bytes

    @property
    def claims(self) -> bool:
        """Tell whether the attacker says that it worked."""
        return b"GOT" in self.output


Evidence = Callable[[Scene, Heard], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an attempt ended."""

    succeeded: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What is tried, and all that is needed to try it with and without its protection."""

    what: str
    layers: tuple[Layer, ...]
    perform: Callable[[Scene, Guards], Outcome]
    fact: str = "-"
    """The row of the attack list in the facts."""
    needs_root: bool = False
    """Whether only root can take the protection away."""
    kernel_refuses: Callable[[], str] = str
    """Why it cannot work on this machine even without the protection, if so."""
    machine: str = ""
    """The only architecture on which it can be tried, if there is one."""

    @property
    def protection(self) -> str:
        """Name what stops it."""
        return " + ".join(layer.name for layer in self.layers)

    def guards(self, removed: frozenset[int]) -> Guards:
        """Take some layers away."""
        guards = WHOLE
        for number in removed:
            guards = self.layers[number].take(guards)
        return guards


def stolen(scene: Scene, heard: Heard) -> bool:
    """Tell whether the attacker has the secret."""
    return scene.secret.encode() in heard.output + heard.errors


def claimed(_: Scene, heard: Heard) -> bool:
    """Believe the attacker, who alone can know."""
    return heard.claims


def _nothing(_: Scene) -> None:
    return


def _same(_: Scene, spec: SandboxSpec) -> SandboxSpec:
    return spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """A program that attacks from inside a sandbox."""

    program: str
    evidence: Evidence = claimed
    stage: Callable[[Scene], object] = _nothing
    spec: Callable[[Scene, SandboxSpec], SandboxSpec] = _same
    ends_early: bool = field(default=False)
    """Whether the attacker may be killed before it can say anything."""

    def __call__(self, scene: Scene, guards: Guards) -> Outcome:
        """Plant what is needed, let the program run and look what happened."""
        self.stage(scene)
        heard = run(scene, guards, self.spec(scene, spec_for(scene, self.program)))
        was_tried = self.ends_early or b"TRIED" in heard.output
        if not was_tried or heard.result.end in _NOT_RUN:
            raise RuntimeError(f"It was not even tried: {describe(heard)}")
        return Outcome(succeeded=self.evidence(scene, heard), detail=describe(heard))


def spec_for(scene: Scene, program: str) -> SandboxSpec:
    """Describe the attacker's process."""
    indented = "\n".join(f"    {line}" for line in program.strip("\n").splitlines())
    calls = _SYSTEM_CALLS if re.search(r"\b(?:call|reached|libc)\b", program) else ""
    text = f"{_PRELUDE}{calls}{_BEGIN}{indented}{_POSTLUDE}"
    text = f"import {', '.join(sorted({'sys', *_MODULES.findall(text)}))}\n{text}"
    return SandboxSpec(
        label="attack",
        profile=Profile.EXECUTOR,
        argv=(os.path.realpath(sys.executable), "-I", "-S", "-c", text),
        cwd=scene.workspace,
        mounts=(Mount(source=scene.workspace, target=scene.workspace, is_writable=True),),
        timeout=timedelta(seconds=20),
        output_bytes=1 << 20,
        ro_paths=(os.fspath(scene.tool),),
        stdin=repr(scene.facts).encode(),
    )


def run(scene: Scene, guards: Guards, spec: SandboxSpec) -> Heard:
    """Run a command in the sandbox that the guards leave.

    An attacker who will be stopped waits long for it: a busy machine must not look like a success.
    """
    scene.facts["patience"] = "8" if guards == WHOLE else "2"
    heard = {Channel.STDOUT: bytearray(), Channel.STDERR: bytearray()}
    place = sandbox(guards, scene)
    spec = replace(guards.spec(spec), stdin=repr(scene.facts).encode())
    result = asyncio.run(place.run(spec, lambda channel, piece: heard[channel].extend(piece)))
    return Heard(
        result=result,
        output=bytes(heard[Channel.STDOUT]),
        errors=bytes(heard[Channel.STDERR]),
    )


def describe(heard: Heard) -> str:
    """Say what came of it in a few lines."""
    said = (heard.output[-600:] + heard.errors[-600:]).decode(errors="replace")
    return f"{heard.result.end}: {heard.result.reason}\n{said}"
