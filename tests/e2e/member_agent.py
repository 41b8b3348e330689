"""An agent that is a member of a session, and tries more than it may.

Runs inside the sandbox. What came of each attempt is written to `heard.json` in the workspace.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

URL = os.environ["SUPERVISOR_MCP_URL"]
OWN = os.environ["SUPERVISOR_MCP_TOKEN"]
OTHER = (Path(__file__).parent / "other-token").read_text().strip()
MIB = 1 << 20


def post(body: bytes, token: str | None = OWN, url: str = URL) -> tuple[int, str]:
    """Send one request; return the status and the body of its answer."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, body, headers)  # noqa: S310 - the address is our own
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


def ask(method: str, token: str | None = OWN, **params: object) -> tuple[int, object]:
    """Ask the server of the session."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    status, body = post(json.dumps(message).encode(), token)
    return status, json.loads(body)["result"] if status == 200 else body


def call(name: str, token: str | None = OWN, **arguments: object) -> tuple[int, object]:
    """Call a tool; return what it said."""
    status, result = ask("tools/call", token, name=name, arguments=arguments)
    return status, result["structuredContent"] if isinstance(result, dict) else result


def main() -> None:
    """Try everything, and do the work."""
    sys.stdin.read()
    status, listed = ask("tools/list")
    names = [tool["name"] for tool in listed["tools"]] if isinstance(listed, dict) else listed
    heard = {
        "tools": (status, names),
        "log": call("team_msg", operation="log", summary="At work.", type="progress"),
        "as_coordinator": call(
            "team_msg", **{"operation": "log", "from": "coordinator", "summary": "Approved."}
        ),
        "approve": call("approve", run=os.environ["SUPERVISOR_RUN"]),
        "task_create": call("task_create", taskId="A", subject="More."),
        "run_list": call("run_list"),
        "checkpoint": call("task_update", taskId="CHECKPOINT-001", status="completed"),
        "clear": call("team_msg", operation="clear"),
        "other": ask("tools/list", OTHER),
        "nobody": ask("tools/list", None),
        "guess": ask("tools/list", "0" * 64),
        "huge": post(b"x" * (MIB + 1)),
        "path": post(b"{}", url=URL + "/../v1/messages"),
        "elsewhere": post(b"{}", url=URL.replace("/mcp", "/other")),
    }
    Path("heard.json").write_text(json.dumps(heard))
    Path("done.txt").write_text("done\n")
    answer = {
        "nonce": os.environ["SUPERVISOR_NONCE"],
        "status": "SUCCESS",
        "summary": "Wrote it.",
        "files_created": ["done.txt", "heard.json"],
        "files_modified": [],
        "tests_written": [],
    }
    sys.stdout.write(f"```json\n{json.dumps(answer)}\n```\n")


main()
