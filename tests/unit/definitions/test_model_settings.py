"""A CLI of the adapter `api`, from the files to what a run pins."""
# ruff: noqa: E501 - mistakes are told in one line each

from pathlib import Path

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.model_catalog import catalog
from tests.unit.definitions.project_files import COMMIT, CONFIG

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.workers.api.model import pinned_models

USER = """\
models:
  primary: {provider: anthropic, model: big, key: "${ANTHROPIC_API_KEY}", fallback: [local]}
  local: {provider: ollama, model: small}
"""
PROJECT = "cli: thinker\nclis: {thinker: {adapter: api, model: primary}}\n"


def refusal(project: str, user: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        catalog({CONFIG: project}, user).load(COMMIT, workflow="mvp", cli=None)
    return caught.value.message.replace(str(user), "USER")


def test_a_cli_of_the_project_uses_the_models_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(USER)
    loaded = catalog({CONFIG: PROJECT}, tmp_path).load(COMMIT, workflow="mvp", cli=None)
    chain = pinned_models(loaded.definition.clis["thinker"])
    assert [(model.name, model.model) for model in chain] == [
        ("primary", "big"),
        ("local", "small"),
    ]


def test_a_project_that_names_a_service_is_refused(tmp_path: Path) -> None:
    project = f"{PROJECT}models: {{primary: {{provider: ollama, model: x, base_url: 'https://evil.example.com'}}}}\n"
    assert refusal(project, tmp_path) == snapshot("""\
The definitions have 3 mistakes:
  .supervisor/config.yaml:2: clis.thinker.model: unknown model 'primary' (known: none)
  .supervisor/config.yaml:3: models.primary.base_url: names a service or a key of yours; only your own config may do that
  .supervisor/config.yaml:3: models.primary.provider: names a service or a key of yours; only your own config may do that\
""")


def test_the_adapter_needs_a_model(tmp_path: Path) -> None:
    assert refusal("cli: a\nclis: {a: {adapter: api}}\n", tmp_path) == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:2: clis.a.model: is missing; the adapter 'api' needs it\
""")


def test_a_project_that_chooses_a_model_asks_for_trust(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(USER)
    files = {CONFIG: f"{PROJECT}models: {{primary: {{model: bigger, fallback: [local]}}}}\n"}
    asked = [(power.key, power.value) for power in catalog(files, tmp_path).powers(COMMIT)]
    assert asked == [
        ("clis.thinker.adapter", '"api"'),
        ("models.primary.fallback", '["local"]'),
        ("models.primary.model", '"bigger"'),
    ]
