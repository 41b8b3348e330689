"""What a role is told and given besides its prompt, and who may go on talking."""
# ruff: noqa: E501 - mistakes are told in one line each

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.layered import Layers

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.domain.run.definition import McpServer, Role


def role(layers: Layers, project: str = "", name: str = "planner") -> Role:
    return layers.load(project).definition.roles[name]


def test_nothing_is_said_unless_it_is_written(layers: Layers) -> None:
    found = role(layers, name="reviewer")
    assert (found.system_prompt, found.mcp_servers, found.max_turns) == ("", (), None)
    assert not found.is_optional
    assert found.continuations == 0


def test_words_servers_and_turns(layers: Layers) -> None:
    layers.user(
        """
roles:
  planner:
    system_prompt: Be brief.
    max_turns: 9
    mcp_servers:
      notes: {command: [notes, --old], env: {A: "1"}}
      mine: {command: "mine --quick"}
"""
    )
    found = role(
        layers,
        """
roles:
  planner:
    max_turns: 30
    optional: true
    mcp_servers:
      notes: {url: "http://127.0.0.1:8080/mcp"}
""",
    )
    assert (found.system_prompt, found.max_turns, found.is_optional) == ("Be brief.", 30, True)
    assert found.mcp_servers == (
        McpServer(name="notes", url="http://127.0.0.1:8080/mcp"),
        McpServer(name="mine", command=("mine", "--quick")),
    )


def test_a_later_word_can_take_back_an_earlier_one(layers: Layers) -> None:
    layers.user("roles: {planner: {optional: true, system_prompt: Be brief.}}")
    found = role(layers, "roles: {planner: {optional: false, system_prompt: ''}}")
    assert (found.system_prompt, found.is_optional) == ("", False)


def test_a_server_outside_needs_its_host_in_the_list(layers: Layers) -> None:
    config = """
roles:
  planner:
    egress: ["mcp.example.com:443"]
    mcp_servers: {a: {url: "https://MCP.example.com/x"}, b: {url: "http://localhost:1"}}
"""
    assert [server.name for server in role(layers, config).mcp_servers] == ["a", "b"]
    assert layers.mistakes(config.replace("egress:", "hides:")) == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:6: roles.planner.mcp_servers.a.url: is outside the sandbox; write 'mcp.example.com:443' into the role's `egress` too\
""")
    shut = config.replace("    mcp", "    allowed_tools: [read_file]\n    mcp", 1)
    assert layers.mistakes(shut) == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:7: roles.planner.mcp_servers.a.url: is outside the sandbox, where this role reaches nothing without web_fetch or web_search\
""")


def test_the_port_of_an_address_counts(layers: Layers) -> None:
    config = 'roles: {planner: {mcp_servers: {a: {url: "URL"}}}}'
    plain = layers.mistakes(config.replace("URL", "http://mcp.example.com"))
    assert "write 'mcp.example.com:80' into" in plain
    other = layers.mistakes(config.replace("URL", "https://mcp.example.com:8443"))
    assert "write 'mcp.example.com:8443' into" in other


def test_mistakes_of_servers_and_turns(layers: Layers) -> None:
    assert layers.mistakes(
        """
roles:
  planner:
    system_prompt: [a]
    max_turns: 0
    optional: "yes"
    mcp_servers:
      bad-name: {command: [a]}
      nothing: {}
      both: {command: [a], url: "http://127.0.0.1:1"}
      started: {url: "http://127.0.0.1:1", env: {A: b}}
      key: {url: "https://me:secret@example.com"}
      secret: {command: [a], env: {A: "${TOKEN}"}}
      ours: {command: [a], env: {SUPERVISOR_RUN: a}}
      shell: {command: "a && b"}
      other: {program: a}
  reviewer: {max_turns: 1001}
"""
    ) == snapshot("""\
The definitions have 13 mistakes:
  .supervisor/config.yaml:5: roles.planner.system_prompt: must be text, found a list
  .supervisor/config.yaml:6: roles.planner.max_turns: must be at least 1, found 0
  .supervisor/config.yaml:7: roles.planner.optional: must be true or false, found 'yes'
  .supervisor/config.yaml:9: roles.planner.mcp_servers.bad-name: 'bad-name' is no usable name: letters, digits and '_', beginning with a letter
  .supervisor/config.yaml:10: roles.planner.mcp_servers.nothing: needs either a `command` or a `url`
  .supervisor/config.yaml:11: roles.planner.mcp_servers.both: needs either a `command` or a `url`
  .supervisor/config.yaml:12: roles.planner.mcp_servers.started: has an `env`, but a server with a `url` is not started by us
  .supervisor/config.yaml:13: roles.planner.mcp_servers.key.url: must be an address such as https://api.example.com/v1, found 'https://me:secret@example.com'
  .supervisor/config.yaml:14: roles.planner.mcp_servers.secret.env.A: ${TOKEN} is not replaced: your variables do not enter the sandbox
  .supervisor/config.yaml:15: roles.planner.mcp_servers.ours.env.SUPERVISOR_RUN: variables that begin with SUPERVISOR_ are set by supervisor itself
  .supervisor/config.yaml:16: roles.planner.mcp_servers.shell.command: is run without a shell, where '&&' means nothing; write ["sh", "-c", "..."]
  .supervisor/config.yaml:17: roles.planner.mcp_servers.other.program: unknown key (known: command, env, url)
  .supervisor/config.yaml:18: roles.reviewer.max_turns: must be at most 1000, found 1001\
