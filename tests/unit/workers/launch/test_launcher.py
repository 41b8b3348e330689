"""The tables of the CLIs: what is always said, and how an order is told to each of them."""

import json
import tomllib

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import McpServer
from supervisor_ai.domain.structs import replace
from supervisor_ai.workers.agents import PROFILES
from supervisor_ai.workers.environment import PLACEHOLDER
from supervisor_ai.workers.launch.launcher import AgentLaunch, Launcher
from supervisor_ai.workers.launch.order import LaunchOrder, split_name
from supervisor_ai.workers.launch.profile import HOME, Addition, Aspect, Means

SETTINGS = {
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "opencode": ".config/opencode/opencode.json",
}
SERVER = McpServer(name="sup", command=("python3", "server.py"), environment={"A": "b c"})
REMOTE = McpServer(name="far", url="http://127.0.0.1:3128/mcp")


def plan(adapter: str, order: LaunchOrder | None = None) -> AgentLaunch:
    return Launcher(PROFILES[adapter]).plan(order or LaunchOrder())


def after(launch: AgentLaunch, flag: str) -> str:
    return launch.words[launch.words.index(flag) + 1]


def settings(adapter: str, order: LaunchOrder | None = None) -> dict[str, object]:
    read: dict[str, object] = json.loads(plan(adapter, order).files[SETTINGS[adapter]])
    return read


def options(launch: AgentLaunch) -> dict[str, object]:
    """Read what Codex is told with -c, as it reads it."""
    words = launch.words
    told = [words[at + 1] for at, word in enumerate(words) if word == "-c"]
    return tomllib.loads("\n".join(told))


@pytest.mark.parametrize("adapter", PROFILES)
def test_every_cli_says_how_each_aspect_is_told_and_has_a_way_to_its_model(adapter: str) -> None:
    profile = PROFILES[adapter]
    assert profile.adapter == adapter
    assert set(profile.means) == set(Aspect)
    assert all(means.how for means in profile.means.values())
    broker = profile.broker
    assert broker is not None
    assert broker.upstream.startswith("https://")
    assert not broker.is_local
    assert "${" in broker.header


@pytest.mark.parametrize("adapter", PROFILES)
def test_no_start_holds_a_key(adapter: str) -> None:
    launch = plan(adapter)
    held = [*launch.words, *launch.environment.values(), *launch.files.values()]
    assert not any("${" in text for text in held)


def test_what_a_cli_cannot_be_told_is_said_but_adds_nothing() -> None:
    means = PROFILES["codex"].means[Aspect.MAX_TURNS]
    assert means.tell(LaunchOrder(max_turns=3)) == Addition()


@pytest.mark.parametrize(
    ("adapter", "word"),
    [
        ("claude", "--strict-mcp-config"),
        ("claude", "--no-session-persistence"),
        ("codex", "--ignore-user-config"),
        ("codex", "--ignore-rules"),
        ("codex", "--ephemeral"),
        ("gemini", "stream-json"),
        ("qwen", "stream-json"),
        ("opencode", "json"),
    ],
)
def test_what_is_always_said(adapter: str, word: str) -> None:
    assert word in plan(adapter).words


def test_settings_of_a_repository_are_off_by_flag_or_covered() -> None:
    assert after(plan("claude"), "--setting-sources") == "user"
    assert plan("gemini").covers == (".gemini",)
    assert plan("qwen").covers == (".qwen",)
    assert "opencode.json" in plan("opencode").covers


def test_repeats_of_their_own_are_turned_down() -> None:
    assert plan("claude").environment["CLAUDE_CODE_MAX_RETRIES"] == "1"
    assert settings("gemini")["general"]["maxAttempts"] == 2  # type: ignore[index]
    turned_down = {"generationConfig": {"maxRetries": 0}}
    assert settings("qwen", LaunchOrder(max_turns=3))["model"] == turned_down


def test_codex_reads_the_prompt_last_and_finds_its_model_behind_the_door() -> None:
    launch = plan("codex")
    assert launch.words[-1] == "-"
    assert launch.environment == {"SUPERVISOR_MODEL_KEY": PLACEHOLDER}
    told = options(launch)
    assert told["model_provider"] == "supervisor"
    [provider] = told["model_providers"].values()  # type: ignore[attr-defined]
    assert provider["base_url"] == "http://127.0.0.1:3128/v1"
    assert provider["env_key"] == "SUPERVISOR_MODEL_KEY"
    # The two multiply.
    assert (provider["request_max_retries"], provider["stream_max_retries"]) == (0, 1)


