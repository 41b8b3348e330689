"""Copies of the project that are installed among its tools, so that tests could pass on them."""

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.sandboxes.toolchains.toolchain import Toolchain, find_toolchain

_SITES: Final = ("python3*/site-packages", "python3*/dist-packages")
_SYSTEM: Final = (Path("/usr/lib"), Path("/usr/local/lib"))
_METADATA: Final = re.compile(r"(.+?)(?:-([^-]+))?(?:-py[\d.]+)?\.(?:dist|egg)-info")
_LARGEST: Final = 4 << 20
_MOST: Final = 200


class InstalledCopy(Struct, frozen=True, kw_only=True):
    """A distribution of the project's own name."""

    name: str
    version: str
    site: Path
    covered: tuple[Path, ...] = ()
    """Its packages and modules; nothing where it only points to another directory."""
    target: str | None = None
    """Where an editable install leads to."""

    @property
    def words(self) -> str:
        """Name it as messages do."""
        return f"{self.name} {self.version}".strip() + f" in {os.fspath(self.site)!r}"


def visible_copies(
    environment: Mapping[str, str], names: Collection[str]
) -> tuple[InstalledCopy, ...]:
    """Find what is installed under one of the names among the tools of an environment."""
    return installed_copies(find_toolchain(environment, Path.home()), names)


def installed_copies(
    toolchain: Toolchain, names: Collection[str], shown: Iterable[Path] = ()
) -> tuple[InstalledCopy, ...]:
    """Find what is installed under one of the names where a command could import it."""
    if not names:
        return ()
    sites = dict.fromkeys(
        site.resolve() for site in _sites((*_SYSTEM, *toolchain.roots, *toolchain.stores, *shown))
    )
    return tuple(copy for site in sites for copy in _copies(site, names))


def _sites(roots: Iterable[Path]) -> Iterator[Path]:
    for root in roots:
        for library in (root, root / "lib"):
            for pattern in (*_SITES, "python3/dist-packages"):
                yield from sorted(library.glob(pattern))


def _copies(site: Path, names: Collection[str]) -> Iterator[InstalledCopy]:
    try:
        entries = os.listdir(site)  # noqa: PTH208 - only names are looked at
    except OSError:
        return
    for entry in entries:
        found = _METADATA.fullmatch(entry)
        name = re.sub(r"[-_.]+", "-", found[1]).lower() if found else ""
        if found and name in names:
            target = _editable(site / entry)
            covered = () if target else tuple(_modules(site, site / entry))[:_MOST]
            version = found[2] or ""
            yield InstalledCopy(
                name=name, version=version, site=site, covered=covered, target=target
            )


def _editable(metadata: Path) -> str | None:
    try:
        url = json.loads(_text(metadata / "direct_url.json"))
        is_editable = url["dir_info"]["editable"] is True
        return str(url["url"]).removeprefix("file://") if is_editable else None
    except (ValueError, KeyError, TypeError):
        return None


def _modules(site: Path, metadata: Path) -> Iterator[Path]:
    """Name what belongs to it alone: of a package that others share, its own part."""
    lines = _text(metadata / "RECORD").splitlines()
    files = [line.rpartition(",")[0].rpartition(",")[0].strip('"') for line in lines]
    tops = [name for name in _text(metadata / "top_level.txt").split() if name.isidentifier()]
    files += [f"{name}/__init__.py" for name in tops] + [f"{name}.py" for name in tops]
    seen: set[Path] = set()
    for file in files:
        parts = Path(file).parts
        if not parts or ".." in parts or file.startswith("/") or "-info" in parts[0]:
            continue
        own = next(_packages(site, parts), site / file)
        if own not in seen and own.exists() and own.suffix != ".pth" and own.name != "__pycache__":
            seen.add(own)
            yield own


def _packages(site: Path, parts: tuple[str, ...]) -> Iterator[Path]:
    for depth in range(1, len(parts)):
        place = site.joinpath(*parts[:depth])
        if (place / "__init__.py").exists():
            yield place


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_LARGEST).decode(errors="replace")
    except OSError:
        return ""
