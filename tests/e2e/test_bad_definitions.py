"""Repositories and definitions that cannot be used: exact words, exact exit codes."""

from pathlib import Path

import pytest
from tests.e2e.command import CONFIG, User

CONFIG_FILE, BROKEN = ".supervisor/config.yaml", ".supervisor/workflows/broken.yaml"
KNOWN = "adapter, command, env, script, model, egress, broker"
MISTAKES = f"""\
error: The definitions have 3 mistakes:
  {CONFIG_FILE}:6: clis.my_agent.colour: unknown key (known: {KNOWN})
  {CONFIG_FILE}:8: limits.step_max_retries: must be a whole number, found 'many'
  {BROKEN}:5: steps.first.next: unknown step 'second' (known: first)
"""


def test_a_directory_that_is_no_repository(newcomer: User, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir()
    for verb in (["run", "Do it"], ["status"], ["trust"]):
        said = newcomer.call("-C", str(place), *verb)
        assert (said.code, said.out, said.err) == (
            2,
            "",
            f"error: '{place}' is not inside a git repository.\n"
            "hint: Run `git init` and commit something, or name a repository with `-C DIR`.\n",
        )


def test_a_directory_that_does_not_exist(newcomer: User) -> None:
    said = newcomer.call("-C", "/nowhere", "status", "--json")
    assert (said.code, said.error["kind"]) == (3, "not_found")
    assert said.error["message"].startswith("The directory '/nowhere' cannot be entered: ")


def test_an_empty_repository(newcomer: User) -> None:
    said = newcomer.run()
    assert said.code == 2
    assert said.error == {
        "kind": "invalid",
        "message": f"The repository '{newcomer.repository}' has no commit yet.",
        "hint": "Commit something first: `git add -A && git commit -m start`.",
    }
    assert newcomer.call("status", "--json").json == {"runs": []}


def test_an_unknown_workflow(user: User) -> None:
    said = user.run("--workflow", "standrad")
    assert said.code == 3
    assert said.error == {
        "kind": "not_found",
        "message": "Workflow 'standrad' was asked for, but there is no such workflow.",
        "hint": "Did you mean 'standard'? Workflows: careful, double_review, enterprise, mvp, "
        "open_source, quick, reviewed, security_critical, standard, with_test_engineer.",
    }


def test_an_unknown_agent(user: User) -> None:
    said = user.run("--cli", "my_agnet")
    assert said.code == 3
    assert said.error == {
        "kind": "not_found",
        "message": "CLI 'my_agnet' was asked for, but it is not configured.",
        "hint": "Did you mean 'my_agent'? "
        "Configured: claude, codex, gemini, my_agent, opencode, qwen.",
    }


def test_every_mistake_is_reported_with_file_and_line(user: User) -> None:
    user.commit(
        {
            ".supervisor/config.yaml": (
                "cli: my_agent\n"
                "clis:\n"
                "  my_agent:\n"
                "    adapter: command\n"
                "    command: python3 tools/agent.py\n"
                "    colour: blue\n"
                "limits:\n"
                "  step_max_retries: many\n"
            ),
            ".supervisor/workflows/broken.yaml": (
                "initial_step: first\nsteps:\n  first:\n    role: implementer\n    next: second\n"
            ),
        }
    )
    said = user.call("run", "Do it")
    assert (said.code, said.err) == (2, MISTAKES)


def test_yaml_that_is_no_yaml(user: User) -> None:
    user.commit({".supervisor/config.yaml": "clis: [\n"})
    said = user.call("run", "Do it")
    assert said.code == 2
    assert ".supervisor/config.yaml:" in said.err


@pytest.mark.parametrize(
    ("workflow", "words"),
    [
        (
            "initial_step: a\nsteps:\n  a:\n    role: implementer\n    next: b\n"
            "  b:\n    role: reviewer\n    next: a\n",
            "loop.yaml",
        ),
        (
            "initial_step: a\nsteps:\n  a:\n    role: implementer\n    next: nowhere\n",
            "loop.yaml:5",
        ),
    ],
)
def test_a_cycle_or_a_missing_step(user: User, workflow: str, words: str) -> None:
    user.commit({".supervisor/workflows/loop.yaml": workflow})
    said = user.call("workflow", "validate")
    assert said.code == 2
    assert words in said.err


def test_an_unknown_command_and_an_unknown_option(user: User) -> None:
    said = user.call("stauts")
    assert (said.code, said.err) == (
        2,
        "error: There is no command 'stauts'. Did you mean 'status'?\n"
        "hint: See: supervisor --help\n",
    )
    said = user.call("status", "--jsn", "--json")
    assert said.code == 2
    assert said.error["kind"] == "invalid"
    assert "--jsn" in said.error["message"]
    assert said.error["hint"] == "See: supervisor status --help"


def test_an_uncommitted_config_does_not_count(newcomer: User) -> None:
    newcomer.commit({"README.md": "A project.\n"})
    newcomer.write({".supervisor/config.yaml": CONFIG})
    said = newcomer.run("--cli", "my_agent")
    assert said.code == 3
    assert "commit .supervisor/config.yaml first" in said.error["hint"]
