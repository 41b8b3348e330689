import csv
from datetime import timedelta
from pathlib import Path

import pytest

from supervisor_ai.domain.run.definition import MIB, ResourceLimits
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Mount, Profile, SandboxSpec
from supervisor_ai.sandboxes.containers.engine import DOCKER, PODMAN, Engine
from supervisor_ai.sandboxes.containers.run_as import ContainerUser
from supervisor_ai.sandboxes.containers.run_options import (
    Host,
    Lodger,
    PreparedHost,
    bind,
    label_of,
    plain,
    run_words,
)
from supervisor_ai.sandboxes.processes.ownership import Handover

WORK = Path("/home/user/work")
LIMITS = ResourceLimits(
    memory=256 * MIB, cpus=1.5, processes=64, file_size=8 * MIB, disk=MIB, disk_files=100
)
SPEC = SandboxSpec(
    label="run-1/step 2\n",
    profile=Profile.EXECUTOR,
    argv=("tool", "--token", "secret-in-argv"),
    cwd=WORK,
    mounts=(),
    timeout=timedelta(seconds=1),
    output_bytes=1,
    environment={"KEY": "secret-in-environment"},
    stdin=b"secret-in-stdin",
    fence=7,
    limits=LIMITS,
)
PREPARED = PreparedHost(image="localhost/image:1", runtime=(), has_groups=True)
LODGER = Lodger(
    name="supervisor-1",
    guest=ContainerUser(
        user=61_000,
        group=61_000,
        handover=Handover(owner=61_000, users=range(61_000, 61_064)),
    ),
    mounts=(Mount(source=WORK, target=WORK, is_writable=True),),
)


def words(
    engine: Engine, *, prepared: PreparedHost = PREPARED, lodger: Lodger = LODGER
) -> tuple[str, ...]:
    host = Host(engine=engine, prepared=prepared, seccomp=Path("/s.json"), state="here")
    return run_words(host, lodger, SPEC)


def values(option: str, told: tuple[str, ...]) -> list[str]:
    return [told[at + 1] for at, word in enumerate(told) if word == option]


engines = pytest.mark.parametrize("engine", [PODMAN, DOCKER])


@engines
def test_a_container_has_nothing_that_it_does_not_need(engine: Engine) -> None:
    told = words(engine)
    assert values("--network", told) == ["none"]
    assert values("--cap-drop", told) == ["ALL"]
    assert values("--pull", told) == ["never"]
    assert values("--log-driver", told) == ["none"]
    assert {"--rm", "--read-only"} <= set(told)
    assert {"no-new-privileges", "seccomp=/s.json"} <= set(values("--security-opt", told))
    assert values("--user", told) == ["61000:61000"]


@engines
def test_nothing_of_the_command_is_told_to_the_engine(engine: Engine) -> None:
    assert "secret" not in " ".join(words(engine))
    assert not {"--env", "--env-file", "-e"} & set(words(engine))


@engines
def test_limits_are_those_of_the_command(engine: Engine) -> None:
    told = words(engine)
    assert values("--memory", told) == values("--memory-swap", told) == [str(256 * MIB)]
    assert values("--pids-limit", told) == ["64"]
    assert values("--cpus", told) == ["1.5"]
    ulimits = dict(each.split("=") for each in values("--ulimit", told))
    assert ulimits["fsize"] == f"{8 * MIB}:{8 * MIB}"
    assert ulimits["core"] in ("0:0", "1:1")
    assert {"nofile", "nproc"} <= set(ulimits)


def test_without_control_groups_the_engine_is_not_asked_for_what_it_would_ignore() -> None:
    told = words(PODMAN, prepared=replace(PREPARED, has_groups=False))
    assert not {"--memory", "--memory-swap", "--pids-limit", "--cpus"} & set(told)
    assert values("--ulimit", told)


def test_an_ordinary_user_is_the_same_one_inside_podman() -> None:
    ordinary = replace(LODGER, guest=ContainerUser(user=1000, group=1000, handover=None))
    assert values("--userns", words(PODMAN, lodger=ordinary)) == ["keep-id"]
    assert values("--userns", words(DOCKER, lodger=ordinary)) == []
    assert values("--userns", words(PODMAN)) == []


def test_a_runtime_is_chosen_before_the_verb() -> None:
    told = words(PODMAN, prepared=replace(PREPARED, runtime=("--runtime", "runc")))
    assert told[:3] == ("--runtime", "runc", "run")


def test_labels_name_the_command_its_owner_and_its_state() -> None:
    labels = dict(each.split("=", 1) for each in values("--label", words(PODMAN)))
    assert label_of(labels.pop("supervisor.label")) == SPEC.label
    assert labels == {"supervisor.fence": "7", "supervisor.state": "here"}


@pytest.mark.parametrize("label", ["", "run-1/a", "a b\tc\nd", "=,%41", "ü", "-x"])
def test_a_label_survives_being_written_in_a_line(label: str) -> None:
    assert label_of(plain(label)) == label
    assert plain(label).isascii()
    assert not set(plain(label)) & set("\t\n =,")


@pytest.mark.parametrize("name", ["/plain", "/a,b", "/a:b", '/a"b', "/a=b c"])
def test_a_mount_says_its_paths_whatever_they_contain(name: str) -> None:
    told = bind(Mount(source=Path(name), target=Path("/there")))
    assert next(csv.reader([told])) == ["type=bind", f"source={name}", "target=/there", "readonly"]
    writable = bind(Mount(source=Path(name), target=Path("/there"), is_writable=True))
    assert "readonly" not in writable


def test_the_last_word_about_a_place_counts() -> None:
    twice = (*LODGER.mounts, Mount(source=Path("/other"), target=WORK))
    told = values("--mount", words(PODMAN, lodger=replace(LODGER, mounts=twice)))
    assert told == [bind(twice[1])]
