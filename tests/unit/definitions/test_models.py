"""What the files say about models behind an API."""
# ruff: noqa: E501 - mistakes are told in one line each

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from pydantic import ValidationError

from supervisor_ai.definitions.config.merged import merge_configs
from supervisor_ai.definitions.config.models import (
    ConfiguredModel,
    check_fallbacks,
    pin_models,
    read_models,
)
from supervisor_ai.definitions.overlay.layers import Layer, WrittenFile
from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.definitions.schema.models import ModelShape
from supervisor_ai.definitions.sources.files import DirectorySource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace
from supervisor_ai.definitions.sources.yaml_document import read_yaml
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.domain.run.spending.model_services import SERVICES
from supervisor_ai.workers.api.model import Model, pinned_models

PLACE = FilePlace(file="config.yaml", line=9, key="clis.thinker.model")
USER = """\
models:
  primary: {provider: anthropic, model: big, key: "${ANTHROPIC_API_KEY}", timeout: 2m, fallback: [backup, local]}
  backup: {provider: openrouter, model: a/b, key: "${ROUTER_KEY}", temperature: 0.5, max_tokens: 900, fallback: [primary]}
  local: {provider: ollama, model: small, stream: false, structured: false}
"""


class Files:
    """Config files of several origins, laid over each other."""

    def __init__(self) -> None:
        self.mistakes = FileMistakes()
        self.layers: list[Layer] = []

    def lay(self, text: str, origin: Origin = Origin.USER) -> "Files":
        document = read_yaml(f"{origin}.yaml", text, self.mistakes)
        assert document is not None
        shelf = DirectorySource(origin, Path("/nonexistent"))
        config = WrittenFile(
            shape=ConfigShape.model_validate(document.value),
            value=document.value,
            document=document,
            shelf=shelf,
        )
        self.layers.append(Layer(configs=(config,), workflows={}, names=()))
        return self

    @property
    def models(self) -> dict[str, ConfiguredModel]:
        return read_models(merge_configs(self.layers, (), self.mistakes), self.mistakes)

    @property
    def refusal(self) -> str:
        check_fallbacks(self.models, self.mistakes)
        return self.mistakes.error().message

    def chain(self, name: str) -> tuple[Model, ...]:
        check_fallbacks(self.models, self.mistakes)
        text = pin_models(name, PLACE, self.models, self.mistakes)
        assert not len(self.mistakes), self.refusal
        return pinned_models(Cli(name="thinker", adapter="api", script=text))


def test_a_run_pins_a_model_and_its_stand_ins_in_their_order() -> None:
    assert Files().lay(USER).chain("primary") == (
        Model(
            name="primary",
            provider="anthropic",
            model="big",
            key="${ANTHROPIC_API_KEY}",
            timeout=120.0,
        ),
        Model(
            name="backup",
            provider="openrouter",
            model="a/b",
            key="${ROUTER_KEY}",
            temperature=0.5,
            max_tokens=900,
        ),
        Model(name="local", provider="ollama", model="small", stream=False, structured=False),
    )


def test_stand_ins_of_stand_ins_come_before_the_next_and_nobody_twice() -> None:
    files = Files().lay(
        """\
models:
  a: {provider: ollama, model: m, fallback: [b, c]}
  b: {provider: ollama, model: m, fallback: [d, a]}
  c: {provider: ollama, model: m, fallback: [d]}
  d: {provider: ollama, model: m}
"""
    )
    assert [model.name for model in files.chain("a")] == ["a", "b", "d", "c"]
    assert [model.name for model in files.chain("b")] == ["b", "d", "a", "c"]


def test_what_is_pinned_is_canonical() -> None:
    text = pin_models("local", PLACE, Files().lay(USER).models, FileMistakes())
    assert text == json.dumps(json.loads(text or ""), sort_keys=True, separators=(",", ":"))


def test_a_project_chooses_what_a_service_offers() -> None:
    files = Files().lay(USER)
    files.lay("models: {primary: {model: bigger, fallback: [local]}}", Origin.PROJECT)
    assert [(model.name, model.model) for model in files.chain("primary")] == [
        ("primary", "bigger"),
        ("local", "small"),
    ]
    assert files.chain("primary")[0].key == "${ANTHROPIC_API_KEY}"


