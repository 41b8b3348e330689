"""What surrounds a worker: its way out, its limits, its workspace, as a user configures them."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import CONFIG, Json, User
from tests.support.package_registry import WHEEL, package_registry, require_pip

KEY: Final = "sk-not-for-workers-3141592653"
ANSWER: Final = """\
answer = {"status": "SUCCESS", "files_created": [], "files_modified": [], "tests_written": []}
print("```json\\n" + json.dumps(answer) + "\\n```")
"""
USER_CONFIG: Final = """\
clis:
  modelled:
    adapter: command
    command: [python3, tools/modelled.py]
    broker:
      upstream: http://127.0.0.1:{port}
      paths: ["POST /v1/messages"]
      base_url: MODEL_BASE_URL
      header: "x-api-key: ${{MODEL_KEY}}"
      placeholder: MODEL_API_KEY
"""
MODELLED: Final = (
    """\
import json, os, urllib.error, urllib.request
from pathlib import Path

def post(path, **asked):
    url = os.environ["MODEL_BASE_URL"] + path
    headers = {"x-api-key": os.environ["MODEL_API_KEY"], "authorization": "Bearer stolen",
               "content-type": "application/json"}
    body = json.dumps({"model": "m", "max_tokens": 9, "messages": [], **asked}).encode()
    request = urllib.request.Request(url, body, headers, method="POST")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        return opener.open(request, timeout=200).read().decode()
    except urllib.error.HTTPError as error:
        return f"refused {error.code}"

print("said", post("/v1/messages"))
print("files", post("/v1/files"))
print("seen", sorted(os.environ.items()), Path("/proc/1/environ").read_bytes())
Path("done.txt").write_text("done")
"""
    + ANSWER
)


class Upstream(BaseHTTPRequestHandler):
    """A model that says hello and tells what it cost."""

    seen: list[tuple[str, dict[str, str]]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.seen.append((self.path, {name.lower(): it for name, it in self.headers.items()}))
        usage = {"input_tokens": 40, "output_tokens": 20}
        body = json.dumps({"content": "hello", "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]
        """Say nothing."""


@contextmanager
def upstream() -> Iterator[tuple[int, list[tuple[str, dict[str, str]]]]]:
    seen: list[tuple[str, dict[str, str]]] = []
    handler = type("Handler", (Upstream,), {"seen": seen})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port, seen
        finally:
            server.shutdown()
            thread.join()


def facts(user: User, run: Json, kind: str) -> list[Json]:
    return [event["payload"] for event in user.events(run["id"]) if event["type"] == kind]


def configure(user: User, text: str) -> None:
    directory = user.home / "config"
    directory.mkdir(exist_ok=True)
    (directory / "config.yaml").write_text(text)
    user.environment["SUPERVISOR_CONFIG"] = str(directory)
    user.environment["MODEL_KEY"] = KEY


def test_a_worker_reaches_its_model_and_never_sees_the_key(user: User) -> None:
    user.commit({"tools/modelled.py": MODELLED})
    with upstream() as (port, seen):
        configure(user, USER_CONFIG.format(port=port))
        said = user.run("--workflow", "quick", "--cli", "modelled")
    assert said.code == 0, said.out + said.err
    run = said.run
    [(path, headers)] = seen
    assert path == "/v1/messages"
    assert headers["x-api-key"] == KEY
    assert "authorization" not in headers
    assert (run["usage"]["tokens_in"], run["usage"]["tokens_out"]) == (40, 20)
    assert "40 tokens in, 20 out" in user.call("status", run["id"]).out
    [refused] = facts(user, run, "EgressRefused")
    assert (refused["step"], refused["attempt"], refused["reason"]) == (
        "implement",
        1,
        "path-not-listed",
    )
    [entry] = user.call("logs", run["id"], "--step", "implement", "--json").json["logs"]
    assert "hello" in entry["came_back"]
    assert "files refused 403" in entry["came_back"]
    ledger = user.repository / ".supervisor"
    kept = b"".join(file.read_bytes() for file in ledger.rglob("*") if file.is_file())
    assert KEY.encode() not in kept
    assert KEY not in entry["came_back"]


def test_a_model_searches_for_a_worker_only_where_its_role_names_it(user: User) -> None:
    search = 'post("/v1/messages", tools=[{"type": "web_search_20250305", "name": "web_search"}])'
    user.commit({"tools/modelled.py": MODELLED.replace('post("/v1/files")', search)})
    with upstream() as (port, seen):
        own = USER_CONFIG.format(port=port)
        configure(user, own)
        said = user.run("--workflow", "quick", "--cli", "modelled")
        assert said.code == 0, said.out + said.err
        assert len(seen) == 1
        [refused] = facts(user, said.run, "EgressRefused")
        assert refused["reason"] == "tool-not-allowed: tools.web_search_20250305"
        [entry] = user.call("logs", said.run["id"], "--step", "implement", "--json").json["logs"]
        assert "files refused 403" in entry["came_back"]
        shown = user.call("events", said.run["id"]).out
        expected = f"may not ask 127.0.0.1:{port} for tools.web_search_20250305 (tool-not-allowed)"
        assert expected in shown
        tools = "[read_file, edit_file, write_file, run_command, web_search]"
        configure(user, f"{own}roles: {{implementer: {{allowed_tools: {tools}}}}}\n")
        allowed = user.run("--workflow", "quick", "--cli", "modelled")
        assert allowed.code == 0, allowed.out + allowed.err
        assert facts(user, allowed.run, "EgressRefused") == []
        assert len(seen) == 3


def test_a_worker_that_has_spent_its_budget_is_cut_off(user: User) -> None:
    user.commit(
        {
            "tools/modelled.py": MODELLED.replace("print(", "post('/v1/messages'); print(", 1),
            ".supervisor/config.yaml": f"{CONFIG}  attempt_tokens: 50\n",
        }
    )
    with upstream() as (port, _):
        configure(user, USER_CONFIG.format(port=port))
        said = user.run("--workflow", "quick", "--cli", "modelled")
    assert said.code == 1
    [failed] = facts(user, said.run, "AttemptFailed")
    assert failed["category"] == "resource"
    assert "50 tokens" in failed["reason"]


def test_a_variable_that_is_not_set_is_named_before_anything_is_sent(user: User) -> None:
    user.commit({"tools/modelled.py": MODELLED})
    configure(user, USER_CONFIG.format(port=9))
    del user.environment["MODEL_KEY"]
    said = user.run("--workflow", "quick", "--cli", "modelled")
    assert said.code != 0
    assert "MODEL_KEY" in said.out + said.err


def test_a_worker_without_a_way_out_reaches_nothing(user: User) -> None:
    probe = """\
