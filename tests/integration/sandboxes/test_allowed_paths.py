import socket
import sys
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.host_view.allowed_paths import (
    find_detour,
    is_below,
    read_only_paths,
    refusal,
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home/user/tool/bin").mkdir(parents=True)
    return tmp_path / "home/user"


def test_a_tool_and_a_single_file_may_be_shown(home: Path) -> None:
    (home / ".gitconfig").write_text("[user]\n")
    assert read_only_paths(["~/tool", str(home / ".gitconfig")], home) == (
        home / "tool",
        home / ".gitconfig",
    )


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("/", "it holds far more than a tool"),
        ("/etc", "it holds far more than a tool"),
        ("/run", "it belongs to the running system"),
        ("/proc/self", "it belongs to the running system"),
        ("~/", "it holds the whole home directory"),
        ("~/missing", "it does not exist"),
        ("tool", "it is not an absolute path"),
        ("~/tool/../..", "it is not an absolute path"),
    ],
)
def test_what_must_stay_hidden_is_refused_by_name(home: Path, entry: str, reason: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_only_paths(["~/tool", entry], home)
    assert f"The entry {entry!r} of sandbox.ro_paths cannot be shown" in refused.value.message
    assert reason in refused.value.message


def test_every_directory_above_the_home_is_refused(home: Path) -> None:
    assert refusal(home.parent, home) == "it holds the whole home directory"
    assert refusal(home.parent.parent, home) == "it holds the whole home directory"


def test_a_link_to_the_home_is_refused(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)
    assert refusal(tmp_path / "link", home) == "it holds the whole home directory"


@pytest.mark.parametrize("place", [".ssh", ".gnupg", ".aws", ".config/gcloud", "share/keyrings"])
def test_places_for_keys_are_refused_and_so_is_what_holds_them(home: Path, place: str) -> None:
    keys = home / "tool" / place
    keys.mkdir(parents=True)
    assert "a place for keys" in str(refusal(keys, home))
    assert f"it holds {str(keys)!r}" in str(refusal(home / "tool", home))


@pytest.mark.parametrize(
    "name", [".npmrc", "etc/npmrc", "credentials.toml", ".gradle/gradle.properties", "id_rsa"]
)
def test_files_for_keys_are_refused_and_so_is_what_holds_them(home: Path, name: str) -> None:
    keys = home / "tool" / name
    keys.parent.mkdir(exist_ok=True)
    keys.write_text("secret")
    assert refusal(keys, home) == "it is a file for keys"
    assert f"it holds {str(keys)!r}" in str(refusal(home / "tool", home))


@pytest.mark.parametrize(
    "name", ["credentials/", "lib/auth.json/", "gradle.properties", "npmrc.js"]
)
def test_names_that_only_look_like_those_of_keys_are_fine(home: Path, name: str) -> None:
    place = home / "tool" / name
    place.parent.mkdir(exist_ok=True)
    place.mkdir() if name.endswith("/") else place.touch()
    assert refusal(home / "tool", home) is None


def test_a_socket_is_refused_and_so_is_what_holds_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home / "tool/bin")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("agent.sock")
        assert "it is a socket" in str(refusal(home / "tool/bin/agent.sock", home))
        assert "it holds the socket" in str(refusal(home / "tool", home))


def test_a_link_where_a_worker_can_make_links_is_found(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "real").mkdir(parents=True)
    (work / "real/file").touch()
    (work / "link").symlink_to("/etc")
    writable = Mount(source=work, target=work, is_writable=True)

    def detour(source: Path) -> Path | None:
        return find_detour([writable, Mount(source=source, target=source)])

    assert detour(work / "real/file") is None
    assert detour(work / "link") == work / "link"
    assert detour(work / "link/passwd") == work / "link"


def steps_for(mounts: int, work: Path) -> int:
    """Count the calls that looking for a detour takes, with so many files of a writable place."""
    files = [work / f"task-{number}.md" for number in range(mounts)]
    made = [Mount(source=file, target=file, is_writable=True) for file in files]
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        assert find_detour(made, made) is None
    finally:
        sys.setprofile(None)
    return calls


def test_the_work_grows_with_the_mounts_and_not_with_their_square(tmp_path: Path) -> None:
    few, many = steps_for(50, tmp_path), steps_for(400, tmp_path)
    assert many < 9 * few


def test_a_link_below_an_inner_place_is_found_from_the_outermost(tmp_path: Path) -> None:
    inner = tmp_path / "work/inner"
    inner.mkdir(parents=True)
    (inner / "link").symlink_to("/etc")
    places = [Mount(source=it, target=it, is_writable=True) for it in (inner, tmp_path / "work")]
    sought = Mount(source=inner / "link/passwd", target=Path("/run/passwd"))
    assert find_detour([*places, sought]) == inner / "link"
    assert find_detour([*reversed(places), sought]) == inner / "link"


def test_a_link_that_no_worker_can_have_made_is_nobodys_business(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/usr")
    source = tmp_path / "link/bin"
    assert find_detour([Mount(source=source, target=source)]) is None


def test_below_means_whole_names() -> None:
    assert is_below(Path("/opt/tool"), [Path("/opt/tool")])
    assert is_below(Path("/opt/tool/bin"), [Path("/x"), Path("/opt/tool")])
    assert is_below(Path("/opt"), [Path("/")])
    assert not is_below(Path("/opt/tools"), [Path("/opt/tool")])
