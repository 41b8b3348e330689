"""What an engine that does not work is told to be, and what is tried before giving up."""

import asyncio
import os
from pathlib import Path

import pytest
from tests.integration.sandboxes.containers.engines import TestEngine

from supervisor_ai.engine.ports.sandbox import Probe
from supervisor_ai.sandboxes.containers.kept_self_test import remedy
from supervisor_ai.sandboxes.containers.sandbox import (
    ContainerSandbox,
    DockerSandbox,
    PodmanSandbox,
)

PICKY = """
case " $* " in
*" --runtime runc "*) ;;
*" run "*) echo "Error: crun: cgroups in hybrid mode not supported" >&2; exit 126 ;;
esac
exec podman "$@"
"""


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def probe(kind: type[ContainerSandbox], state: Path, executable: Path) -> Probe:
    sandbox = kind(state=state, environment=os.environ, executable=executable)
    return asyncio.run(sandbox.probe())


@pytest.mark.parametrize(
    ("kind", "packages"), [(PodmanSandbox, "podman runc uidmap"), (DockerSandbox, "docker.io")]
)
def test_without_the_engine_it_says_what_to_install(
    tmp_path: Path, kind: type[ContainerSandbox], packages: str
) -> None:
    missing = probe(kind, tmp_path, tmp_path / "engine")
    assert not missing.is_usable
    assert str(missing.remedy).endswith(f"apt-get install {packages}")
    assert str(tmp_path / "engine") in missing.findings[0].detail


def test_an_engine_that_fails_is_quoted_and_asked_again(tmp_path: Path) -> None:
    said = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is it running?"
    broken = script(tmp_path / "docker", f'echo "{said}" >&2; exit 1')
    failed = probe(DockerSandbox, tmp_path / "state", broken)
    assert not failed.is_usable
    assert "Cannot connect to the Docker daemon" in failed.findings[0].detail
    assert failed.remedy == "Start the daemon of docker: systemctl start docker"
    assert not (tmp_path / "state/engines/docker.json").exists()


def test_another_runtime_is_tried_once_and_remembered(tmp_path: Path, podman: TestEngine) -> None:
    def make() -> ContainerSandbox:
        return PodmanSandbox(
            state=tmp_path / "state",
            environment=os.environ,
            executable=picky,
            options=podman.options,
        )

    picky = script(tmp_path / "picky", PICKY)
    found = asyncio.run(make().prepare())
    assert found.runtime == ("--runtime", "runc")
    record = tmp_path / "state/engines/podman.json"
    made = record.stat().st_mtime_ns
    assert asyncio.run(make().prepare()) == found
    assert record.stat().st_mtime_ns == made
    for nonsense in ("", "[]", "{}", record.read_text().replace('"key": "', '"key": "x')):
        record.write_text(nonsense)
        assert asyncio.run(make().prepare()) == found


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Cannot connect to the Docker daemon", "systemctl start docker"),
        ("permission denied while trying to connect to the Docker daemon", "usermod"),
        ('exec: "newuidmap": executable file not found', "Install uidmap"),
        ("no subuid ranges found for user", "--add-subuids"),
        ("crun: cgroups in hybrid mode not supported", "apt-get install runc"),
        ("The command '/x/python' cannot be started: Permission denied.", "chmod"),
        ("something else", "choose another sandbox.backend"),
    ],
)
def test_remedies_fit_what_was_said(said: str, told: str) -> None:
    assert told in remedy(said)
