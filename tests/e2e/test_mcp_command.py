"""`supervisor mcp` as agents' configurations start it, with the client of the SDK."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult
from tests.e2e.command import SUPERVISOR, Json, User
from tests.e2e.imports import imported
from tests.e2e.session_of import open_own
from tests.support.processes import PATIENCE, Owned

from supervisor_ai.control.sessions.calls import calls_for
from supervisor_ai.domain.session.events import CallRefused
from supervisor_ai.domain.session.members import MemberRole

T = TypeVar("T")


def told(story: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(story, PATIENCE))


def at(user: User, *arguments: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=str(SUPERVISOR),
        args=["mcp", "--session", "S1", *arguments],
        env=user.environment,
        cwd=user.repository,
    )


def said(result: CallToolResult) -> Json:
    found: Json = result.structured_content
    return found


def test_an_agent_is_the_coordinator_of_a_session_on_stdio(user: User) -> None:
    session = open_own(user)
    user.commit({"docs/knowledge/conventions/errors.md": "# Errors\n## Rules\nRaise ToolError."})
    user.run("--workflow", "quick")

    async def story() -> None:
        async with (
            # What stderr was when the client was imported may be closed by now.
            stdio_client(at(user, "--role", "coordinator"), errlog=sys.stderr) as (read, write),
            ClientSession(read, write) as agent,
        ):
            assert (await agent.initialize()).server_info.name == "supervisor"
            tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
            assert {"team_msg", "task_create", "task_update", "task_list", "run_list"} <= set(tools)
            assert not {"approve", "reject", "override", "trust", "cancel"} & set(tools)
            asked = {"operation": "log", "to": "supervisor", "type": "note", "summary": "Hi."}
            logged = said(await agent.call_tool("team_msg", asked))
            assert logged == {"message": session.bus.read("MSG-001").record()}
            await agent.call_tool("task_create", {"taskId": "A", "subject": "Write it."})
            listed = said(await agent.call_tool("task_list", {}))
            assert [task["id"] for task in listed["tasks"]] == ["CHECKPOINT-001", "A"]
            runs = said(await agent.call_tool("run_list", {}))
            assert runs["runs"] == user.call("status", "--json").json["runs"]
            run = runs["runs"][0]["id"]
            shown = said(await agent.call_tool("run_status", {"run": run}))
            assert shown == user.call("status", run, "--json").json
            events = said(await agent.call_tool("run_events", {"run": run, "limit": 3}))
            assert events["events"] == user.events(run)[:3]
            assert events["truncated"] is True
            found = said(await agent.call_tool("knowledge_search", {"words": "raising errors"}))
            assert [it["path"] for it in found["documents"]] == [
                "docs/knowledge/conventions/errors.md"
            ]
            refused = await agent.call_tool("team_msg", {"operation": "delete", "id": "MSG-001"})
            assert refused.is_error
            assert said(refused)["error"]["kind"] == "denied"

    told(story())
    assert [it.call for it in session.facts() if isinstance(it, CallRefused)] == ["team_msg"]


def test_members_prove_who_they_are_over_http(user: User) -> None:
    session = open_own(user)
    boss = session.token("boss", MemberRole.COORDINATOR)
    writer = session.token("writer", MemberRole.WORKER)

    async def names(url: str, token: str) -> list[str]:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            streamable_http_client(url, http_client=http) as (read, write, *_),
            ClientSession(read, write) as agent,
        ):
            await agent.initialize()
            await agent.call_tool("team_msg", {"operation": "broadcast", "summary": "Here."})
            return [tool.name for tool in (await agent.list_tools()).tools]

    with serving(user) as (process, url):
        assert "task_create" in told(names(url, boss))
        assert told(names(url, writer)) == [it.name for it in calls_for(MemberRole.WORKER)]
        session.members.remove("writer")
        answer = httpx2.post(url, headers={"Authorization": f"Bearer {writer}"}, json={})
        assert answer.status_code == 401
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert [it.sender for it in session.bus.list()] == ["coordinator", "writer"]
    assert boss not in err
    assert writer not in err


class serving:  # noqa: N801 - reads as what it is
    """The command with --http, from its first words to its end."""

    def __init__(self, user: User) -> None:
        self._process = user.start("mcp", "--session", "S1", "--http", "--json")

    def __enter__(self) -> tuple[Owned, str]:
        assert self._process.stdout is not None
        text = ""
        while not text.rstrip().endswith("}"):
            line = self._process.stdout.readline()
            assert line, self._process.communicate()
            text += line
        address: str = json.loads(text)["address"]
        return self._process, address

    def __exit__(self, *error: object) -> None:
        self._process.__exit__(*error)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_good_order(user: User, number: signal.Signals) -> None:
    open_own(user)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    command = [str(SUPERVISOR), "mcp", "--session", "S1", "--role", "observer"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Owned(command, cwd=user.repository, env=user.environment, **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(hello) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "", "Stopped.\n")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "Either --role or --http"),
        (("--role", "worker", "--http"), 2, "Either --role or --http"),
        (("--role", "worker", "--port", "7777"), 2, "--port is for --http"),
        (("--http", "--member", "x"), 2, "the token says who speaks"),
        (("--role", "boss"), 2, "boss"),
        (("--role", "worker", "--member", "coordinator"), 2, "cannot be the name of a worker"),
        (("--role", "worker", "--member", "a b"), 2, "is no member"),
        (("--role", "observer", "--session", "S2"), 3, "There is no session 'S2'"),
    ],
)
def test_what_cannot_be_served_is_said(
    user: User, arguments: tuple[str, ...], code: int, words: str
) -> None:
    open_own(user)
    answer = user.call("mcp", "--session", "S1", *arguments, "--json")
    assert (answer.code, words in answer.error["message"]) == (code, True), answer


def test_a_port_that_is_taken_is_said(user: User) -> None:
    open_own(user)
    with serving(user) as (process, url):
        port = url.rpartition(":")[2].removesuffix("/mcp")
        answer = user.call("mcp", "--session", "S1", "--http", "--port", port, "--json")
        process.terminate()
    assert (answer.code, answer.error["kind"]) == (6, "unavailable")


def test_without_the_extra_it_says_what_to_install(user: User, tmp_path: Path) -> None:
    open_own(user)
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('mcp', 'uvicorn'):\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
    )
    options = ("mcp", "--session", "S1", "--role", "worker", "--json")
    with user.start(*options, PYTHONPATH=str(tmp_path)) as process:
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 6
    assert json.loads(out)["error"]["hint"] == "Install it: pip install 'supervisor-ai[mcp]'"


def test_other_verbs_import_nothing_of_it(user: User) -> None:
    open_own(user)
    heavy = {"mcp", "mcp_types", "starlette", "uvicorn", "anyio"}
    for arguments in (["--help"], ["mcp", "--help"], ["status"]):
        assert not imported(user, *arguments) & heavy, arguments
