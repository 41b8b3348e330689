"""The outer sandbox: namespaces of the test's own in which a field is kept for one user."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.attacks.scene import ADDRESSES, NAMES
from tests.support.product_copy import SAME_VERSION, copy_product

ENVIRONMENT_SECRET: Final = "supervisor-token-never-to-be-seen"
HOST_NAME: Final = "host-of-the-test"
_HERE: Final = Path(__file__).parent
_UNSHARE: Final = (
    *("unshare", "--net", "--pid", "--fork", "--kill-child", "--mount", "--ipc", "--uts"),
    "--mount-proc",
)


class CannotBeTried(Exception):
    """There is no outer sandbox for this user here; the words say why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A process that makes attempts for us."""

    process: subprocess.Popen[str]

    def attempt(self, number: int, removed: frozenset[int] = frozenset()) -> dict[str, str]:
        """Have an attempt made, some layers of its protection taken away."""
        if self.process.stdin is None or self.process.stdout is None:
            raise CannotBeTried("The field has no channels.")
        self.process.stdin.write(json.dumps({"number": number, "removed": sorted(removed)}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer: dict[str, str] = json.loads(line) if line else {"error": "The field is gone."}
        return answer


@contextmanager
def field(*, as_root: bool, lane: int) -> Iterator[Field]:
    """Keep a field for root or for an ordinary user; lanes have users of their own."""
    for program in ("unshare", "setpriv", "ip", "bwrap", "git"):
        if shutil.which(program, path="/usr/bin:/bin:/usr/sbin:/sbin") is None:
            raise CannotBeTried(f"The program {program!r} is not installed.")
    with tempfile.TemporaryDirectory(dir="/var/tmp", ignore_cleanup_errors=True) as place:
        home = Path(place)
        home.chmod(0o755)
        user = 63_000 + lane
        _copy_sources(home)
        (home / "ground").mkdir(mode=0o755)
        if os.geteuid() == 0 and not as_root:
            os.chown(home / "ground", user, user)
        process = _start(home, user, as_root=as_root, lane=lane)
        try:
            yield Field(process=process)
        finally:
            process.kill()
            process.communicate()


def _copy_sources(home: Path) -> None:
    """Copy what the field imports."""
    copy_product(home / "src")
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("attacks", "support"):
        shutil.copytree(_HERE.parent / name, home / "src/tests" / name, ignore=ignore)


def _start(home: Path, user: int, *, as_root: bool, lane: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*_namespaces(as_root=as_root), "sh", "-euc", _script(home, user, as_root=as_root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
        env={
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(home / "ground"),
            "PYTHONPATH": str(home / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
            "SUPERVISOR_TOKEN": ENVIRONMENT_SECRET,
            "FIRST_USER": str(62_000 + 100 * lane),
        },
    )


def _namespaces(*, as_root: bool) -> list[str]:
    if os.geteuid() == 0:
        return list(_UNSHARE)
    if as_root:
        raise CannotBeTried("These tests run as an ordinary user; only root can be root.")
    return [_UNSHARE[0], "--user", "--map-root-user", *_UNSHARE[1:]]


def _script(home: Path, user: int, *, as_root: bool) -> str:
    stand_in = home / "stand-in"
    stand_in.write_text(f"root:{ENVIRONMENT_SECRET}:1:0:99999:7:::\n", encoding="utf-8")
    stand_in.chmod(0o644)
    addresses = "".join(f"ip address add {address}/32 dev lo; " for address in ADDRESSES)
    # Of this network namespace only: an ordinary user may serve names and pages in it.
    ports = "echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start; "
    network = f"ip link set lo up; {addresses}{ports}"
    hosts = home / "hosts"
    lines = [f"{address} {name}\n" for name, address in NAMES.items()]
    hosts.write_text("".join(["127.0.0.1 localhost\n", *lines]), encoding="utf-8")
    mounts = f"mount --bind {stand_in} /etc/shadow; mount --bind {hosts} /etc/hosts; "
    names = f"hostname {HOST_NAME}; {mounts}"
    command = shlex.join([*_drop(user, as_root=as_root), *_interpreter(as_root=as_root)])
    # The shell stays: as the first process of its namespace it buries orphans.
    return f"{network}{names}{command} -m tests.attacks.field"


def _drop(user: int, *, as_root: bool) -> list[str]:
    if as_root:
        return []
    if os.geteuid() == 0:
        return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
    own = f"--map-user={os.geteuid()}", f"--map-group={os.getegid()}"
    return ["unshare", "--user", *own, "--"]


def _interpreter(*, as_root: bool) -> list[str]:
    if as_root or os.geteuid() != 0:
        return [os.path.realpath(sys.executable)]
    for candidate in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        # Root's last act may be to start what its successor cannot even find.
        check = f"import os, sys; sys.exit(not ({SAME_VERSION} and os.access(sys.argv[1], 1)))"
        nobody = ["setpriv", "--reuid=63000", "--regid=63000", "--clear-groups", "--"]
        tried = subprocess.run(
            [*nobody, candidate, "-c", check, candidate], capture_output=True, check=False, cwd="/"
        )
        if tried.returncode == 0:
            return [candidate]
    raise CannotBeTried("There is no interpreter that an ordinary user can run.")
