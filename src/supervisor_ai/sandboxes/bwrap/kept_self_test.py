"""The self-test of bubblewrap on this machine, kept until the machine or our demands change."""

import asyncio
import hashlib
import json
import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Final

from msgspec.structs import asdict

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import LimitFinding, Probe, ProbeFinding, Sandbox
from supervisor_ai.sandboxes import self_test_script
from supervisor_ai.sandboxes.bwrap import drop_privileges
from supervisor_ai.sandboxes.bwrap.arguments import View, arguments
from supervisor_ai.sandboxes.bwrap.install_hints import ELSEWHERE, INSTALL, UPGRADE, remedy
from supervisor_ai.sandboxes.bwrap.seccomp import build_filter
from supervisor_ai.sandboxes.resource_limits.rlimits import SPACES
from supervisor_ai.sandboxes.self_test import RUNS, examine

_OLDEST: Final = (0, 8)


async def prove(
    sandbox: Sandbox, executable: Path, state: Path, limits: tuple[LimitFinding, ...]
) -> Probe:
    """Return the proof that is kept, or make it; only a full proof is kept."""
    try:
        key = _key(executable, build_filter(platform.machine()), limits)
    except OSError as error:
        return _unusable(sandbox, str(error), INSTALL)
    except Unavailable as error:
        return _unusable(sandbox, error.message, ELSEWHERE)
    record = state / "proof.json"
    if kept := recall(record, key):
        return kept
    version = await asyncio.to_thread(_version, executable)
    if _numbers(version) < _OLDEST:
        return _unusable(sandbox, f"The version is {version or 'unknown'}.", UPGRADE)
    probe = replace(_judge(sandbox.name, version, await examine(sandbox, state)), limits=limits)
    if probe.is_usable:
        keep(record, key, probe)
    return probe


def _unusable(sandbox: Sandbox, detail: str, what_to_do: str) -> Probe:
    finding = ProbeFinding(name="bubblewrap is installed", holds=False, detail=detail)
    return Probe(backend=sandbox.name, version="", findings=(finding,), remedy=what_to_do)


def _judge(backend: str, version: str, findings: tuple[ProbeFinding, ...]) -> Probe:
    failed = [finding for finding in findings if not finding.holds]
    what_to_do = [remedy(each.detail) if each.name == RUNS else ELSEWHERE for each in failed]
    return Probe(
        backend=backend, version=version, findings=findings, remedy=next(iter(what_to_do), None)
    )


def _key(executable: Path, rules: bytes, limits: tuple[LimitFinding, ...]) -> str:
    binary = executable.stat()
    machine = os.uname()
    told = [
        arguments(View(spaces=spaces, mounts=(), environment={}, cwd=Path("/")))
        for spaces in SPACES.values()
    ]
    scripts = (self_test_script, drop_privileges)
    sources = [Path(module.__file__ or "").read_bytes() for module in scripts]
    parts = (
        (machine.release, machine.version, machine.machine, os.geteuid() == 0),
        (os.fspath(executable), binary.st_size, binary.st_mtime_ns),
        told,
        rules,
        sources,
        limits,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _version(executable: Path) -> str:
    try:
        said = subprocess.run(
            [executable, "--version"],
            env={},
            capture_output=True,
            timeout=10,
            check=True,
            text=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.strip().rpartition(" ")[2]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def recall(record: Path, key: str) -> Probe | None:
    """Return what was proved before under the same key."""
    try:
        kept = json.loads(record.read_bytes())
        if kept["key"] != key:
            return None
        return Probe(
            backend=kept["backend"],
            version=kept["version"],
            findings=tuple(ProbeFinding(**finding) for finding in kept["findings"]),
            limits=tuple(_limit(**finding) for finding in kept["limits"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _limit(*, name: str, hardness: str, detail: str) -> LimitFinding:
    return LimitFinding(name=name, hardness=Hardness(hardness), detail=detail)


def keep(record: Path, key: str, probe: Probe) -> None:
    """Keep what was proved."""
    text = json.dumps(
        {
            "key": key,
            "backend": probe.backend,
            "version": probe.version,
            "findings": [asdict(finding) for finding in probe.findings],
            "limits": [asdict(finding) for finding in probe.limits],
        }
    )
    draft = record.with_suffix(f".{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(text, encoding="utf-8")
    draft.replace(record)
