"""The self-test of a container engine on this machine, kept until the machine or we change."""

import hashlib
import os
import platform
from pathlib import Path
from typing import Final, Protocol

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import LimitFinding, Probe, ProbeFinding, Sandbox
from supervisor_ai.sandboxes import self_test_script
from supervisor_ai.sandboxes.bwrap.install_hints import ELSEWHERE
from supervisor_ai.sandboxes.bwrap.kept_self_test import keep, recall
from supervisor_ai.sandboxes.containers.engine import Client, Engine
from supervisor_ai.sandboxes.containers.image import build_image
from supervisor_ai.sandboxes.containers.run_options import PreparedHost
from supervisor_ai.sandboxes.containers.seccomp_profile import build_profile
from supervisor_ai.sandboxes.resource_limits.limit_findings import find_limits
from supervisor_ai.sandboxes.self_test import RUNS, examine

_GROUPED: Final = frozenset({"memory", "processes", "cpus"})
_REMEDIES: Final = (
    (
        "cannot connect to the docker daemon",
        "Start the daemon of docker: systemctl start docker",
    ),
    (
        "permission denied while trying to connect",
        "Join the group that may speak to docker, whose members are as good as root:"
        " sudo usermod --append --groups docker $USER",
    ),
    (
        "newuidmap",
        "Install uidmap, and give the user a range of ids: sudo usermod"
        " --add-subuids 100000-165535 --add-subgids 100000-165535 $USER",
    ),
    (
        "subuid",
        "Give the user a range of ids: sudo usermod"
        " --add-subuids 100000-165535 --add-subgids 100000-165535 $USER",
    ),
    ("cgroup", "Install runc, which knows more kinds of control groups: apt-get install runc"),
    (
        "permission denied",
        "Let everybody read the interpreter and the virtual environment: chmod -R go+rX",
    ),
)


class Provable(Sandbox, Protocol):
    """A sandbox that can be got ready before anything runs in it."""

    async def prepare(self) -> PreparedHost:
        """Find out how containers are started here; raise Unavailable when they cannot be."""
        ...


async def prove(sandbox: Provable, engine: Engine, client: Client, state: Path) -> Probe:
    """Return the proof that is kept, or make it; only a full proof is kept."""
    if not client.executable.exists():
        detail = f"{str(client.executable)!r} does not exist."
        return _unusable(
            engine, detail, f"Install {engine.name}: apt-get install {engine.packages}"
        )
    try:
        prepared = await sandbox.prepare()
    except Unavailable as error:
        return _unusable(engine, error.message, remedy(error.message))
    limits = _limits(engine, prepared)
    key, record = _key(client, prepared, limits), state / f"proof-{engine.name}.json"
    if kept := recall(record, key):
        return kept
    version = (await client.ask("--version")).text
    findings = await examine(sandbox, state)
    probe = replace(_judge(engine, findings), version=_number(version), limits=limits)
    if probe.is_usable:
        keep(record, key, probe)
    return probe


def remedy(detail: str) -> str:
    """Find the sentence that helps most, by what the engine said."""
    said = detail.lower()
    found = (sentence for words, sentence in _REMEDIES if words in said)
    return next(found, "Try the engine by hand, or choose another sandbox.backend")


def _limits(engine: Engine, prepared: PreparedHost) -> tuple[LimitFinding, ...]:
    kept = f"the control group that {engine.name} makes"
    return tuple(
        replace(finding, hardness=Hardness.HARD, detail=kept)
        if prepared.has_groups and finding.name in _GROUPED
        else finding
        for finding in find_limits(None)
    )


def _unusable(engine: Engine, detail: str, what_to_do: str) -> Probe:
    finding = ProbeFinding(name=f"{engine.name} starts containers", holds=False, detail=detail)
    return Probe(backend=engine.name, version="", findings=(finding,), remedy=what_to_do)


def _judge(engine: Engine, findings: tuple[ProbeFinding, ...]) -> Probe:
    failed = [finding for finding in findings if not finding.holds]
    what_to_do = [remedy(each.detail) if each.name == RUNS else ELSEWHERE for each in failed]
    return Probe(
        backend=engine.name, version="", findings=findings, remedy=next(iter(what_to_do), None)
    )


def _key(client: Client, prepared: PreparedHost, limits: tuple[LimitFinding, ...]) -> str:
    binary, machine = client.executable.stat(), os.uname()
    parts = (
        (machine.release, machine.version, os.geteuid(), prepared, limits),
        (os.fspath(client.executable), binary.st_size, binary.st_mtime_ns, client.options),
        (build_image().tag, build_profile(platform.machine())),
        Path(self_test_script.__file__).read_bytes(),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _number(version: str) -> str:
    """Find the number in `podman version 4.3.1` and `Docker version 20.10.24+dfsg1, build x`."""
    words = [word.rstrip(",") for word in version.split() if word[0].isdigit()]
    return words[0] if words else ""
