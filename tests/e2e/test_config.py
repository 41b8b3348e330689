"""`supervisor config show`: the settings that hold, and which file says so."""

import yaml
from tests.e2e.command import CONFIG, User

PROJECT = ".supervisor/config.yaml"
SECRET = "ghp_" + "1234567890abcdefghijABCDEFGHIJ123456"


def test_every_value_has_its_file_and_line(user: User) -> None:
    said = f"{CONFIG}  step_timeout: 7m\n"
    user.commit({PROJECT: said})
    found = user.call("config", "show", "--origin", "--json").json["values"]
    values = {it["key"]: it for it in found}
    assert values["limits.step_timeout"] == {
        "key": "limits.step_timeout",
        "path": ["limits", "step_timeout"],
        "value": "7m",
        "origin": "project",
        "file": PROJECT,
        "line": len(said.splitlines()),
    }
    assert values["limits.output_bytes"]["origin"] == "built-in"
    assert values["limits.output_bytes"]["file"] is None
    lines = user.call("config", "show", "--origin").out.splitlines()
    [line] = [line for line in lines if line.startswith("limits.step_timeout ")]
    assert line.split()[1:] == [f"{PROJECT}:{len(said.splitlines())}", "7m"]
    [only] = yaml.safe_load(user.call("config", "show", "limits.step_timeout").out).values()
    assert only == {"step_timeout": "7m"}
    assert user.call("config", "show", "limit").code == 3


def test_what_is_shown_is_a_config_without_secrets(user: User) -> None:
    agent = f"  spy: {{adapter: command, command: [spy], env: {{GITHUB_TOKEN: {SECRET}}}}}\n"
    user.commit({PROJECT: CONFIG.replace("clis:\n", f"clis:\n{agent}")})
    text = user.call("config", "show").out
    shown = yaml.safe_load(text)
    assert shown["clis"]["spy"]["command"] == ["spy"]
    assert shown["limits"]["step_timeout"] == "45m"
    assert SECRET not in text
    assert SECRET not in user.call("config", "show", "--origin", "--json").out
    assert user.call("config", "show", "--json").json["config"]["workflow"] == shown["workflow"]
