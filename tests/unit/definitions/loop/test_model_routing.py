"""Which model plays which role of a loop, where the user names models and nobody chose an agent."""
# ruff: noqa: E501 - mistakes are told in one line each

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import StepName
from supervisor_ai.drivers.loop.commands.wishes import WantedLoop
from supervisor_ai.drivers.loop.definition import LoopDefinition, expect_loop
from supervisor_ai.drivers.loop.queries.about import preview
from supervisor_ai.engine.ports.workspaces import Repository
from supervisor_ai.workers.api.model import pinned_models

LOOP: Final = ("scope_agent", "task_planner", "loop_qa", "assessor")
SUPERVISORS: Final = ("code_style_supervisor", "design_supervisor", "internaliser")
PRIMARY: Final = "  primary: {provider: ollama, model: small, fallback: [spare]}\n"
SPARE: Final = "  spare: {provider: ollama, model: spare-1}\n"
STRONG: Final = '  supervisor: {provider: openrouter, model: big, key: "${ROUTER_KEY}"}\n'


def catalog(user: Path, project: str) -> FileCatalog:
    files: Mapping[str, str] = {CONFIG: project}
    repository = cast("Repository", ProjectFiles(files))
    return FileCatalog(
        repository, user, frozenset({"api", "claude", "codex", "command", "opencode", "qwen"})
    )


def load(
    user: Path,
    models: str,
    project: str = "cli: claude\n",
    cli: str | None = None,
    own: str = "",
) -> LoopDefinition:
    (user / "config.yaml").write_text((f"models:\n{models}" if models else "") + own)
    wish = WantedLoop(cli=cli)
    return expect_loop(catalog(user, project).resolve_for("loop", COMMIT, wish).definition)


def asked(pinned: LoopDefinition, role: str) -> list[str]:
    """Name the models that are asked for a role, or the agent that has none."""
    cli = pinned.clis[pinned.roles[role].cli]
    return [it.model for it in pinned_models(cli)] if cli.adapter == "api" else [cli.name]


@pytest.mark.parametrize(
    ("models", "of_loop", "of_supervisors"),
    [
        ("", ["claude"], ["claude"]),
        (SPARE, ["claude"], ["claude"]),
        (PRIMARY + SPARE, ["small", "spare-1"], ["small", "spare-1"]),
        (STRONG, ["claude"], ["big"]),
        (PRIMARY + SPARE + STRONG, ["small", "spare-1"], ["big"]),
    ],
    ids=["none", "another name", "primary alone", "supervisor alone", "both"],
)
def test_each_role_takes_its_model_then_the_primary_then_the_usual_agent(
    tmp_path: Path, models: str, of_loop: list[str], of_supervisors: list[str]
) -> None:
    pinned = load(tmp_path, models)
    assert {role: asked(pinned, role) for role in LOOP} == dict.fromkeys(LOOP, of_loop)
    found = {role: asked(pinned, role) for role in SUPERVISORS}
    assert found == dict.fromkeys(SUPERVISORS, of_supervisors)
    # Who has no tools changes no file: the work itself stays with the usual agent.
    assert asked(pinned, "loop_implementor") == ["claude"]


def test_each_aide_takes_its_model_and_is_left_out_where_there_is_none(tmp_path: Path) -> None:
    small = "  summarizer: {provider: ollama, model: tiny}\n"
    pinned = load(tmp_path, PRIMARY + SPARE + small)
    assert asked(pinned, "loop_summarizer") == ["tiny"]
    assert asked(pinned, "loop_researcher") == ["small", "spare-1"]
    assert pinned.rules.is_research_offered
    alone = load(tmp_path, small)
    assert "loop_researcher" not in alone.roles
    assert not alone.rules.is_research_offered
    assert alone.workflow.steps[StepName("run_supervisors")].crew[-1] == "loop_summarizer"
    chosen = load(tmp_path, "", "cli: claude\nroles: {loop_researcher: {cli: claude}}\n")
    assert asked(chosen, "loop_researcher") == ["claude"]
    assert "loop_summarizer" not in chosen.roles


def test_a_loop_starts_without_those_whom_it_can_do_without(tmp_path: Path) -> None:
    roles = load(tmp_path, PRIMARY + SPARE + STRONG).roles
    helpers = {*SUPERVISORS, "loop_summarizer", "loop_researcher"}
    assert {name for name, it in roles.items() if it.is_optional} == helpers


def hands(adapter: str, model: str = "primary") -> str:
    """Return models of the user's, and an agent with tools that works with one of them."""
    return f"clis: {{hands: {{adapter: {adapter}, model: {model}}}}}\n"


