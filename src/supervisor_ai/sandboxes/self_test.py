"""The self-test of a sandbox: what it claims is tried from inside before anything relies on it."""

import json
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.engine.ports.sandbox import (
    Mount,
    ProbeFinding,
    Profile,
    Sandbox,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.sandboxes import self_test_script
from supervisor_ai.sandboxes.toolchains.toolchain import TOLD
from supervisor_ai.tools.file_lock import lock

_TIMEOUT: Final = timedelta(seconds=30)
_OUTPUT: Final = 1 << 16
_SONG: Final = "canary"
_ALONE: Final = "no process stays behind"
RUNS: Final = "a command runs"
"""The finding without which there are no others."""


async def examine(sandbox: Sandbox, state: Path) -> tuple[ProbeFinding, ...]:
    """Make the checks that can be made inside, then those that only the host can make."""
    with _scene(state) as scene, _bait() as bait:
        heard = bytearray()
        spec = _spec(scene, bait)
        result = await sandbox.run(spec, lambda _, piece: heard.extend(piece))
        if result.exit_code != 0:
            return (_failure(result, bytes(heard)),)
        runs = ProbeFinding(name=RUNS, holds=True, detail=result.reason)
        return (runs, *_findings(bytes(heard)), *scene.findings())


class _Scene(Struct, frozen=True, kw_only=True):
    canary: Path
    ground: Path

    def findings(self) -> Iterator[ProbeFinding]:
        yield self._untouched()
        yield self._not_root()
        yield self._nothing_stays()

    def _untouched(self) -> ProbeFinding:
        holds = self.canary.read_text(encoding="utf-8") == _SONG
        detail = "a file was left alone" if holds else "a file was overwritten"
        return ProbeFinding(name="files of the host cannot be written", holds=holds, detail=detail)

    def _not_root(self) -> ProbeFinding:
        owner = self._daemon.stat().st_uid
        detail = f"the user is {owner} on the host"
        return ProbeFinding(
            name="nobody inside is root of the host", holds=owner != 0, detail=detail
        )

    def _nothing_stays(self) -> ProbeFinding:
        with self._daemon.open("rb") as file:
            is_alone = lock(file.fileno(), patience=0)
        detail = "a daemon was killed" if is_alone else "a daemon lives on"
        return ProbeFinding(name=_ALONE, holds=is_alone, detail=detail)

    @property
    def _daemon(self) -> Path:
        return self.ground / "daemon"


@contextmanager
def _scene(state: Path) -> Iterator[_Scene]:
    state.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=state, prefix="self-test-") as place:
        scene = _Scene(canary=Path(place, "canary"), ground=Path(place, "ground"))
        scene.canary.write_text(_SONG, encoding="utf-8")
        scene.ground.mkdir()
        yield scene


@contextmanager
def _bait() -> Iterator[dict[str, str]]:
    """Listen where a command that is not confined could reach us."""
    name = f"supervisor-{secrets.token_hex(8)}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{name}")
        local.listen()
        yield {"port": str(server.getsockname()[1]), "abstract": name}


def _spec(scene: _Scene, bait: Mapping[str, str]) -> SandboxSpec:
    ground = scene.ground
    places = {"canary": os.fspath(scene.canary), "ground": os.fspath(ground)}
    errand = {**bait, **places, "told": " ".join(TOLD)}
    text = Path(self_test_script.__file__).read_text(encoding="utf-8")
    return SandboxSpec(
        label=f"self-test/{os.getpid()}",
        profile=Profile.EXECUTOR,
        argv=(os.path.realpath(sys.executable), "-I", "-S", "-c", text),
        cwd=ground,
        mounts=(Mount(source=ground, target=ground, is_writable=True),),
        timeout=_TIMEOUT,
        output_bytes=_OUTPUT,
        stdin=json.dumps(errand).encode(),
    )


def _failure(result: SandboxResult, heard: bytes) -> ProbeFinding:
    last_words = heard.decode(errors="replace").strip().rpartition("\n")[2]
    return ProbeFinding(name=RUNS, holds=False, detail=f"{result.reason} {last_words}".strip())


def _findings(heard: bytes) -> Iterator[ProbeFinding]:
    made = {}
    for line in heard.decode(errors="replace").splitlines():
        try:
            finding = ProbeFinding(**json.loads(line))
        except (ValueError, TypeError):
            continue
        made[finding.name] = finding
    for name in self_test_script.CHECKS:
        yield made.get(name) or ProbeFinding(name=name, holds=False, detail="it was not looked at")
