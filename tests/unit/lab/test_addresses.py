"""How CLIs are pointed at the lab."""

import yaml

from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.lab.addresses import broker, pointers

URL = "http://127.0.0.1:8000"


def test_the_broker_snippet_is_what_the_config_accepts() -> None:
    config = ConfigShape.model_validate(yaml.safe_load(broker(URL)))
    assert {name: cli.adapter for name, cli in config.clis.items()} == {
        name: name for name in ("claude", "codex", "gemini")
    }
    assert {cli.broker.upstream for cli in config.clis.values() if cli.broker} == {URL}
    assert config.clis.keys() <= pointers(URL).keys()


def test_every_cli_is_told_the_address() -> None:
    for pointer in pointers(URL).values():
        assert any(URL in it for it in (*pointer.environment.values(), *pointer.arguments))
