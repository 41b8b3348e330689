"""What the package managers of the machine are told: registries and certificates.

Only addresses and names of files are taken from their settings, where passwords lie as well.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

_LONGEST: Final = 64 * 1024
_SECTIONS: Final = ("global", "install")
_SECTION: Final = re.compile(r"\[(?P<name>[^\]]*)\]")
_SETTING: Final = re.compile(r"(?P<key>[\w-]+)\s*[=:](?P<value>.*)")
_REFERENCE: Final = "${"


class ClientSettings:
    """The settings of pip and npm, as their own variables and the files of the user have them."""

    def __init__(self, environment: Mapping[str, str], home: Path, system: Path) -> None:
        self._environment = environment
        self._home = home
        self._system = system

    def pip(self, key: str) -> str:
        """Return what pip is told; a variable counts for more than a file."""
        variable = f"PIP_{key.upper().replace('-', '_')}"
        return self._environment.get(variable) or _first(self._pip_files(), key)

    def npm(self, key: str) -> str:
        """Return what npm is told; a variable counts for more than a file."""
        names = (f"npm_config_{key}", f"NPM_CONFIG_{key.upper()}")
        told = next(filter(None, map(self._environment.get, names)), "")
        return told or _first(self._npm_files(), key)

    def _pip_files(self) -> Iterator[Mapping[str, str]]:
        config = Path(self._environment.get("XDG_CONFIG_HOME") or self._home / ".config")
        own = self._environment.get("PIP_CONFIG_FILE")
        for path in (
            *([Path(own)] if own else []),
            config / "pip" / "pip.conf",
            self._home / ".pip" / "pip.conf",
            self._system / "pip.conf",
        ):
            yield _ini(_text(path))

    def _npm_files(self) -> Iterator[Mapping[str, str]]:
        own = self._environment.get("NPM_CONFIG_USERCONFIG") or self._home / ".npmrc"
        for path in (Path(own), self._system / "npmrc"):
            lines = (line.partition("=") for line in _text(path).splitlines())
            yield {name.strip(): value.strip().strip("\"'") for name, _, value in lines}


def plain_address(text: str) -> str | None:
    """Return the `host:port` of a registry that anybody may be told of; None for any other."""
    try:
        parts = urlsplit(text)
        port = parts.port or 443
    except ValueError:
        return None
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or _REFERENCE in text:
        return None
    return f"{parts.hostname}:{port}"


def _first(files: Iterator[Mapping[str, str]], key: str) -> str:
    return next(filter(None, (settings.get(key) for settings in files)), "")


def _ini(text: str) -> Mapping[str, str]:
    """Read the sections that tell pip what to do; an indented line goes on with the one above."""
    found: dict[str, str] = {}
    section, key = "", ""
    for line in text.splitlines():
        if key and line[:1].isspace():
            found[key] = f"{found[key]} {line.strip()}".strip()
        elif header := _SECTION.match(line):
            section, key = header["name"], ""
        elif section in _SECTIONS and (told := _SETTING.match(line)):
            key = told["key"]
            found[key] = told["value"].strip()
    return found


def _text(path: Path) -> str:
    """Read the beginning of a file; what cannot be read says nothing."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""
