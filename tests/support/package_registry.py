"""A package registry on loopback: one wheel for pip and one tarball for npm, behind TLS."""

import base64
import hashlib
import http.server
import io
import json
import ssl
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

_PIP: Final = ("python3", "-m", "pip", "--version")
WHEEL: Final = "tiny-1.0.0-py3-none-any.whl"
TARBALL: Final = "tiny-1.0.0.tgz"


def require_pip() -> None:
    """Skip a test where there is no pip."""
    if subprocess.run(_PIP, capture_output=True, check=False).returncode:
        pytest.skip("there is no pip for python3 here")


class PackageRegistry:
    """Where it is, whom its clients have to believe, and what they asked for."""

    def __init__(self, port: int, certificate: Path) -> None:
        self.url = f"https://localhost:{port}"
        self.certificate = certificate
        self.asked: list[str] = []

    @property
    def environment(self) -> Mapping[str, str]:
        """Tell the clients of a machine of it, as its user would."""
        return {
            "PIP_INDEX_URL": f"{self.url}/simple",
            "PIP_CERT": str(self.certificate),
            "REQUESTS_CA_BUNDLE": str(self.certificate),
            "npm_config_registry": f"{self.url}/npm/",
            "npm_config_cafile": str(self.certificate),
        }


@contextmanager
def package_registry(place: Path) -> Iterator[PackageRegistry]:
    """Serve `tiny` to pip and npm for as long as it is needed."""
    certificate = _certificate(place)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Shelf) as server:
        registry = PackageRegistry(server.server_port, certificate)
        pages = _pages(registry.url)
        server.RequestHandlerClass = type(
            "Shelf", (_Shelf,), {"pages": pages, "asked": registry.asked}
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_name("key.pem"))
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield registry
        finally:
            server.shutdown()
            thread.join()


class _Shelf(http.server.BaseHTTPRequestHandler):
    pages: Mapping[str, tuple[str, bytes]]
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        kind, body = self.pages.get(self.path, ("", b""))
        self.send_response(200 if kind else 404)
        self.send_header("content-type", kind or "text/plain")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]
        """Say nothing."""


def _pages(url: str) -> Mapping[str, tuple[str, bytes]]:
    tarball = _tarball()
    integrity = base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    dist = {"tarball": f"{url}/npm/{TARBALL}", "integrity": f"sha512-{integrity}"}
    version = {"name": "tiny", "version": "1.0.0", "dist": dist}
    document = {
        "name": "tiny",
        "dist-tags": {"latest": "1.0.0"},
        "versions": {"1.0.0": version},
    }
    link = f'<a href="/{WHEEL}">{WHEEL}</a>'.encode()
    return {
        "/simple/tiny/": ("text/html", link),
        f"/{WHEEL}": ("application/zip", _wheel()),
        "/npm/tiny": ("application/json", json.dumps(document).encode()),
        f"/npm/{TARBALL}": ("application/octet-stream", tarball),
    }


def _wheel() -> bytes:
    about, packed = "tiny-1.0.0.dist-info", io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("tiny.py", "answer = 42\n")
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0.0\n")
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "tiny.py,,\n")
    return packed.getvalue()


def _tarball() -> bytes:
    packed, text = io.BytesIO(), b'{"name": "tiny", "version": "1.0.0"}'
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("package/package.json")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return packed.getvalue()


def _certificate(place: Path) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=registry", "-keyout", str(place / "key.pem")),
            *("-addext", "subjectAltName=DNS:localhost", "-out", str(place / "registry.pem")),
        ],
        check=True,
        capture_output=True,
    )
    return place / "registry.pem"