""")


def test_a_system_prompt_fits_every_cli(layers: Layers) -> None:
    long = layers.mistakes(f"roles: {{planner: {{system_prompt: {'a' * 20_001}}}}}")
    assert "system_prompt: has 20001 characters; at most 20000 are allowed" in long
    null = layers.mistakes('roles: {planner: {system_prompt: "a\\0b"}}')
    assert "system_prompt: contains a null character" in null


def test_work_and_reviews_are_never_optional(layers: Layers) -> None:
    assert layers.mistakes(
        "roles:\n  implementer: {optional: true}\n  reviewer: {optional: true}\n"
        "  reviewer_codex: {optional: false}\n  planner: {optional: true}\n"
    ) == snapshot("""\
The definitions have 2 mistakes:
  .supervisor/config.yaml:3: roles.implementer.optional: must not be true for a role that writes: work that nobody did would pass
  .supervisor/config.yaml:4: roles.reviewer.optional: must not be true for a role that reviews: a review that nobody made would pass\
""")


def test_role_files_say_the_same_things(layers: Layers) -> None:
    (layers.directory / "roles").mkdir()
    for name in ("planner", "reviewer"):
        (layers.directory / f"roles/{name}.yaml").write_text("optional: true")
    assert layers.mistakes() == snapshot("""\
The definitions have a mistake:
  USER/roles/reviewer.yaml:1: optional: must not be true for a role that reviews: a review that nobody made would pass\
""")
    (layers.directory / "roles/reviewer.yaml").unlink()
    assert role(layers).is_optional


SERVER = "roles: {planner: {system_prompt: Be kind., mcp_servers: {a: {command: [COMMAND]}}}}"


def test_a_server_needs_trust_and_words_do_not(layers: Layers) -> None:
    asked = layers.load(SERVER.replace("COMMAND", "tool")).powers
    assert asked == (
        Power(
            file=".supervisor/config.yaml",
            line=2,
            key="roles.planner.mcp_servers.a",
            value='{"command": ["tool"]}',
        ),
    )
    assert layers.load(SERVER.replace("COMMAND", "other")).powers != asked
    worded = layers.load(SERVER.replace("COMMAND", "tool").replace("kind", "rude")).powers
    assert worded == asked


def test_the_package_lets_planners_go_on(layers: Layers) -> None:
    roles = layers.load().definition.roles
    assert {name: found.continuations for name, found in roles.items()} == {
        "planner": 3,
        "implementer": 0,
        "reviewer": 0,
    }


@pytest.mark.parametrize(
    ("continuity", "planner", "reviewer"),
    [
        ("{default_mode: fresh, max_continuation_turns: 1}", 1, 0),
        ("{allow_continuation: false}", 0, 0),
        ("{continuation_roles: [reviewer, investigator]}", 0, 3),
        ("{continuation_roles: []}", 0, 0),
        ("", 3, 0),
    ],
)
def test_who_goes_on_and_how_often(
    layers: Layers, continuity: str, planner: int, reviewer: int
) -> None:
    roles = layers.load(f"continuity: {continuity}").definition.roles
    assert roles["planner"].continuations == planner
    assert roles["reviewer"].continuations == reviewer


def test_mistakes_about_going_on(layers: Layers) -> None:
    assert layers.mistakes(
        "continuity:\n  default_mode: endless\n  max_continuation_turns: 4\n"
        "  continuation_roles: [planer, 5, investigator]\n  turns: 3\n"
    ) == snapshot("""\
The definitions have 4 mistakes:
  .supervisor/config.yaml:3: continuity.default_mode: must be 'fresh', found 'endless'
  .supervisor/config.yaml:4: continuity.max_continuation_turns: must be at most 3, found 4
  .supervisor/config.yaml:5: continuity.continuation_roles[1]: must be text, found 5
  .supervisor/config.yaml:6: continuity.turns: unknown key (known: default_mode, allow_continuation, max_continuation_turns, continuation_roles)\
""")
    assert layers.mistakes("continuity: {continuation_roles: [planner, planer]}") == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:2: continuity.continuation_roles[1]: unknown role 'planer'; did you mean 'planner'?\
""")
