"""How a request becomes an order, and which orders there cannot be."""

from datetime import timedelta
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Cli, McpServer, SandboxPolicy
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import MemberDoor, WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.workers.agents import PROFILES
from supervisor_ai.workers.command import egress_request
from supervisor_ai.workers.environment import worker_environment
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


DOOR = MemberDoor(member="implementer-1.r1", socket=Path("/run/door/s"), token="tok-31415926")


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


@pytest.mark.parametrize("adapter", PROFILES)
def test_a_member_finds_the_tools_of_its_session_and_its_token_in_a_variable(adapter: str) -> None:
    request = replace(REQUEST, door=DOOR)
    launch = Launcher(PROFILES[adapter]).plan(order_of(request))
    said = "\n".join((*launch.words, *launch.files.values()))
    assert "http://127.0.0.1:3128/mcp" in said
    assert "SUPERVISOR_MCP_TOKEN" in said
    assert DOOR.token not in said
    variables = worker_environment(request, {})
    assert variables["SUPERVISOR_MCP_TOKEN"] == DOOR.token
    assert variables["SUPERVISOR_MCP_URL"] == "http://127.0.0.1:3128/mcp"


def test_the_server_of_the_session_is_no_server_of_a_role() -> None:
    own = replace(REMOTE, name="supervisor", url="http://127.0.0.1:9/mine")
    servers = order_of(replace(REQUEST, mcp_servers=(own, LOCAL), door=DOOR)).mcp_servers
    assert [(it.name, it.url) for it in servers] == [
        ("sup", None),
        ("supervisor", "http://127.0.0.1:3128/mcp"),
    ]


def test_who_is_no_member_has_no_way_to_a_session() -> None:
    assert egress_request(REQUEST, {}) is None
    assert not any("MCP" in name for name in worker_environment(REQUEST, {}))


def test_a_member_without_a_model_has_a_way_to_its_session_alone() -> None:
    egress = egress_request(replace(REQUEST, door=DOOR), {})
    assert egress is not None
    assert (egress.members, egress.broker, egress.allow) == (DOOR.socket, None, ())


def test_a_token_is_not_shown() -> None:
    assert DOOR.token not in repr(DOOR)
