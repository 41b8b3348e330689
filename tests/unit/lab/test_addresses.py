"""How CLIs are pointed at the lab."""

import yaml

from supervisor_ai.definitions.sandbox_shapes import BrokerShape
from supervisor_ai.lab.addresses import broker, pointers

URL = "http://127.0.0.1:8000"


def test_the_broker_snippet_is_what_the_config_accepts() -> None:
    clis = yaml.safe_load(broker(URL))["clis"]
    brokers = {name: BrokerShape.model_validate(cli["broker"]) for name, cli in clis.items()}
    assert {it.upstream for it in brokers.values()} == {URL}
    assert brokers.keys() <= pointers(URL).keys()


def test_every_cli_is_told_the_address() -> None:
    for pointer in pointers(URL).values():
        assert any(URL in it for it in (*pointer.environment.values(), *pointer.arguments))
