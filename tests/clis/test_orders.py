"""What is ordered of real CLIs, seen in what they ask the model."""

import json
from typing import Final

import pytest
from tests.clis.stage import INSTALLED, Stage

from supervisor_ai.domain.run.definition import McpServer
from supervisor_ai.lab.server import LabServer
from supervisor_ai.workers.launch.order import LaunchOrder

OTHERS: Final = ("opencode", "qwen")
pytestmark = [pytest.mark.long, pytest.mark.parametrize("adapter", [*INSTALLED, *OTHERS])]
SERVER: Final = """\
import json, os, sys
TOOL = {"name": "report_it", "description": os.environ["MARK"], "inputSchema": {"type": "object"}}
for line in sys.stdin:
    asked = json.loads(line)
    said = {
        "initialize": {
            "protocolVersion": asked.get("params", {}).get("protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"},
        },
        "tools/list": {"tools": [TOOL]},
    }.get(asked["method"])
    answer = {"result": said} if said else {"error": {"code": -32601, "message": "no"}}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""
WRITERS: Final = {
    "qwen": ('"write_file"', '"run_shell_command"'),
    "claude": ('"Write"', '"Bash"'),
    "gemini": ('"write_file"', '"run_shell_command"'),
    "opencode": ('"write"', '"bash"'),
}


def test_an_order_reaches_the_model(stage: Stage) -> None:
    stage.write({"server.py": SERVER})
    order = LaunchOrder(
        model="gpt-5.5-codex" if stage.adapter == "codex" else "tiny-model",
        system_prompt='Be "kind-hearted".\nAlways.',
        allowed_tools=("read_file",),
        mcp_servers=(
            McpServer(
                name="sup", command=("python3", "server.py"), environment={"MARK": "marked by us"}
            ),
        ),
        max_turns=5,
    )
    with LabServer([{"text": "fine"}]) as lab:
        report = stage.play(lab, order=order)
    assert report.output == "fine", (report.diagnosis, stage.said)
    asked = [seen for seen in lab.requests if seen.place != "side"]
    assert asked[0].model == order.model
    told = json.dumps(asked[0].body)
    assert "kind-hearted" in told
    tools = json.dumps(asked[0].body["tools"])  # type: ignore[index,call-overload]
    assert not any(name in tools for name in WRITERS.get(stage.adapter, ()))
    # Codex and Qwen Code let the model search for such tools first.
    if stage.adapter not in ("codex", "qwen"):
        assert "report_it" in tools
        assert "marked by us" in tools
