"""How a request becomes an order, and which orders there cannot be."""

from datetime import timedelta
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Cli, McpServer, SandboxPolicy
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.workers.agents import PROFILES
from supervisor_ai.workers.launch.launcher import Launcher
from supervisor_ai.workers.launch.order import LaunchOrder, order_of

LOCAL = McpServer(name="sup", command=("python3", "server.py"), environment={"A": "b"})
REMOTE = McpServer(name="far", url="http://127.0.0.1:3128/mcp")
REQUEST = WorkerRequest(
    run=RunId("r1"),
    step=StepName("implement"),
    visit=1,
    slot=0,
    attempt=1,
    role="implementer",
    cli=Cli(name="claude", adapter="claude"),
    prompt="Do it.",
    workspace=Workspace(
        run=RunId("r1"),
        key=EffectKey("k"),
        path=Path("/nowhere"),
        start=CommitSha("c"),
        mounts=(),
    ),
    program=Path("/nowhere"),
    label="r1/implement",
    fence=0,
    timeout=timedelta(minutes=1),
    output_bytes=1000,
    sandbox=SandboxPolicy(),
    egress=(),
    on_refusal=lambda _: None,
)


def test_a_request_that_asks_for_nothing_leaves_everything_to_the_cli() -> None:
    assert order_of(REQUEST) == LaunchOrder()


def test_all_that_a_request_asks_for_is_ordered() -> None:
    request = replace(
        REQUEST,
        cli=Cli(name="claude:opus", adapter="claude"),
        system_prompt="Be kind.",
        allowed_tools=("read_file",),
        mcp_servers=(LOCAL, REMOTE),
        max_turns=7,
    )
    assert order_of(request) == LaunchOrder(
        model="opus",
        system_prompt="Be kind.",
        allowed_tools=("read_file",),
        mcp_servers=(LOCAL, REMOTE),
        max_turns=7,
    )


def test_no_tools_are_not_all_tools() -> None:
    assert order_of(replace(REQUEST, allowed_tools=())).allowed_tools == ()
    assert order_of(REQUEST).allowed_tools is None


@pytest.mark.parametrize("adapter", PROFILES)
def test_commands_addresses_and_variables_of_servers_reach_every_cli(adapter: str) -> None:
    order = order_of(replace(REQUEST, mcp_servers=(LOCAL, REMOTE)))
    launch = Launcher(PROFILES[adapter]).plan(order)
    said = "\n".join((*launch.words, *launch.files.values()))
    assert "server.py" in said
    assert '"b"' in said
    assert "http://127.0.0.1:3128/mcp" in said


@pytest.mark.parametrize(
    ("server", "found"),
    [
        (McpServer(name="sup"), "neither"),
        (McpServer(name="sup", url=""), "neither"),
        (replace(LOCAL, url="http://127.0.0.1:1"), "both"),
        (replace(LOCAL, url=""), "both"),
    ],
)
def test_a_server_is_in_exactly_one_place(server: McpServer, found: str) -> None:
    with pytest.raises(InvalidInput, match=f"'sup' needs .* it has {found}"):
        order_of(replace(REQUEST, mcp_servers=(LOCAL, server)))
