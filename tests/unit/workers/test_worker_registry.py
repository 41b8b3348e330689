"""Adapters come through entry points: only what is asked for is loaded, and trouble is named."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import NotFound, Unavailable
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.drivers.kanban.settings import MECHANICAL
from supervisor_ai.testing.fake_sandbox import ScriptedSandbox
from supervisor_ai.workers.registry import InstalledAdapters, locate_program, worker_factory

SANDBOX = ScriptedSandbox(lambda _spec: None)
ASK = """
import json, sys
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.testing.fake_sandbox import ScriptedSandbox
from supervisor_ai.workers.registry import InstalledAdapters, worker_factory

try:
    worker = worker_factory(ScriptedSandbox(lambda spec: None), {}, lambda cli: cli)(sys.argv[1])
    said = type(worker.worker).__name__
except SupervisorError as error:
    said = f"{error.kind}: {error.message}"
loaded = [name for name in sys.modules if name.startswith(("supervisor_ai.workers.", "plugin_"))]
print(json.dumps([said, sorted(loaded), sorted(InstalledAdapters())]))
"""

OURS = [
    *("api", "claude", "codex", "command", "gemini", MECHANICAL),
    *("opencode", "qwen", "scripted"),
]


def install(directory: Path, name: str, module: str, target: str) -> None:
    """Install a package with one adapter, as pip would leave it."""
    (directory / f"plugin_{name}.py").write_text(module)
    metadata = directory / f"plugin_{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: plugin-{name}\nVersion: 1.0")
    (metadata / "entry_points.txt").write_text(f"[supervisor.workers]\n{target}\n")


def ask(directory: Path, adapter: str) -> tuple[str, list[str], list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", ASK, adapter],
        env={**os.environ, "PYTHONPATH": str(directory)},
        capture_output=True,
        text=True,
        check=True,
    )
    said, loaded, known = json.loads(done.stdout)
    return said, loaded, known


def test_a_plugin_is_loaded_alone(tmp_path: Path) -> None:
    module = "class Agent:\n    def __init__(self, sandbox, environment): pass\n"
    install(tmp_path, "good", module, "good = plugin_good:Agent")

    said, loaded, known = ask(tmp_path, "good")

    assert said == "Agent"
    assert loaded == ["plugin_good", "supervisor_ai.workers.registry"]
    assert known == sorted([*OURS, "good"])


@pytest.mark.parametrize(
    ("module", "trouble"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 +", "SyntaxError: invalid syntax (plugin_bad.py, line 1)"),
        ("", "AttributeError: module 'plugin_bad' has no attribute 'make'"),
        ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
        ("def make(sandbox, environment): raise ValueError('late')", "ValueError: late"),
        ("make = 7", "TypeError: 'int' object is not callable"),
    ],
)
def test_a_broken_plugin_is_an_error_about_that_plugin(
    tmp_path: Path, module: str, trouble: str
) -> None:
    install(tmp_path, "bad", module, "bad = plugin_bad:make")

    said, _, known = ask(tmp_path, "bad")

    assert said == (
        f"unavailable: The worker plug-in 'bad' (plugin_bad:make) cannot be loaded: {trouble}."
    )
    assert known == sorted(["bad", *OURS])
    assert ask(tmp_path, "command")[0] == "CommandWorker"


def test_a_plugin_may_explain_itself(tmp_path: Path) -> None:
    module = (
        "from supervisor_ai.domain.errors import Denied\n"
        "def make(sandbox, environment): raise Denied('Not without a licence.')\n"
    )
    install(tmp_path, "paid", module, "paid = plugin_paid:make")

    assert ask(tmp_path, "paid")[0] == "denied: Not without a licence."


def test_two_packages_cannot_offer_the_same_adapter(tmp_path: Path) -> None:
    install(tmp_path, "shadow", "make = None", "command = plugin_shadow:make")

    said, loaded, _ = ask(tmp_path, "command")

    assert said == (
        "conflict: Two packages offer a worker adapter 'command': "
        "plugin_shadow:make and supervisor_ai.workers.command:command_worker."
    )
    assert loaded == ["supervisor_ai.workers.registry"]


def test_our_own_adapters_come_through_the_door_of_plugins() -> None:
    assert set(OURS) <= set(InstalledAdapters())
    find = worker_factory(SANDBOX, {}, lambda cli: cli)
    assert find("command") is find("command")


def test_an_unknown_adapter_is_named_with_the_nearest_one() -> None:
    with pytest.raises(NotFound, match="'comand'") as caught:
        worker_factory(SANDBOX, {}, lambda cli: cli)("comand")
    assert caught.value.hint == "Did you mean 'command'?"
    with pytest.raises(NotFound) as caught:
        worker_factory(SANDBOX, {}, lambda cli: cli)("zzz")
    assert f"There are: {', '.join(OURS)}" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("cli", "place"),
    [
        (Cli(name="shell", adapter="command", command=("sh", "-c", "true")), "/bin/sh"),
        (
            Cli(name="own", adapter="command", command=("tools/agent",)),
            "tools/agent of the project",
        ),
        (Cli(name="demo", adapter="scripted"), None),
    ],
)
def test_the_program_of_an_agent_is_found(cli: Cli, place: str | None) -> None:
    assert locate_program(cli, "/bin") == place


def test_an_agent_that_is_not_installed_is_missed() -> None:
    with pytest.raises(Unavailable, match="The program 'claude' is not on the PATH"):
        locate_program(Cli(name="claude", adapter="claude"), "/nonexistent")
