"""Where the programs are that the shims of version managers stand for.

A shim asks its manager, and the manager reads settings in the home directory, which does not exist
inside. So what it would answer in the home directory is found out here.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.sandboxes.toolchains.roots import is_open
from supervisor_ai.tools.toml import read_toml

_INSIDE_AN_INSTALLATION: Final = ("bin", "go/bin", ".")
_ALIASES: Final = {"nodejs": "node", "golang": "go"}
_LONGEST_CHAIN: Final = 5


class VersionPlace(Struct, frozen=True, kw_only=True):
    """Where a version manager keeps its versions, and whose it is."""

    root: Path
    environment: Mapping[str, str]
    home: Path


def rustup(place: VersionPlace) -> Iterator[Path]:
    """Find the default tool chain of Rust."""
    settings = _toml(place.root / "settings.toml")
    name = place.environment.get("RUSTUP_TOOLCHAIN") or settings.get("default_toolchain")
    if isinstance(name, str):
        yield place.root / "toolchains" / name / "bin"


def nvm(place: VersionPlace) -> Iterator[Path]:
    """Find the Node that a new shell would have."""
    wanted = "default"
    for _ in range(_LONGEST_CHAIN):
        said = _text(place.root / "alias" / wanted).strip()
        if not said:
            break
        wanted = said
    if found := _match(place.root / "versions/node", wanted.removeprefix("v"), mark="v"):
        yield found / "bin"


def volta(place: VersionPlace) -> Iterator[Path]:
    """Find the Node, the package managers and the packages of the user."""
    image = place.root / "tools/image"
    chosen = _object(_text(place.root / "tools/user/platform.json"))
    node = chosen.get("node")
    if isinstance(node, dict):
        chosen |= {"node": node.get("runtime"), "npm": node.get("npm")}
    for tool in ("npm", "pnpm", "yarn", "node"):
        if isinstance(version := chosen.get(tool), str):
            yield image / tool / version / "bin"
    yield from sorted(image.glob("packages/*/bin"))
    yield from sorted(image.glob("packages/@*/*/bin"))


def asdf(place: VersionPlace) -> Iterator[Path]:
    """Find what the user's own `.tool-versions` names."""
    for tool, versions in _tool_versions(place.home / ".tool-versions"):
        yield from _programs(place.root / "installs" / tool, versions)


def mise(place: VersionPlace) -> Iterator[Path]:
    """Find what the user's own settings name."""
    given = place.environment
    settings = Path(given.get("XDG_CONFIG_HOME") or place.home / ".config")
    chosen = Path(given.get("MISE_CONFIG_DIR") or settings / "mise")
    tools = _toml(Path(given.get("MISE_GLOBAL_CONFIG_FILE") or chosen / "config.toml")).get("tools")
    named = [(tool, list(_versions(value))) for tool, value in _items(tools)]
    for tool, versions in (*named, *_tool_versions(place.home / ".tool-versions")):
        name = re.sub(r"[:/]", "-", _ALIASES.get(tool, tool))
        yield from _programs(place.root / "installs" / name, versions)


def _programs(installs: Path, versions: list[str]) -> Iterator[Path]:
    for version in versions:
        if found := _match(installs, version):
            places = (found / name for name in _INSIDE_AN_INSTALLATION)
            yield from [place for place in places if is_open(place)][:1]


def _match(versions: Path, wanted: str, *, mark: str = "") -> Path | None:
    """Find the version itself, or the newest one whose name begins so."""
    if "/" in wanted.removeprefix("lts/") or wanted in ("", ".", ".."):
        return None
    if is_open(versions / (mark + wanted)):
        return versions / (mark + wanted)
    begin = "" if wanted in ("latest", "default", "node", "stable", "lts/*") else f"{wanted}."
    found = [each for each in versions.glob("*") if each.name.startswith(mark + begin)]
    return max(filter(is_open, found), key=lambda each: _numbers(each.name), default=None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _tool_versions(file: Path) -> Iterator[tuple[str, list[str]]]:
    for line in _text(file).splitlines():
        tool, *versions = line.partition("#")[0].split() or [""]
        if tool and "/" not in tool and tool not in (".", ".."):
            yield tool, versions


def _versions(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case {"version": str(version)}:
            yield version
        case list():
            for each in value:
                yield from _versions(each)
        case _:
            return


def _items(table: object) -> Iterator[tuple[str, object]]:
    if isinstance(table, dict):
        yield from table.items()


def _object(text: str) -> dict[str, object]:
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _toml(file: Path) -> dict[str, object]:
    try:
        return read_toml(_text(file))
    except ValueError:
        return {}


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