def test_a_project_names_no_service_and_no_key() -> None:
    project = """\
models:
  primary: {provider: openai_compatible}
  backup: {base_url: "https://evil.example.com", api_key: "${HOME_KEY}"}
  local: {key: "${HOME_KEY}", plain_http: true}
  mine: {model: m}
"""
    files = Files().lay(USER).lay(project, Origin.PROJECT)
    assert files.refusal == snapshot("""\
The definitions have 6 mistakes:
  project.yaml:2: models.primary.provider: names a service or a key of yours; only your own config may do that
  project.yaml:3: models.backup.api_key: names a service or a key of yours; only your own config may do that
  project.yaml:3: models.backup.base_url: names a service or a key of yours; only your own config may do that
  project.yaml:4: models.local.key: names a service or a key of yours; only your own config may do that
  project.yaml:4: models.local.plain_http: names a service or a key of yours; only your own config may do that
  project.yaml:5: models.mine: unknown model 'mine' (known: backup, local, primary); only your own config may add one\
""")
    assert files.models == Files().lay(USER).models


def test_a_key_has_the_name_that_other_tools_give_it_too() -> None:
    assert Files().lay(USER.replace(" key:", " api_key:")).chain("primary")[0].key == (
        "${ANTHROPIC_API_KEY}"
    )


def test_mistakes_are_told_together() -> None:
    files = Files().lay(
        """\
models:
  one: {model: m, fallback: [on]}
  two: {provider: ollama}
  three: {provider: anthropic, model: m}
  four: {provider: ollama, model: m, base_url: "http://10.0.0.5:11434"}
"""
    )
    assert files.refusal == snapshot("""\
The definitions have 5 mistakes:
  user.yaml:2: models.one.fallback: unknown model 'on'; did you mean 'one'?
  user.yaml:2: models.one.provider: is missing
  user.yaml:3: models.two.model: is missing
  user.yaml:4: models.three.key: is missing; the provider 'anthropic' needs it
  user.yaml:5: models.four.base_url: is not https; say plain_http: true if everybody on the way may read along\
""")


def test_a_cli_names_a_model_that_there_is() -> None:
    files = Files().lay(USER)
    assert pin_models("primry", PLACE, files.models, files.mistakes) is None
    assert files.refusal == snapshot("""\
The definitions have a mistake:
  config.yaml:9: clis.thinker.model: unknown model 'primry'; did you mean 'primary'?\
""")


@pytest.mark.parametrize(
    ("base_url", "more", "is_plain"),
    [
        ("https://api.example.com/v1", "", False),
        ("http://127.0.0.1:8080", "", False),
        ("http://localhost:1/v1", "", False),
        ("http://10.0.0.5:11434", ", plain_http: true", True),
    ],
)
def test_https_or_this_machine_or_the_users_word(
    base_url: str, more: str, *, is_plain: bool
) -> None:
    text = f"models: {{m: {{provider: ollama, model: x, base_url: '{base_url}/'{more}}}}}"
    [model] = Files().lay(text).chain("m")
    assert (model.url, model.plain_http) == (base_url, is_plain)


def test_every_provider_has_a_place() -> None:
    for provider in SERVICES:
        text = f"models: {{m: {{provider: {provider}, model: x, key: '${{K}}'}}}}"
        assert Files().lay(text).chain("m")[0].url == SERVICES[provider]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("provider", "gemini"),
        ("base_url", "api.example.com"),
        ("base_url", "ftp://api.example.com"),
        ("base_url", "https://user:secret@api.example.com"),
        ("base_url", "https://api.example.com/?key=1"),
        ("base_url", "https://api.example.com:99999"),
        ("base_url", "https://api.example.com/a b"),
        ("base_url", "https://api.example.com/a\r\nx: y"),
        ("key", "sk-secret"),
        ("key", "Bearer ${KEY}"),
        ("key", "${A B}"),
        ("model", "a b"),
        ("model", ""),
        ("max_tokens", 0),
        ("temperature", 3),
        ("timeout", "soon"),
        ("fallback", ["a b"]),
        ("headers", {}),
    ],
)
def test_what_is_no_model(key: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        ModelShape.model_validate({key: value})
    [found] = caught.value.errors()
    assert found["loc"][0] == key
    assert "sk-secret" not in found["msg"]