@pytest.mark.parametrize(
    ("adapter", "flag", "expected"),
    [
        ("claude", "--model", "opus"),
        ("codex", "-m", "opus"),
        ("gemini", "-m", "opus"),
        ("qwen", "-m", "opus"),
        ("opencode", "-m", "supervisor/opus"),
    ],
)
def test_a_model_is_told(adapter: str, flag: str, expected: str) -> None:
    assert after(plan(adapter, LaunchOrder(model="opus")), flag) == expected


@pytest.mark.parametrize("adapter", ["claude", "codex"])
def test_a_cli_with_a_model_of_its_own_is_left_the_choice(adapter: str) -> None:
    assert not {"-m", "--model"} & set(plan(adapter).words)


def test_a_cli_without_one_is_given_one() -> None:
    assert after(plan("gemini"), "-m") == "gemini-2.5-pro"


def test_opencode_learns_which_models_there_are() -> None:
    told = settings("opencode", LaunchOrder(model="tiny"))
    provider = told["provider"]["supervisor"]  # type: ignore[index]
    assert provider["models"] == {"tiny": {"name": "tiny"}}
    assert provider["options"]["apiKey"] == PLACEHOLDER


READING = LaunchOrder(allowed_tools=("read_file",))


def test_tools_are_translated() -> None:
    launch = plan("claude", READING)
    assert after(launch, "--tools") == "Read,Glob,Grep"
    assert after(launch, "--allowedTools") == "Read,Glob,Grep"
    core = settings("gemini", READING)["tools"]["core"]  # type: ignore[index]
    assert "read_file" in core
    assert "write_file" not in core
    switches = settings("opencode", READING)["tools"]
    assert switches["read"] is True  # type: ignore[index]
    assert switches["bash"] is False  # type: ignore[index]


def test_everything_is_allowed_where_nothing_is_said() -> None:
    assert {"Read", "Write", "Edit", "Bash"} <= set(after(plan("claude"), "--tools").split(","))
    core = settings("gemini")["tools"]["core"]  # type: ignore[index]
    assert {"replace", "write_file", "run_shell_command"} <= set(core)


def test_no_tool_at_all_is_not_everything() -> None:
    none = LaunchOrder(allowed_tools=())
    launch = plan("claude", none)
    assert after(launch, "--tools") == ""
    assert "--allowedTools" not in launch.words
    assert settings("gemini", none)["tools"] == {"core": ["none"]}
    assert settings("qwen", none)["tools"] == {"core": ["none"]}


def test_an_unknown_tool_is_none() -> None:
    assert after(plan("claude", LaunchOrder(allowed_tools=("fly",))), "--tools") == ""


@pytest.mark.parametrize(
    ("allowed", "is_off"), [(None, True), (("web_search",), False), (("read_file",), True)]
)
def test_codex_can_be_kept_from_searching(allowed: tuple[str, ...] | None, is_off: bool) -> None:  # noqa: FBT001
    told = options(plan("codex", LaunchOrder(allowed_tools=allowed)))
    assert ("web_search" in told) is is_off


def test_what_the_provider_does_itself_has_to_be_named() -> None:
    named = LaunchOrder(allowed_tools=("web_fetch", "web_search"))
    assert "WebFetch" in after(plan("claude"), "--tools")
    assert "WebSearch" not in after(plan("claude"), "--tools")
    assert after(plan("claude", named), "--tools") == "WebFetch,WebSearch"
    core = settings("gemini")["tools"]["core"]  # type: ignore[index]
    assert {"web_fetch", "google_web_search"}.isdisjoint(core)
    assert settings("gemini", named)["tools"] == {"core": ["web_fetch", "google_web_search"]}


def test_codex_neither_compresses_its_requests_nor_asks_for_images() -> None:
    words = plan("codex").words
    off = {words[at + 1] for at, word in enumerate(words) if word == "--disable"}
    assert {"enable_request_compression", "image_generation"} <= off


PROMPT = 'Be "kind".\n\tAlways. \x7f ✓'


def test_a_system_prompt_is_said_beside_the_clis_own() -> None:
    order = LaunchOrder(system_prompt=PROMPT)
    launch = plan("claude", order)
    inside = after(launch, "--append-system-prompt-file")
    assert launch.files[inside.removeprefix(f"{HOME}/")] == PROMPT
    assert options(plan("codex", order))["developer_instructions"] == PROMPT
    assert plan("gemini", order).files[".gemini/GEMINI.md"] == PROMPT


