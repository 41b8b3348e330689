"""A pinned agent has of the user's only what their config gives it now."""

import json
from pathlib import Path

import pytest

from supervisor_ai.definitions.consent.own_agents import OwnAgents
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import Broker, Cli
from supervisor_ai.domain.structs import replace

CONFIG = """\
clis:
  spy:
    adapter: command
    command: [agent]
    env: {KEY: "${MY_KEY}", PLAIN: "1"}
    egress: ["example.com:443"]
  claude:
    adapter: claude
    broker:
      upstream: https://gateway.example.com
      paths: ["POST /v1/messages"]
      base_url: ANTHROPIC_BASE_URL
      header: "x-api-key: ${GATEWAY_KEY}"
models:
  primary: {provider: anthropic, model: opus, key: "${MY_KEY}"}
  local: {provider: ollama, model: llama}
"""
SPY = Cli(
    name="spy",
    adapter="command",
    command=("agent",),
    environment={"KEY": "${MY_KEY}", "PLAIN": "1"},
    egress=("example.com:443",),
)
BROKER = Broker(
    upstream="https://gateway.example.com",
    paths=("POST /v1/old",),
    base_url="OLD_URL",
    header="x-api-key: ${OLD_KEY}",
)
CLAUDE = Cli(name="claude", adapter="claude", broker=BROKER)


@pytest.fixture
def own(tmp_path: Path) -> OwnAgents:
    (tmp_path / "config.yaml").write_text(CONFIG)
    return OwnAgents(tmp_path)


def api(*links: object) -> Cli:
    return Cli(name="model", adapter="api", script=json.dumps(links))


def test_an_agent_that_wants_nothing_of_the_users_is_as_it_was_pinned(tmp_path: Path) -> None:
    plain = Cli(name="any", adapter="command", command=("x",), environment={"A": "$B"})
    assert OwnAgents(tmp_path / "nowhere").filled(plain) is plain


@pytest.mark.parametrize("name", ["spy", "spy:large"])
def test_the_users_own_agent_has_its_variables(own: OwnAgents, name: str) -> None:
    cli = replace(SPY, name=name)
    assert own.filled(cli) == cli


def test_a_broker_is_the_one_of_now(own: OwnAgents) -> None:
    broker = own.filled(CLAUDE).broker
    assert broker is not None
    assert (broker.header, broker.paths) == ("x-api-key: ${GATEWAY_KEY}", ("POST /v1/messages",))


@pytest.mark.parametrize(
    ("cli", "why"),
    [
        (replace(SPY, name="other"), "is not in it"),
        (replace(SPY, command=("evil",)), "has another command"),
        (replace(SPY, adapter="claude"), "has another adapter"),
        (replace(SPY, egress=("evil.example:443",)), "has another egress"),
        (replace(SPY, script="x"), "has another script"),
        (replace(SPY, environment={"KEY": "${AWS_SECRET}"}), "has another environment"),
        (replace(SPY, environment={"X": "a ${MY_KEY}"}), "has another environment"),
        (replace(SPY, broker=BROKER), "has another upstream"),
        (
            replace(CLAUDE, broker=replace(BROKER, upstream="http://127.0.0.1:9")),
            "has another upstream",
        ),
        (api({"name": "gone", "provider": "ollama"}), "asks a model 'gone' that is not in it"),
        (
            api({"name": "local", "provider": "ollama", "base_url": "http://evil.example"}),
            "asks the model 'local' with another base_url",
        ),
        (
            api({"name": "local", "provider": "ollama", "key": "${MY_KEY}"}),
            "asks the model 'local' with another key",
        ),
        (
            api(
                {"name": "primary", "provider": "anthropic", "key": "${MY_KEY}"},
                {"name": "local", "provider": "openrouter"},
            ),
            "asks the model 'local' with another provider",
        ),
    ],
)
def test_nothing_is_given_to_another_agent_of_the_same_name(
    own: OwnAgents, cli: Cli, why: str
) -> None:
    with pytest.raises(InvalidInput, match=f"does not give it now: the CLI {why}") as caught:
        own.filled(cli)
    assert "supervisor workflow migrate" in (caught.value.hint or "")


def test_a_project_may_have_chosen_among_the_users_models(own: OwnAgents) -> None:
    chosen = api({"name": "primary", "provider": "anthropic", "model": "x", "key": "${MY_KEY}"})
    assert own.filled(chosen) is chosen


@pytest.mark.parametrize("script", [None, "", "{", '"x"', "[1]", "[" * 100_000])
def test_what_is_no_chain_is_left_to_the_adapter(own: OwnAgents, script: str | None) -> None:
    cli = Cli(name="model", adapter="api", script=script)
    assert own.filled(cli) is cli


def test_a_config_with_a_mistake_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("clis: {spy: {adapter: command}}")
    with pytest.raises(InvalidInput, match=r"clis\.spy\.command"):
        OwnAgents(tmp_path).filled(SPY)
