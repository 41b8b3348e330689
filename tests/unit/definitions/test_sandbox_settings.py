"""What the files say about sandboxes, workspaces and the ways out of them."""
# ruff: noqa: E501 - mistakes are told in one line each

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.definitions.schema import hosts, scalars
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import (
    EXECUTOR_LIMITS,
    WORKER_LIMITS,
    Broker,
    Definition,
    SandboxPolicy,
    WorkspacePolicy,
)
from supervisor_ai.engine.ports.workspaces import Repository

AGENT = "cli: a\nclis: {a: {adapter: command, command: [agent]}}\n"
BROKER = """\
cli: a
clis:
  a:
    adapter: command
    command: [agent]
    broker:
      upstream: {upstream}
      paths: ["POST /v1/messages"]
      base_url: AGENT_BASE_URL
      header: "x-api-key: ${{AGENT_KEY}}"
      placeholder: AGENT_API_KEY
"""


def catalog(project: Mapping[str, str], user: Path) -> FileCatalog:
    repository = cast("Repository", ProjectFiles(project))
    return FileCatalog(
        repository, user, frozenset({"command"}), missing=("claude", "codex", "gemini")
    )


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path


def load(project: Mapping[str, str], user: Path) -> Definition:
    return catalog(project, user).load(COMMIT, workflow="mvp", cli=None).definition