@pytest.mark.parametrize("adapter", PROFILES)
def test_no_system_prompt_leaves_no_trace(adapter: str) -> None:
    launch = plan(adapter)
    assert set(launch.files) <= set(SETTINGS.values())
    assert not any("developer_instructions" in word for word in launch.words)


def test_a_system_prompt_that_no_argument_can_hold_is_refused() -> None:
    with pytest.raises(InvalidInput, match="too long for Codex"):
        plan("codex", LaunchOrder(system_prompt="x" * 200_000))


SERVERS = LaunchOrder(mcp_servers=(SERVER, REMOTE))


def test_claude_is_given_servers_in_a_file_and_permission_to_use_them() -> None:
    launch = plan("claude", SERVERS)
    inside = after(launch, "--mcp-config").removeprefix(f"{HOME}/")
    listed = json.loads(launch.files[inside])["mcpServers"]
    assert listed["sup"]["command"] == "python3"
    assert listed["sup"]["args"] == ["server.py"]
    assert listed["sup"]["env"] == {"A": "b c"}
    assert listed["far"]["url"] == REMOTE.url
    assert after(launch, "--allowedTools").endswith(",mcp__sup,mcp__far")


def test_codex_is_given_servers_as_options() -> None:
    listed = options(plan("codex", SERVERS))["mcp_servers"]
    assert listed == {
        "sup": {
            "command": "python3",
            "args": ["server.py"],
            "env": {"A": "b c"},
            "default_tools_approval_mode": "approve",
        },
        "far": {"url": REMOTE.url, "default_tools_approval_mode": "approve"},
    }


def test_the_others_are_given_servers_in_their_settings() -> None:
    gemini = settings("gemini", SERVERS)
    assert gemini["mcpServers"]["sup"]["args"] == ["server.py"]  # type: ignore[index]
    assert gemini["mcpServers"]["far"]["httpUrl"] == REMOTE.url  # type: ignore[index]
    assert {"mcp_sup_*", "mcp_far_*"} <= set(gemini["tools"]["core"])  # type: ignore[index]
    opencode = settings("opencode", SERVERS)
    assert opencode["mcp"]["sup"]["command"] == ["python3", "server.py"]  # type: ignore[index]
    assert opencode["mcp"]["far"]["url"] == REMOTE.url  # type: ignore[index]


def test_what_requests_to_a_server_carry_is_referred_to_as_each_cli_does() -> None:
    order = LaunchOrder(mcp_servers=(replace(REMOTE, token_variable="TOK"),))
    claude = plan("claude", order)
    inside = after(claude, "--mcp-config").removeprefix(f"{HOME}/")
    listed = json.loads(claude.files[inside])["mcpServers"]
    assert listed["far"]["headers"] == {"Authorization": "Bearer ${TOK}"}
    assert options(plan("codex", order))["mcp_servers"]["far"]["bearer_token_env_var"] == "TOK"  # type: ignore[index]
    gemini = settings("gemini", order)["mcpServers"]["far"]  # type: ignore[index]
    assert gemini["headers"] == {"Authorization": "Bearer ${TOK}"}
    opencode = settings("opencode", order)["mcp"]["far"]  # type: ignore[index]
    assert opencode["headers"] == {"Authorization": "Bearer {env:TOK}"}


def test_turns_are_bounded_where_that_is_possible() -> None:
    order = LaunchOrder(max_turns=7)
    assert after(plan("claude", order), "--max-turns") == "7"
    assert settings("gemini", order)["model"] == {"maxSessionTurns": 7}
    assert after(plan("qwen", order), "--max-session-turns") == "7"
    assert "--max-turns" not in plan("claude").words


def test_settings_that_an_order_adds_stand_beside_the_others() -> None:
    told = settings("gemini", LaunchOrder(max_turns=7))
    assert told["security"] == {"auth": {"selectedType": "gemini-api-key"}}
    assert told["general"]["maxAttempts"] == 2  # type: ignore[index]


def test_a_variable_can_be_what_an_order_adds() -> None:
    added = Means(how="a variable", tell=lambda _: Addition(environment={"A": "1"}))
    profile = PROFILES["claude"]
    changed = replace(profile, means={**profile.means, Aspect.MAX_TURNS: added})
    launch = Launcher(changed).plan(LaunchOrder())
    assert launch.environment == {**profile.environment, "A": "1"}


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("claude", ("claude", None)),
        ("claude:opus", ("claude", "opus")),
        ("opencode:a/b:free", ("opencode", "a/b:free")),
        ("claude:", ("claude", None)),
    ],
)
def test_a_name_may_carry_a_model(name: str, split: tuple[str, str | None]) -> None:
    assert split_name(name) == split
