"""What bubblewrap has proved on this machine, kept until the machine or our demands change."""

import asyncio
import hashlib
import json
import os
import platform
import re
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.engine.ports.sandbox import Finding, Probe, Sandbox
from supervisor_ai.sandboxes import inside, launcher
from supervisor_ai.sandboxes.arguments import View, arguments
from supervisor_ai.sandboxes.limits import LIMITS
from supervisor_ai.sandboxes.remedy import ELSEWHERE, INSTALL, UPGRADE, remedy
from supervisor_ai.sandboxes.seccomp import build_filter
from supervisor_ai.sandboxes.self_test import RUNS, examine

_OLDEST: Final = (0, 8)


async def prove(sandbox: Sandbox, executable: Path, state: Path) -> Probe:
    """Return the proof that is kept, or make it; only a full proof is kept."""
    try:
        key = _key(executable, build_filter(platform.machine()))
    except OSError as error:
        return _unusable(sandbox, str(error), INSTALL)
    except Unavailable as error:
        return _unusable(sandbox, error.message, ELSEWHERE)
    record = state / "proof.json"
    if kept := _recall(record, key):
        return kept
    version = await asyncio.to_thread(_version, executable)
    if _numbers(version) < _OLDEST:
        return _unusable(sandbox, f"The version is {version or 'unknown'}.", UPGRADE)
    probe = _judge(sandbox.name, version, await examine(sandbox, state))
    if probe.is_usable:
        _keep(record, key, probe)
    return probe


def _unusable(sandbox: Sandbox, detail: str, what_to_do: str) -> Probe:
    finding = Finding(name="bubblewrap is installed", holds=False, detail=detail)
    return Probe(backend=sandbox.name, version="", findings=(finding,), remedy=what_to_do)


def _judge(backend: str, version: str, findings: tuple[Finding, ...]) -> Probe:
    failed = [finding for finding in findings if not finding.holds]
    what_to_do = [remedy(each.detail) if each.name == RUNS else ELSEWHERE for each in failed]
    return Probe(
        backend=backend, version=version, findings=findings, remedy=next(iter(what_to_do), None)
    )


def _key(executable: Path, rules: bytes) -> str:
    binary = executable.stat()
    machine = os.uname()
    told = [
        arguments(View(limits=limits, mounts=(), environment={}, cwd=Path("/")))
        for limits in LIMITS.values()
    ]
    sources = [Path(module.__file__ or "").read_bytes() for module in (inside, launcher)]
    parts = (
        (machine.release, machine.version, machine.machine, os.geteuid() == 0),
        (os.fspath(executable), binary.st_size, binary.st_mtime_ns),
        told,
        rules,
        sources,
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


def _recall(record: Path, key: str) -> Probe | None:
    try:
        kept = json.loads(record.read_bytes())
        if kept["key"] != key:
            return None
        findings = tuple(Finding(**finding) for finding in kept["findings"])
        return Probe(backend=kept["backend"], version=kept["version"], findings=findings)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(record: Path, key: str, probe: Probe) -> None:
    text = json.dumps(
        {
            "key": key,
            "backend": probe.backend,
            "version": probe.version,
            "findings": [asdict(finding) for finding in probe.findings],
        }
    )
    draft = record.with_suffix(f".{os.getpid()}")
    draft.write_text(text, encoding="utf-8")
    draft.replace(record)