@pytest.mark.parametrize(
    ("adapter", "service", "upstream", "header"),
    [
        ("qwen", "provider: ollama", "http://127.0.0.1:11434/v1", "authorization: Bearer none"),
        ("opencode", "provider: ollama", "http://127.0.0.1:11434", "authorization: Bearer none"),
        (
            *("qwen", 'provider: openrouter, key: "${R}"'),
            *("https://openrouter.ai/api/v1", "authorization: Bearer ${R}"),
        ),
        (
            *("opencode", "provider: openai_compatible, base_url: http://localhost:8000/v1"),
            *("http://localhost:8000", "authorization: Bearer none"),
        ),
        (
            *("claude", 'provider: anthropic, key: "${A}"'),
            *("https://api.anthropic.com", "x-api-key: ${A}"),
        ),
    ],
)
def test_the_implementor_takes_the_agent_with_tools_that_works_with_the_primary_model(
    tmp_path: Path, adapter: str, service: str, upstream: str, header: str
) -> None:
    primary = f"  primary: {{{service}, model: small}}\n"
    pinned = load(tmp_path, primary, own=hands(adapter))
    cli = pinned.clis[pinned.roles["loop_implementor"].cli]
    assert (cli.name, cli.adapter, cli.models) == ("hands", adapter, ("small",))
    assert cli.broker is not None
    assert (cli.broker.upstream, cli.broker.header) == (upstream, header)
    assert cli.broker.is_local is ("127.0.0.1" in upstream or "localhost" in upstream)
    assert pinned.roles["task_planner"].cli == "primary"
    assert dict(preview(pinned)).keys() == {"tasks", "supervisors"}


def test_an_implementor_that_plays_no_model_is_named_before_the_start(tmp_path: Path) -> None:
    rows = dict(preview(load(tmp_path, PRIMARY + SPARE)))
    assert rows["implementor"] == snapshot(
        "claude: primary has no tools; an agent of `clis` with `model: primary` has"
    )
    assert "implementor" not in dict(preview(load(tmp_path, "")))


@pytest.mark.parametrize(
    ("own", "project", "told"),
    [
        (hands("codex"), "", "the adapter 'codex' takes no model of yours"),
        (hands("claude"), "", "does not speak as 'ollama' does, but as anthropic"),
        (hands("qwen", "gone"), "", "unknown model 'gone'"),
        (hands("opencode", "odd"), "", "asks below '/v1', with which `base_url` has to end"),
        ("", hands("qwen"), "gives a service of yours to an agent with tools"),
        (
            "clis: {hands: {adapter: qwen, model: primary, broker: {upstream: 'https://a.example', "
            "paths: [POST /x], base_url: URL, header: 'x-key: ${K}'}}}\n",
            *("", "is named beside `broker`"),
        ),
    ],
    ids=["no model", "another language", "unknown", "another version", "project", "twice"],
)
def test_an_agent_that_cannot_have_a_model_is_a_mistake_with_its_line(
    tmp_path: Path, own: str, project: str, told: str
) -> None:
    odd = "  odd: {provider: openai_compatible, base_url: 'https://a.example/v4', model: m}\n"
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, PRIMARY + SPARE + odd, f"cli: claude\n{project}", own=own)
    assert told in caught.value.message
    assert re.search(r"config.yaml:\d+: clis.hands.model: ", caught.value.message)


@pytest.mark.parametrize("cli", [None, "primary"])
def test_an_implementor_without_tools_is_refused(tmp_path: Path, cli: str | None) -> None:
    project = "cli: claude\nroles: {loop_implementor: {cli: primary}}\n"
    with pytest.raises(InvalidInput, match="'primary' is a model behind an API") as caught:
        load(tmp_path, PRIMARY + SPARE, project if cli is None else "cli: claude\n", cli=cli)
    assert "clis: {hands: {adapter: qwen, model: primary}}" in (caught.value.hint or "")


def test_an_agent_that_somebody_chose_for_a_role_wins(tmp_path: Path) -> None:
    project = "cli: claude\nroles: {assessor: {cli: claude}}\n"
    pinned = load(tmp_path, PRIMARY + SPARE, project)
    assert asked(pinned, "assessor") == ["claude"]
    flagged = load(tmp_path, PRIMARY + SPARE, project, cli="claude")
    assert {it.cli for it in flagged.roles.values()} == {"claude"}


def test_any_role_may_name_the_four_models_and_lists_say_so(tmp_path: Path) -> None:
    project = "cli: claude\nroles: {planner: {cli: research}, documenter: {cli: summarizer}}\n"
    pinned = load(tmp_path, PRIMARY + SPARE, project)
    assert pinned.roles["task_planner"].cli == "primary"
    listed = {it.name: it.cli for it in catalog(tmp_path, project).roles(COMMIT)}
    assert (listed["planner"], listed["documenter"]) == ("research", "summarizer")
    assert (listed["internaliser"], listed["reviewer"]) == ("supervisor", "claude")


def test_an_agent_of_the_config_has_its_name_to_itself(tmp_path: Path) -> None:
    project = "cli: claude\nclis: {primary: {adapter: command, command: [think]}}\n"
    pinned = load(tmp_path, PRIMARY + SPARE, project)
    assert pinned.clis[pinned.roles["loop_qa"].cli].command == ("think",)


def test_a_project_names_no_model_of_its_own(tmp_path: Path) -> None:
    project = (
        "cli: claude\nmodels:\n  supervisor:\n    provider: ollama\n    model: mine\n"
        "    base_url: https://evil.example.com\n    key: ${HOME}\n"
    )
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, PRIMARY + SPARE, project)
    assert caught.value.message == snapshot("""\
The definitions have 3 mistakes:
  .supervisor/config.yaml:4: models.supervisor.provider: names a service or a key of yours; only your own config may do that
  .supervisor/config.yaml:6: models.supervisor.base_url: names a service or a key of yours; only your own config may do that
  .supervisor/config.yaml:7: models.supervisor.key: names a service or a key of yours; only your own config may do that\
""")
