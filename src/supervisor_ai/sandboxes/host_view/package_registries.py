"""Package registries of the machine: who may reach the usual ones is led to the user's."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Mount, SandboxSpec
from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.target import parse_target
from supervisor_ai.sandboxes.host_view.client_settings import ClientSettings, plain_address
from supervisor_ai.sandboxes.standard_files import SETTINGS

_PYTHON: Final = frozenset({"pypi.org:443", "files.pythonhosted.org:443"})
_NODE: Final = frozenset({"registry.npmjs.org:443", "registry.yarnpkg.com:443"})
USUAL: Final = _PYTHON | _NODE
"""Registries whose names nobody who is in a sandbox can lead elsewhere."""
_INDEX: Final = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL")
_REGISTRY: Final = ("npm_config_registry", "YARN_NPM_REGISTRY_SERVER")
_CERTIFICATES: Final = (
    *("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("NODE_EXTRA_CA_CERTS", "npm_config_cafile"),
)
_INSIDE: Final = Path("/var/cache/packages/certificates")
_SYSTEM: Final = (Path("/usr"), *map(Path, SETTINGS))
_LARGEST: Final = 4 * 1024 * 1024
_MARK: Final = b"BEGIN CERTIFICATE"
_KEY: Final = b"PRIVATE KEY"


def with_registries(
    spec: SandboxSpec,
    environment: Mapping[str, str],
    home: Path,
    system: Path = Path("/etc"),
) -> SandboxSpec:
    """Let the command use the registries and certificates of the machine's own clients."""
    egress = spec.egress
    if egress is None or USUAL.isdisjoint(egress.allow):
        return spec
    settings = ClientSettings(environment, home, system)
    told = dict(_addresses(settings, environment, frozenset(egress.allow)))
    own = tuple(dict.fromkeys(host for urls in told.values() for host in _hosts(urls)))
    files = dict(_certificates(settings, environment))
    usual = tuple(host for host in egress.allow if host in USUAL)
    return replace(
        spec,
        egress=replace(egress, allow=(*egress.allow, *own), private=(*usual, *own)),
        environment={
            **told,
            **{name: str(inside(file)) for name, file in files.items()},
            **spec.environment,
        },
        mounts=(*spec.mounts, *_mounts(files)),
    )


def inside(file: Path) -> Path:
    """Name where the command finds a file with certificates."""
    is_shown = any(place == file or place in file.parents for place in _SYSTEM)
    return file if is_shown else _INSIDE.joinpath(*file.parts[1:])


def _addresses(
    settings: ClientSettings, environment: Mapping[str, str], allow: frozenset[str]
) -> Iterator[tuple[str, str]]:
    if not _PYTHON.isdisjoint(allow):
        named = next(filter(None, map(environment.get, _INDEX[1:])), "")
        if index := _plain(settings.pip("index-url") or named):
            yield from dict.fromkeys(_INDEX, index).items()
        if others := _plain(settings.pip("extra-index-url")):
            yield "PIP_EXTRA_INDEX_URL", others
    if not _NODE.isdisjoint(allow):
        named = environment.get(_REGISTRY[1], "")
        if registry := _plain(settings.npm("registry") or named):
            yield from dict.fromkeys(_REGISTRY, registry).items()


def _plain(urls: str) -> str:
    """Leave out what has a password in it, what is not protected, and what is usual anyway."""
    return " ".join(
        url for url in urls.split() if _hosts(url) and not USUAL.issuperset(_hosts(url))
    )


def _hosts(urls: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_host, urls.split())))


def _host(url: str) -> str | None:
    address = plain_address(url)
    try:
        target = parse_target(address or "")
    except Refused:
        return None
    return f"{target.host}:{target.port}"


def _certificates(
    settings: ClientSettings, environment: Mapping[str, str]
) -> Iterator[tuple[str, Path]]:
    named = {name: environment.get(name, "") for name in _CERTIFICATES}
    named |= {"PIP_CERT": settings.pip("cert"), "npm_config_cafile": settings.npm("cafile")}
    for name, place in named.items():
        if place.startswith("/") and _holds_certificates(Path(place)):
            yield name, Path(place)


def _holds_certificates(file: Path) -> bool:
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return False
        content = file.read_bytes()
    except OSError:
        return False
    return _MARK in content and _KEY not in content


def _mounts(files: Mapping[str, Path]) -> Iterator[Mount]:
    for file in dict.fromkeys(files.values()):
        if inside(file) != file:
            yield Mount(source=Path(os.path.realpath(file)), target=inside(file))
