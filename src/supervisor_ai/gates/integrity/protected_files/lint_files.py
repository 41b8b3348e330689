"""Settings of linters and type checkers, by the file that they stand in."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.gates.change.risks.sources import read_source
from supervisor_ai.gates.integrity.protected_files.settings import (
    Settings,
    entries,
    flat,
    table_in,
)
from supervisor_ai.tools.toml import read_toml
from supervisor_ai.tools.yaml_tree import YamlLimits, read_yaml_tree

_TOOLS: Final = ("ruff", "mypy", "pyright", "basedpyright", "pylint", "flake8", "bandit")
_SECTIONS: Final = re.compile(
    r"(?:flake8|mypy|pylint|pydocstyle|pycodestyle|MESSAGES|MASTER)\b.*", re.IGNORECASE
)
_LEVEL: Final = re.compile(
    r"(?:[\"']([\w@/.-]{1,100})[\"']|(?<![\w.])([a-z][\w-]{0,80}))\s{0,9}:\s{0,9}\[?\s{0,9}"
    r"[\"']?(off|warn|error|[012])[\"']?\s{0,9}[,}\]\n]"
)
_LIMITS: Final = YamlLimits(characters=300_000, depth=30, values=20_000)


def lint_reader(path: str) -> Callable[[str], Settings] | None:
    """Return how the settings of a file are read; None where it has none."""
    name = PurePosixPath(path).name
    found = _BY_NAME.get(name)
    if found is None:
        found = next((read for pattern, read in _BY_PATTERN if pattern.fullmatch(name)), None)
    return found


def _of_pyproject(text: str) -> Settings:
    tool = table_in(read_toml(text).get("tool"))
    return dict(pair for name in _TOOLS for pair in flat(tool.get(name), name))


def _of_toml(text: str) -> Settings:
    return dict(flat(read_toml(text), "lint"))


def _of_cargo(text: str) -> Settings:
    cargo = read_toml(text)
    found = {"lints": cargo.get("lints"), "all": table_in(cargo.get("workspace")).get("lints")}
    return dict(pair for name, value in found.items() for pair in _levels(value, name))


def _levels(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Name every lint with its level, which may stand in a table with its priority."""
    for key, item in flat(value, name):
        if not key.endswith(".priority"):
            yield key.removesuffix(".level"), item


def _of_ini(text: str) -> Settings:
    return {
        f"{section}.{key}": value
        for section, key, value in entries(text)
        if _SECTIONS.fullmatch(section)
    }


def _of_plain_ini(text: str) -> Settings:
    return {f"{section}.{key}": value for section, key, value in entries(text)}


def _of_tree(text: str) -> Settings:
    """Read YAML, and JSON with comments and with commas at its ends."""
    plain = read_source("script", text).text if text.lstrip()[:1] in ("{", "/") else text
    return dict(flat(read_yaml_tree(plain, limits=_LIMITS).value, "lint"))


def _of_package(text: str) -> Settings:
    package = read_yaml_tree(text, limits=_LIMITS).value
    known: Mapping[str, object] = table_in(package)
    return dict(pair for key in ("eslintConfig", "xo") for pair in flat(known.get(key), key))


def _of_script(text: str) -> Settings:
    plain = read_source("script", text).text
    found: dict[str, str] = {}
    for match in _LEVEL.finditer(plain):
        found[f"rules.{match[1] or match[2]}"] = match[3]
    return found


_BY_NAME: Final[Mapping[str, Callable[[str], Settings]]] = {
    "pyproject.toml": _of_pyproject,
    "Cargo.toml": _of_cargo,
    "package.json": _of_package,
    **dict.fromkeys(("ruff.toml", ".ruff.toml", "clippy.toml", ".clippy.toml"), _of_toml),
    **dict.fromkeys(("setup.cfg", "tox.ini"), _of_ini),
    **dict.fromkeys((".flake8", "mypy.ini", ".mypy.ini", ".pylintrc", "pylintrc"), _of_plain_ini),
    **dict.fromkeys(("pyrightconfig.json", "biome.json", "biome.jsonc"), _of_tree),
    **dict.fromkeys((".oxlintrc.json", ".eslintrc", "tslint.json"), _of_tree),
}
_BY_PATTERN: Final = (
    (
        re.compile(r"tsconfig[\w.-]{0,40}\.json|\.eslintrc\.(?:json|ya?ml)|\.golangci\.ya?ml"),
        _of_tree,
    ),
    (re.compile(r"\.golangci\.toml"), _of_toml),
    (re.compile(r"eslint\.config\.[cm]?[jt]s|\.eslintrc\.[cm]?js"), _of_script),
)