def refusal(project: Mapping[str, str], user: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        load(project, user)
    return caught.value.message


def test_nothing_said_is_the_secure_default(user: Path) -> None:
    loaded = load({CONFIG: AGENT}, user)
    assert loaded.sandbox == SandboxPolicy()
    assert loaded.workspace == WorkspacePolicy()
    assert {(role.egress, role.hides, role.allowed_tools) for role in loaded.roles.values()} == {
        ((), (), None)
    }
    assert (loaded.clis["a"].egress, loaded.clis["a"].broker) == ((), None)
    assert loaded.limits.attempt_tokens is None
    assert not loaded.sandbox.has_disk_quota


def test_the_sandbox_is_laid_over_key_by_key(user: Path) -> None:
    (user / "config.yaml").write_text(
        "sandbox: {backend: podman, ro_paths: [/a], caches: [pip], require_hard_limits: true,"
        " limits: {worker: {memory: 1GiB, cpus: 1}}}"
    )
    config = (
        f"{AGENT}sandbox: {{ro_paths: [/b], caches: [npm], disk_quota: true,"
        " limits: {worker: {cpus: 0.5, idle_timeout: 1m}, executor: {disk: 100MB, processes: 9}}}"
    )
    policy = load({CONFIG: config}, user).sandbox
    assert (policy.backend, policy.ro_paths, policy.caches) == (
        "podman",
        ("/a", "/b"),
        ("pip", "npm"),
    )
    assert (policy.worker.memory, policy.worker.cpus) == (1 << 30, 0.5)
    assert policy.worker.idle_timeout == timedelta(minutes=1)
    assert policy.worker.disk == WORKER_LIMITS.disk
    assert (policy.executor.disk, policy.executor.processes) == (100 << 20, 9)
    assert policy.executor.memory == EXECUTOR_LIMITS.memory
    assert (policy.disk_quota, policy.require_hard_limits) == (True, True)
    assert policy.has_disk_quota


def test_roles_and_agents_have_ways_out_tools_and_blind_spots(user: Path) -> None:
    config = """\
cli: a
clis: {a: {adapter: command, command: [agent], egress: ["API.example.com:443"]}}
roles:
  planner: {egress: ["pypi.org:443"], allowed_tools: [read_file], hides: ["src/**"]}
limits: {attempt_tokens: 5000}
"""
    loaded = load({CONFIG: config}, user)
    planner = loaded.roles["planner"]
    assert loaded.clis["a"].egress == ("api.example.com:443",)
    assert (planner.egress, planner.hides) == (("pypi.org:443",), ("src/**",))
    assert planner.allowed_tools == ("read_file",)
    assert loaded.limits.attempt_tokens == 5000


def test_a_set_up_is_replaced_as_a_whole(user: Path) -> None:
    (user / "config.yaml").write_text(
        "workspace: {setup: npm ci, egress: ['registry.npmjs.org:443'], setup_timeout: 5m,"
        " cache: {key: [package-lock.json], paths: [node_modules]}}"
    )
    mine = load({CONFIG: AGENT}, user).workspace
    assert mine == WorkspacePolicy(
        setup=("npm", "ci"),
        setup_timeout=timedelta(minutes=5),
        egress=("registry.npmjs.org:443",),
        cache_key=("package-lock.json",),
        cache_paths=("node_modules",),
    )
    theirs = load({CONFIG: f"{AGENT}workspace: {{setup: make deps}}"}, user).workspace
    assert theirs == WorkspacePolicy(setup=("make", "deps"), setup_timeout=timedelta(minutes=5))


def test_a_broker_is_the_users_to_name(user: Path) -> None:
    (user / "config.yaml").write_text(BROKER.format(upstream="https://api.example.com/v9/"))
    assert load({}, user).clis["a"].broker == Broker(
        upstream="https://api.example.com/v9",
        paths=("POST /v1/messages",),
        base_url="AGENT_BASE_URL",
        header="x-api-key: ${AGENT_KEY}",
        placeholder="AGENT_API_KEY",
    )
    project = {CONFIG: BROKER.format(upstream="https://evil.example.com")}
    assert refusal(project, user) == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:6: clis.a.broker: names a service and a key of yours; only your own config may do that\
""")


def test_an_upstream_on_this_machine_is_known_as_such(user: Path) -> None:
    (user / "config.yaml").write_text(BROKER.format(upstream="http://127.0.0.1:8080"))
    broker = load({}, user).clis["a"].broker
    assert broker is not None
    assert broker.is_local


def test_every_mistake_is_named(user: Path) -> None:
    config = """\
cli: a
clis:
  a:
    adapter: command
    command: [agent]
    egress: [example.com, "93.184.216.34:443", "localhost:1", "example.com:0", "x_y.com:1"]
sandbox:
  backend: firejail
  limits:
    worker: {memory: lots, cpus: 0, disk: 1KB, idle_timeout: never}
workspace:
  egress: ["example.com:443"]
  cache: {key: [/etc/passwd], paths: [a/../b, .git/hooks]}
roles:
  planner: {hides: ["!src"]}
"""
    assert refusal({CONFIG: config}, user) == snapshot("""\
The definitions have 15 mistakes:
  .supervisor/config.yaml:6: clis.a.egress[0]: must be a host and a port such as example.com:443, found 'example.com'
  .supervisor/config.yaml:6: clis.a.egress[1]: must name the host, not its address, found '93.184.216.34:443'
  .supervisor/config.yaml:6: clis.a.egress[2]: must be a host and a port such as example.com:443, found 'localhost:1'
  .supervisor/config.yaml:6: clis.a.egress[3]: must be a host and a port such as example.com:443, found 'example.com:0'
  .supervisor/config.yaml:6: clis.a.egress[4]: must be a host and a port such as example.com:443, found 'x_y.com:1'
  .supervisor/config.yaml:8: sandbox.backend: must be 'auto', 'bubblewrap', 'podman' or 'docker', found 'firejail'
  .supervisor/config.yaml:10: sandbox.limits.worker.cpus: must be at least 0.05, found 0
  .supervisor/config.yaml:10: sandbox.limits.worker.disk: must be at least 1048576, found '1KB'
  .supervisor/config.yaml:10: sandbox.limits.worker.idle_timeout: must be a duration such as 250ms, 30s, 45m, 2h or 14d, found 'never'
  .supervisor/config.yaml:10: sandbox.limits.worker.memory: must be a size such as 512MiB or 4GiB, found 'lots'
  .supervisor/config.yaml:12: workspace.egress: is for the set-up, and there is no setup
  .supervisor/config.yaml:13: workspace.cache.key[0]: must be a path inside the workspace, found '/etc/passwd'
  .supervisor/config.yaml:13: workspace.cache.paths[0]: must be a path inside the workspace, found 'a/../b'
  .supervisor/config.yaml:13: workspace.cache.paths[1]: must be a path inside the workspace, found '.git/hooks'
  .supervisor/config.yaml:15: roles.planner.hides[0]: must be a pattern of files such as src/**, found '!src'\
""")


def test_what_belongs_to_a_set_up_needs_one(user: Path) -> None:
    config = f"{AGENT}workspace: {{cache: {{key: [a], paths: [b]}}}}"
    assert refusal({CONFIG: config}, user) == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:3: workspace.cache: is for the set-up, and there is no setup\
""")


def test_ignored_files_are_copied_by_the_projects_wish_and_with_the_users_trust(
    user: Path,
) -> None:
    files = {CONFIG: AGENT, ".worktreeinclude": "# keys\n.env\n\n  config/*.local  \n"}
    assert load(files, user).workspace.include == (".env", "config/*.local")
    asked = [power for power in catalog(files, user).powers(COMMIT) if power.key == "include"]
    assert asked == [
        Power(file=".worktreeinclude", line=2, key="include", value=".env"),
        Power(file=".worktreeinclude", line=4, key="include", value="config/*.local"),
    ]
    assert ".worktreeinclude:1: must be a pattern" in refusal({".worktreeinclude": "!a"}, user)


def test_what_widens_power_is_asked_for(user: Path) -> None:
    config = """\
clis: {a: {adapter: command, command: [agent], egress: ["example.com:443"]}}
roles: {planner: {egress: ["pypi.org:443"], allowed_tools: [web_fetch], hides: [x]}}
limits: {attempt_tokens: 5, step_timeout: 5m}
sandbox: {backend: docker, caches: [pip], limits: {worker: {memory: 1GiB}}}
workspace: {setup: make deps, cache: {key: [a], paths: [b]}}
"""
    powers = catalog({CONFIG: config}, user).powers(COMMIT)
    assert [(power.key, power.value) for power in powers] == snapshot(
        [
            ("clis.a.command", '["agent"]'),
            ("clis.a.egress", '["example.com:443"]'),
            ("roles.planner.allowed_tools", '["web_fetch"]'),
            ("roles.planner.egress", '["pypi.org:443"]'),
            ("limits.attempt_tokens", "5"),
            ("sandbox.backend", '"docker"'),
            ("sandbox.caches", '["pip"]'),
            ("sandbox.limits", '{"worker": {"memory": 1073741824}}'),
            ("workspace.cache", '{"key": ["a"], "paths": ["b"]}'),
            ("workspace.setup", '["make", "deps"]'),
        ]
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [(5, 5), ("7", 7), ("2K", 2048), ("3MiB", 3 << 20), ("1GB", 1 << 30), ("2Ti", 2 << 40)],
)
def test_sizes(written: object, meant: int) -> None:
    assert scalars.size(written) == meant


@pytest.mark.parametrize("written", ["", "G", "-1", "1.5GiB", "1PB", True, None, 2.5])
def test_no_sizes(written: object) -> None:
    with pytest.raises(ValueError, match="must be a size"):
        scalars.size(written)


@pytest.mark.parametrize(
    "written",
    [
        "api.example.com",
        "http://api.example.com",
        "https://user@api.example.com",
        "https://api.example.com/?q",
        "https://api.example.com:99999",
        "https://[::1",
        "ftp://localhost",
        "https://",
    ],
)
def test_no_upstreams(written: str) -> None:
    with pytest.raises(ValueError, match=r"must be|must begin"):
        hosts.upstream(written)


@pytest.mark.parametrize("written", ["POST", "post /a", "POST a", "POST /a/../b", "POST //a"])
def test_no_routes(written: str) -> None:
    with pytest.raises(ValueError, match="must be a method and a path"):
        hosts.route(written)


@pytest.mark.parametrize("written", ["x-api-key", "x-api-key: secret", "a b: ${K}", "x: ${K}\n"])
def test_no_headers(written: str) -> None:
    with pytest.raises(ValueError, match=r"must be a header|must take the key"):
        hosts.header(written)