import json, socket
for host in ("127.0.0.1", "localhost"):
    for port in (3128, PORT):
        try:
            socket.create_connection((host, port), 2)
            print("connected to", port)
        except OSError as error:
            print("no way", error)
"""
    with upstream() as (port, seen):
        user.commit({"tools/agent.py": probe.replace("PORT", str(port)) + ANSWER})
        run = user.run("--workflow", "quick").run
    [entry] = user.call("logs", run["id"], "--step", "implement", "--json").json["logs"]
    assert entry["came_back"].count("no way") == 4
    assert seen == []


HOSTS: Final = """\
import json, socket
def connect(target):
    with socket.create_connection(("127.0.0.1", 3128), 5) as way:
        way.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n".encode())
        return way.recv(100).decode().splitlines()[0]
for target in ("evil.example.com:443", "127.0.0.1:443", "allowed.example.com:80"):
    print(target, connect(target))
"""


def test_hosts_that_are_not_listed_are_refused_and_recorded(user: User) -> None:
    config = CONFIG.replace(
        "    command: [python3, tools/agent.py]\n",
        "    command: [python3, tools/agent.py]\n    egress: ['allowed.example.com:443']\n",
    )
    user.commit({"tools/agent.py": HOSTS + ANSWER, ".supervisor/config.yaml": config})
    run = user.run("--workflow", "quick").run
    refused = facts(user, run, "EgressRefused")
    assert [(fact["host"], fact["port"], fact["reason"]) for fact in refused] == [
        ("evil.example.com", 443, "not-listed"),
        ("127.0.0.1", 443, "ip-literal"),
        ("allowed.example.com", 80, "not-listed"),
    ]
    shown = user.call("events", run["id"])
    assert "may not reach evil.example.com:443 (not-listed)" in shown.out


SETUP: Final = f"""{CONFIG}
workspace:
  setup: [sh, tools/setup.sh]
  cache: {{key: [deps.lock], paths: [deps]}}
