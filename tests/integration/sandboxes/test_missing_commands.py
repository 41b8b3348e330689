import socket
from pathlib import Path

import pytest
import yaml

from supervisor_ai.sandboxes.host_view.allowed_paths import read_only_paths
from supervisor_ai.sandboxes.toolchains.missing_commands import how_to_show

NOWHERE = "no-such-command"


class Host:
    """A machine with programs that a sandbox does not show by itself."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = ["/usr/bin", "/bin"]

    def program(self, place: str, text: str = "#!/bin/sh\n") -> Path:
        program = self.home / place
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
        return program

    def advice(self, command: str) -> str:
        return how_to_show(command, {"PATH": ":".join(self.path)}, self.home)

    def advised(self, command: str) -> tuple[Path, ...]:
        """Take the line of configuration out of the advice, as a person would."""
        line = self.advice(command).split("`")[1]
        entries = yaml.safe_load(line)["sandbox"]["ro_paths"]
        return read_only_paths(entries, self.home)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    home = tmp_path / "home"
    home.mkdir()
    return Host(home)


def test_what_nobody_has_is_to_be_installed(host: Host) -> None:
    assert host.advice(NOWHERE) == (
        "'no-such-command' was not found on this machine either, not on the PATH and not where"
        " such programs usually are. Install it. If it is elsewhere, let the sandbox show it, in"
        " the configuration: `sandbox: {ro_paths: [/its/directory]}`."
    )


@pytest.mark.parametrize(
    ("command", "how"),
    [
        ("mvn", "`apt-get install maven`"),
        ("gradle", "`apt-get install gradle`"),
        ("gemini", "`npm install --global @google/gemini-cli`"),
        ("tox", "`pip install tox` in the project's virtual environment"),
    ],
)
def test_the_package_of_a_well_known_command_is_named(host: Host, command: str, how: str) -> None:
    host.path = []
    assert f"Install it, for example with {how}. " in host.advice(command)


def test_a_program_beside_the_path_can_be_shown_and_called_by_its_name(host: Host) -> None:
    program = host.program(".cargo/bin/wasm-tool")
    said = host.advice("wasm-tool")
    assert said == (
        f"On this machine it is '{program}'. Let the sandbox show it, in the configuration:"
        f" `sandbox: {{ro_paths: [{program.parent}]}}`, and call it '{program}'."
    )


def test_an_installation_is_to_be_shown_whole(host: Host) -> None:
    program = host.program(".nvm/versions/node/v20/bin/odd-node")
    (program.parent.parent / "lib").mkdir()
    assert host.advised("odd-node") == (program.parent.parent,)


def test_a_place_with_a_difficult_name_is_quoted(host: Host) -> None:
    host.home = host.home / 'it\'s: [a] #home\nof "mine"'
    program = host.program(".local/bin/odd-tool")
    assert host.advised("odd-tool") == (program.parent,)


def test_beside_a_socket_only_the_program_itself_can_be_shown(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = host.program("go/tools/odd-tool")
    host.path.insert(0, str(program.parent))
    monkeypatch.chdir(program.parent)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("agent.sock")
        assert host.advised("odd-tool") == (program,)
        assert host.advice("odd-tool").endswith(f", and call it '{program}'.")


def test_what_lies_among_keys_must_stay_hidden(host: Host) -> None:
    host.path.insert(0, str(host.program(".ssh/bin/odd-tool").parent))
    assert host.advice("odd-tool") == (
        f"On this machine it is '{host.home}/.ssh/bin/odd-tool', which must stay hidden:"
        " '.ssh' is a place for keys. Install it where nothing else is, for example below /opt."
    )


def test_a_program_of_the_repository_has_to_be_there(host: Host) -> None:
    assert host.advice("./gradlew").startswith(
        "It is looked for in the workspace: './gradlew' has to be in the repository"
    )


@pytest.mark.parametrize(
    "line", [f"#!/usr/bin/env {NOWHERE}", f"#!/usr/bin/env -S A=1 {NOWHERE} -x"]
)
def test_a_program_whose_interpreter_is_missing_says_which(host: Host, line: str) -> None:
    program = host.program("tool/bin/odd-tool", f"{line}\n")
    host.path.insert(0, str(program.parent))
    said = host.advice("odd-tool")
    assert said.startswith(f"The first line of '{program}' asks for '{NOWHERE}'. '{NOWHERE}' was")


def test_an_interpreter_that_can_be_shown_brings_its_line(host: Host) -> None:
    interpreter = host.program(".claude/local/odd-interpreter")
    program = host.program("tool/bin/odd-tool", f"#!{interpreter}\n")
    host.path.insert(0, str(program.parent))
    assert host.advised("odd-tool") == (interpreter.parent,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#!/bin/sh\n", "which its first line names"),
        ("\x7fELF", "not all that it needs"),
        ("#!\n", "not all that it needs"),
    ],
)
def test_a_program_that_is_shown_lacks_something_else(host: Host, text: str, words: str) -> None:
    host.path.insert(0, str(host.program("tool/bin/odd-tool", text).parent))
    assert words in host.advice("odd-tool")
