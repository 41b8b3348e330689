"""A shell that completes a line: names for values, and silence where there are none."""

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import SUPERVISOR, User
from tests.e2e.terminal import Screen

ASKED: Final = {
    "run --workflow ": {"careful", "quick", "standard"},
    "run --workflow=qu": {"quick"},
    "run -c ": {"my_agent", "claude", "codex"},
    "run --role rev": {"reviewer"},
    "run --role implement=rev": {"implement=reviewer"},
    "workflow show qu": {"quick"},
    "role show pl": {"planner"},
    "gate check te": {"test"},
    "logs last --step im": {"implement"},
    "logs last --gate te": {"test"},
    "fork last --at re": {"review"},
    "completion ": {"bash", "zsh", "fish"},
}


def offered(user: User, line: str, shell: str = "bash") -> list[str]:
    words = f"supervisor {line}"
    last = "" if line.endswith(" ") else line.rsplit(maxsplit=1)[-1]
    position = {"bash": "", "zsh": str(len(words.split(" ")) - 1), "fish": last}[shell]
    said = user.call(
        _SUPERVISOR_COMPLETE=f"{shell}_complete",
        COMP_LINE=words,
        COMP_WORDS=words,
        COMP_CWORD=position,
    )
    assert said.err == ""
    if shell == "zsh":
        return said.out.split("\n")[1::3]
    return [it.partition(",")[2].partition("\t")[0] for it in said.out.splitlines() if it]


@pytest.mark.parametrize("line", ASKED)
def test_values_are_completed(reader: User, line: str) -> None:
    assert set(offered(reader, line)) >= ASKED[line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_answered(reader: User, shell: str) -> None:
    newest = reader.newest()
    assert newest is not None
    assert offered(reader, "status r", shell) == [newest["id"]]
    assert "quick" in offered(reader, "run --workflow ", shell)


@pytest.mark.parametrize(
    "line", ["-C /nonexistent run --workflow ", "nosuch ", "logs nosuch --step ", "status zzz"]
)
def test_where_there_is_nothing_to_offer_nothing_is_said(reader: User, line: str) -> None:
    assert offered(reader, line) == []


def test_broken_definitions_are_no_matter_for_a_shell(user: User) -> None:
    user.commit({".supervisor/config.yaml": "gates: ["})
    assert offered(user, "run --workflow ") == []


def test_bash_puts_the_last_part_of_a_word_in_place(reader: User) -> None:
    script = r"""
        eval "$(supervisor completion bash)"
        for COMP_LINE in 'supervisor run --role implement=plan' 'supervisor workflow show qu'; do
            COMP_POINT=${#COMP_LINE}
            _supervisor_completion supervisor
            printf '%s\n' "${COMPREPLY[@]}"
        done
    """
    path = f"{SUPERVISOR.parent}:{reader.environment['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=reader.repository,
        env={**reader.environment, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("planner\nquick\n", "")


ZSHRC: Final = """\
autoload -Uz compinit && compinit -u -D
eval "$(supervisor completion zsh)"
tell() { print -r -- "<$BUFFER>" }
zle -N tell
bindkey '^X' tell
PROMPT='ready> '
"""
"""The key Control-X shows the line as it stands, between angles."""
TYPED: Final = {
    "supervisor stat": "supervisor status ",
    "supervisor workflow show qu": "supervisor workflow show quick ",
    "supervisor run --role implement=plan": "supervisor run --role implement=planner ",
    "supervisor completion z": "supervisor completion zsh ",
}


def shell(user: User, name: str) -> tuple[str, dict[str, str]]:
    """Find the shell, and an environment in which it finds the command."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name} here; scripts/setup --for-tests installs it where it can")
    path = f"{SUPERVISOR.parent}:{user.environment['PATH']}"
    return found, {**user.environment, "PATH": path, "TERM": "xterm"}


def zsh(user: User, home: Path) -> Screen:
    """Start a zsh that nobody has configured."""
    found, environment = shell(user, "zsh")
    (home / ".zshrc").write_text(ZSHRC)
    own = {**environment, "ZDOTDIR": str(home)}
    screen = Screen([found, "-d", "-i"], user.repository, own)
    screen.wait_for("ready> ")
    return screen


def test_zsh_puts_names_in_place(reader: User, tmp_path: Path) -> None:
    screen = zsh(reader, tmp_path)
    for typed, whole in TYPED.items():
        screen.type(f"\x15{typed}\t\x18")
        screen.wait_for(f"<{whole}>")
    screen.type("\x15exit\n")
    assert screen.wait() == 0


def test_zsh_lists_what_several_names_begin_with(reader: User, tmp_path: Path) -> None:
    screen = zsh(reader, tmp_path)
    screen.type("supervisor run --workflow \t")
    for name in ("careful", "quick", "standard"):
        screen.wait_for(name)
    screen.type("\x15exit\n")
    assert screen.wait() == 0


def test_fish_offers_names(reader: User) -> None:
    fish, environment = shell(reader, "fish")
    asked = "\n".join(f"complete -C {shlex.quote(line)}" for line in TYPED)
    done = subprocess.run(
        [fish, "--no-config", "-c", f"supervisor completion fish | source\n{asked}"],
        cwd=reader.repository,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    offered = [line.partition("\t")[0] for line in done.stdout.splitlines()]
    assert (offered, done.stderr) == ([whole.split()[-1] for whole in TYPED.values()], "")