"""


def test_a_workspace_is_set_up_once_and_then_taken_from_the_cache(user: User) -> None:
    user.commit(
        {
            ".supervisor/config.yaml": SETUP,
            ".gitignore": "deps\n",
            "deps.lock": "1\n",
            "tools/setup.sh": "mkdir deps; echo installed > deps/it; echo setting up\n",
            "tools/agent.py": f"import json\nprint(open('deps/it').read())\n{ANSWER}",
        }
    )
    for expected in (False, True):
        said = user.run("--workflow", "quick")
        assert said.code == 0, said.out + said.err
        [ended] = facts(user, said.run, "SetupEnded")
        assert ended["is_cached"] is expected
    user.commit({"deps.lock": "2\n"})
    [again] = facts(user, user.run("--workflow", "quick").run, "SetupEnded")
    assert again["is_cached"] is False


INSTALL: Final = """\
python=$(python3 -c 'import sys; print(sys._base_executable)')
"$python" -m pip install -q --target deps tiny
"""
FETCHED: Final = f"{SETUP}  egress: ['pypi.org:443', 'files.pythonhosted.org:443']\n"


def test_a_set_up_installs_from_the_registry_of_the_machine(user: User, tmp_path: Path) -> None:
    require_pip()
    user.commit(
        {
            ".supervisor/config.yaml": FETCHED,
            ".gitignore": "deps\n",
            "deps.lock": "1\n",
            "tools/setup.sh": INSTALL,
            "tools/agent.py": f"import json, sys\nsys.path.append('deps')\nimport tiny\n{ANSWER}",
        }
    )
    with package_registry(tmp_path / "registry") as registry:
        said = user.run("--workflow", "quick", **registry.environment)
    assert said.code == 0, said.out + said.err
    assert {"/simple/tiny/", f"/{WHEEL}"} <= set(registry.asked)
    assert facts(user, said.run, "EgressRefused") == []


def test_a_set_up_that_fails_says_so(user: User) -> None:
    user.commit({".supervisor/config.yaml": SETUP, "tools/setup.sh": "echo no; exit 9\n"})
    said = user.run("--workflow", "quick")
    assert (said.code, said.run["outcome"]["kind"]) == (6, "blocked")
    assert said.run["outcome"]["reason"] == (
        "setup: workspace.setup failed, `sh tools/setup.sh`. The command ended with exit code 9. no"
    )
    [attempt] = user.call("logs", said.run["id"], "--json").json["logs"]
    assert attempt["came_back"] == "no\n"


def test_a_set_up_that_fails_before_any_worker_is_told_in_the_log(user: User) -> None:
    user.commit({".supervisor/config.yaml": SETUP, "tools/setup.sh": "echo the reason; exit 9\n"})
    said = user.run("--workflow", "standard")
    assert (said.code, said.run["outcome"]["kind"]) == (6, "blocked")
    assert facts(user, said.run, "AttemptStarted") == []
    [entry] = user.call("logs", said.run["id"], "--json").json["logs"]
    assert (entry["kind"], entry["by"], entry["status"]) == ("baseline", "test", "broken")
    assert entry["came_back"] == "the reason\n"
    assert "baseline test" in user.call("logs", said.run["id"]).out


HIDING: Final = "roles: {implementer: {hides: ['secret/**']}}\n"
LOOK: Final = """\
import json, os, pathlib
for name in ("secret/plan.txt", ".env", "README.md"):
    print(name, pathlib.Path(name).exists())
print("port", os.environ["SUPERVISOR_PORT_BASE"], "db", os.environ["SUPERVISOR_DB_SUFFIX"])
"""


def test_a_role_sees_what_it_may_and_ignored_files_are_brought_along(user: User) -> None:
    user.commit(
        {
            ".supervisor/config.yaml": f"{CONFIG}{HIDING}",
            ".gitignore": ".env\n",
            ".worktreeinclude": ".env\n",
            "secret/plan.txt": "hidden",
            "README.md": "seen",
            "tools/agent.py": LOOK + ANSWER,
        }
    )
    user.write({".env": "A=1"})
    said = user.run("--workflow", "quick")
    assert said.code == 0, said.out + said.err
    [entry] = user.call("logs", said.run["id"], "--step", "implement", "--json").json["logs"]
    for line in ("secret/plan.txt False", ".env True", "README.md True"):
        assert line in entry["came_back"]


WRITE: Final = """\
import json
try:
    open("new.txt", "w").write("x")
    print("written")
except OSError as error:
    print("not written:", error.strerror)
"""


def test_a_role_without_an_editing_tool_cannot_write(user: User) -> None:
    tools = "roles: {implementer: {allowed_tools: [read_file]}}\n"
    user.commit({".supervisor/config.yaml": f"{CONFIG}{tools}", "tools/agent.py": WRITE + ANSWER})
    run = user.run("--workflow", "quick").run
    [entry] = user.call("logs", run["id"], "--step", "implement", "--json").json["logs"]
    assert "not written: Read-only file system" in entry["came_back"]


# Python ignores the signal of this limit, and what it starts inherits that.
BIG_FILE: Final = """\
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
open("big", "wb").write(bytes(3 << 20))
"""


@pytest.mark.parametrize(
    ("limits", "program", "words", "code"),
    [
        ("memory: 96MiB", "held = [bytearray(1 << 20) for _ in range(400)]", "memory", 5),
        # Silence may be another one the next time; nobody is asked about it.
        ("idle_timeout: 1s", "import time; time.sleep(60)", "idle_timeout", 1),
        ("file_size: 1MiB", BIG_FILE, "file_size", 5),
    ],
)
def test_a_worker_beyond_a_limit_fails_for_want_of_resources(
    user: User, limits: str, program: str, words: str, code: int
) -> None:
    config = f"{CONFIG}sandbox: {{limits: {{worker: {{{limits}}}}}}}\n"
    user.commit({".supervisor/config.yaml": config, "tools/agent.py": f"{program}\n{ANSWER}"})
    said = user.run("--workflow", "quick")
    assert said.code == code, said.out
    [failed] = facts(user, said.run, "AttemptFailed")
    assert failed["category"] == "resource", failed
    assert f"sandbox.limits.worker.{words}" in failed["reason"]
