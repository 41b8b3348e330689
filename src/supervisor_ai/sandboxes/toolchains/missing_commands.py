"""Hints about a command that a sandbox does not have."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from supervisor_ai.sandboxes.host_view.allowed_paths import refusal
from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain
from supervisor_ai.tools.programs import search_path

_USUAL_PLACES: Final = (
    *(".local/bin", "bin", ".cargo/bin", "go/bin", ".npm-global/bin", ".bun/bin", ".deno/bin"),
    *(".volta/bin", ".pyenv/shims", ".asdf/shims", ".local/share/mise/shims", ".yarn/bin"),
    *(".nvm/versions/node/*/bin", ".sdkman/candidates/*/current/bin", ".local/share/pnpm"),
    *(".claude/local", ".dotnet/tools", "miniforge3/bin", "miniconda3/bin", "anaconda3/bin"),
)
"""Where people have programs that are not on the PATH of every shell, below the home."""
_SYSTEM_PLACES: Final = ("usr/local/go/bin", "opt/*/bin", "usr/lib/jvm/*/bin")
_DEBIAN: Final[Mapping[str, str]] = {
    **dict.fromkeys(("cargo", "cmake", "curl", "g++", "gcc", "git", "gradle", "jq"), ""),
    **dict.fromkeys(("make", "npm", "python3", "ruby", "rustc", "sqlite3"), ""),
    "cc": "gcc",
    "go": "golang-go",
    "java": "default-jre-headless",
    "javac": "default-jdk-headless",
    "mvn": "maven",
    "node": "nodejs",
    "php": "php-cli",
    "pip": "python3-pip",
    "pip3": "python3-pip",
    "python": "python-is-python3",
    "rg": "ripgrep",
}
"""Packages by command; an empty one has the command's name."""
_NPM: Final[Mapping[str, str]] = {
    "claude": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "eslint": "eslint",
    "gemini": "@google/gemini-cli",
    "pnpm": "pnpm",
    "prettier": "prettier",
    "tsc": "typescript",
    "yarn": "yarn",
}
_PIP: Final = frozenset({"black", "coverage", "mypy", "pytest", "ruff", "tox", "uv"})
_SIMPLE: Final = re.compile(r"[\w/.+@][\w/.+@-]*", re.ASCII)
_LONGEST_LINE: Final = 256


def how_to_show(command: str, environment: Mapping[str, str], home: Path) -> str:
    """Say in full sentences how a command that is missing inside can be had there."""
    if "/" in command and not command.startswith("/"):
        return (
            f"It is looked for in the workspace: {command!r} has to be in the repository, or made"
            " by workspace.setup, and executable."
        )
    program = _find(command, environment, home)
    if program is None:
        return _how_to_install(command)
    if find_toolchain(environment, home).shows(program):
        return _what_it_lacks(program, environment, home)
    return _how_to_add(program, environment, home)


def _find(command: str, environment: Mapping[str, str], home: Path) -> Path | None:
    searched = [Path(entry) for entry in environment.get("PATH", "").split(":") if entry]
    usual = [place for pattern in _USUAL_PLACES for place in sorted(home.glob(pattern))]
    system = [place for pattern in _SYSTEM_PLACES for place in sorted(Path("/").glob(pattern))]
    programs = (place / command for place in (*searched, *usual, *system))
    found = (each for each in programs if each.is_absolute() and _is_program(each))
    return next(found, None)


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _how_to_add(program: Path, environment: Mapping[str, str], home: Path) -> str:
    shown = next((place for place in _candidates(program) if not refusal(place, home)), None)
    if shown is None:
        return (
            f"On this machine it is {os.fspath(program)!r}, which must stay hidden:"
            f" {refusal(program.parent, home) or 'it lies among private files'}. Install it where"
            " nothing else is, for example below /opt."
        )
    is_searched = os.fspath(program.parent) in search_path(environment.get("PATH")).split(":")
    by_name = "" if is_searched and program != shown else f", and call it {os.fspath(program)!r}"
    return (
        f"On this machine it is {os.fspath(program)!r}. Let the sandbox show it, in the"
        f" configuration: `sandbox: {{ro_paths: [{_yaml(shown)}]}}`{by_name}."
    )


def _candidates(program: Path) -> Iterator[Path]:
    """List what could be shown to have the program, from its installation to the file alone."""
    prefix = program.parent.parent
    if program.parent.name == "bin" and (prefix / "lib").is_dir():
        yield prefix
    yield program.parent
    yield program


def _what_it_lacks(program: Path, environment: Mapping[str, str], home: Path) -> str:
    interpreter = _interpreter(program)
    if interpreter is None:
        return (
            f"The sandbox shows {os.fspath(program)!r}, but not all that it needs: look at what it"
            " says when it is run on another account."
        )
    found = _find(interpreter, environment, home)
    if found and find_toolchain(environment, home).shows(found):
        return (
            f"The sandbox shows {os.fspath(program)!r} and {os.fspath(found)!r}, which its first"
            " line names: see whether both can be read by everybody."
        )
    what_to_do = _how_to_add(found, environment, home) if found else _how_to_install(interpreter)
    return f"The first line of {os.fspath(program)!r} asks for {interpreter!r}. {what_to_do}"


def _interpreter(program: Path) -> str | None:
    try:
        with program.open("rb") as file:
            line = file.readline(_LONGEST_LINE)
    except OSError:
        return None
    words = line.removeprefix(b"#!").decode(errors="replace").split()
    if not line.startswith(b"#!") or not words:
        return None
    named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return named[0] if words[0].endswith("/env") and named else words[0]


def _how_to_install(command: str) -> str:
    if command in _DEBIAN:
        how = f", for example with `apt-get install {_DEBIAN[command] or command}`"
    elif command in _NPM:
        how = f", for example with `npm install --global {_NPM[command]}`"
    elif command in _PIP:
        how = f", for example with `pip install {command}` in the project's virtual environment"
    else:
        how = ""
    return (
        f"{command!r} was not found on this machine either, not on the PATH and not where such"
        f" programs usually are. Install it{how}. If it is elsewhere, let the sandbox show it, in"
        " the configuration: `sandbox: {ro_paths: [/its/directory]}`."
    )


def _yaml(path: Path) -> str:
    text = os.fspath(path)
    return text if _SIMPLE.fullmatch(text) else json.dumps(text)
