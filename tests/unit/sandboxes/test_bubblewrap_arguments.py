from pathlib import Path

from supervisor_ai.domain.run.definition import MIB
from supervisor_ai.engine.ports.sandbox import Mount, Profile
from supervisor_ai.sandboxes.bwrap.arguments import Argument, View, arguments
from supervisor_ai.sandboxes.resource_limits.rlimits import SPACES

WORK = Path("/home/user/work")
VIEW = View(
    spaces=SPACES[Profile.EXECUTOR],
    mounts=(
        Mount(source=Path("/opt/tool"), target=Path("/opt/tool")),
        Mount(source=WORK, target=WORK, is_writable=True),
        Mount(source=Path("/state/git"), target=Path("/run/wgit"), is_writable=True),
    ),
    environment={"PATH": "/usr/bin", "KEY": "secret"},
    cwd=WORK,
)
TOLD = arguments(VIEW)


def position(*words: Argument) -> int:
    """Find where the words stand one after the other."""
    size = len(words)
    found = [at for at in range(len(TOLD)) if TOLD[at : at + size] == words]
    assert len(found) == 1, words
    return found[0]


def test_everything_that_can_be_separate_is() -> None:
    for kind in ("user", "pid", "net", "ipc", "uts", "cgroup-try"):
        assert f"--unshare-{kind}" in TOLD
    for option in ("--disable-userns", "--new-session", "--die-with-parent"):
        assert option in TOLD
    position("--cap-drop", "ALL")
    position("--uid", "1000", "--gid", "1000")


def test_mounts_come_in_their_order_after_what_they_may_cover() -> None:
    tool = position("--ro-bind", "/opt/tool", "/opt/tool")
    work = position("--bind", str(WORK), str(WORK))
    git = position("--bind", "/state/git", "/run/wgit")
    private = position("--size", str(256 * MIB), "--tmpfs", "/tmp")
    assert private < tool < work < git


def test_the_root_is_closed_last() -> None:
    closed = position("--remount-ro", "/dev", "--remount-ro", "/")
    assert TOLD[closed + 4 :] == ("--chdir", str(WORK))


def test_neither_the_host_nor_its_secrets_are_bound() -> None:
    options = {"--bind", "--ro-bind", "--ro-bind-try"}
    bound = {TOLD[at + 1] for at, word in enumerate(TOLD) if word in options}
    assert not bound & {"/", "/etc", "/run", "/var", "/home", "/root", "/dev", "/proc", "/tmp"}
    assert not {path for path in bound if "shadow" in str(path)}


def test_accounts_are_made_up_and_no_name_server_is_known() -> None:
    files = {TOLD[at + 2]: TOLD[at + 1] for at, w in enumerate(TOLD) if w == "--ro-bind-data"}
    assert files["/etc/passwd"] == b"agent:x:1000:1000:agent:/home/agent:/bin/sh\n"
    assert files["/etc/resolv.conf"] == b""
    assert set(files) == {
        *("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/resolv.conf"),
    }


def test_the_environment_is_set_word_by_word() -> None:
    position("--setenv", "PATH", "/usr/bin", "--setenv", "KEY", "secret")


def test_a_worker_has_more_room_than_an_executor() -> None:
    worker, executor = SPACES[Profile.WORKER], SPACES[Profile.EXECUTOR]
    assert worker.temporary > executor.temporary
    assert worker.home > executor.home
    assert worker.shared_memory > executor.shared_memory
