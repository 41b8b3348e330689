import stat
from dataclasses import replace
from pathlib import Path

import pytest

from supervisor_ai.definitions.trust import FileTrustStore
from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.engine.ports.definitions import Power, TrustCheck, TrustStore

AGENT = Power(file=".supervisor/config.yaml", line=3, key="clis.a.command", value='["agent"]')
GATE = Power(file=".supervisor/config.yaml", line=9, key="gates.test.command", value='["make"]')
PROJECT = Path("/home/me/project")
TRUSTED = TrustCheck(is_trusted=True, added=(), removed=())


def test_nothing_is_trusted_before_the_user_agrees(tmp_path: Path) -> None:
    store: TrustStore = FileTrustStore(tmp_path / "user")
    assert store.check(PROJECT, (AGENT,)) == TrustCheck(
        is_trusted=False, added=(AGENT,), removed=()
    )
    assert not (tmp_path / "user").exists()


def test_a_project_that_asks_for_nothing_is_always_trusted(tmp_path: Path) -> None:
    assert FileTrustStore(tmp_path).check(PROJECT, ()) == TRUSTED


def test_an_agreement_lasts_and_belongs_to_one_project(tmp_path: Path) -> None:
    FileTrustStore(tmp_path / "user").grant(PROJECT, (AGENT, GATE))
    store = FileTrustStore(tmp_path / "user")
    assert store.check(PROJECT, (AGENT, GATE)) == TRUSTED
    assert not store.check(Path("/home/me/other"), (AGENT, GATE)).is_trusted


def test_a_line_that_moved_changes_nothing(tmp_path: Path) -> None:
    store = FileTrustStore(tmp_path)
    store.grant(PROJECT, (AGENT, GATE))
    assert store.check(PROJECT, (replace(GATE, line=1), replace(AGENT, line=7))) == TRUSTED


@pytest.mark.parametrize(
    "changed",
    [replace(GATE, file="other"), replace(GATE, key="other"), replace(GATE, value="other")],
)
def test_any_change_makes_the_agreement_void(tmp_path: Path, changed: Power) -> None:
    store = FileTrustStore(tmp_path)
    store.grant(PROJECT, (AGENT, GATE))
    check = store.check(PROJECT, (AGENT, changed))
    assert check == TrustCheck(is_trusted=False, added=(changed,), removed=(GATE,))


def test_a_power_less_makes_the_agreement_void_too(tmp_path: Path) -> None:
    store = FileTrustStore(tmp_path)
    store.grant(PROJECT, (AGENT, GATE))
    check = store.check(PROJECT, (AGENT,))
    assert check == TrustCheck(is_trusted=False, added=(), removed=(GATE,))


def test_other_projects_are_kept_when_one_is_granted_again(tmp_path: Path) -> None:
    store, other = FileTrustStore(tmp_path), Path("/home/me/other")
    store.grant(PROJECT, (AGENT,))
    store.grant(other, (GATE,))
    store.grant(PROJECT, (AGENT, GATE))
    assert store.check(PROJECT, (AGENT, GATE)).is_trusted
    assert store.check(other, (GATE,)).is_trusted


def test_only_the_user_can_read_the_file_and_nothing_else_is_left(tmp_path: Path) -> None:
    FileTrustStore(tmp_path / "a" / "user").grant(PROJECT, (AGENT,))
    directory = tmp_path / "a" / "user"
    (file,) = directory.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", ["", "{", "[]", '{"/p": {"sha256": 1}}'])
def test_a_damaged_file_trusts_nothing_and_says_so(tmp_path: Path, content: str) -> None:
    (tmp_path / "trust.json").write_text(content)
    store = FileTrustStore(tmp_path)
    with pytest.raises(InvalidInput, match="does not hold what was trusted before") as caught:
        store.check(PROJECT, (AGENT,))
    assert caught.value.hint == "Remove the file and run `supervisor trust` again."
    with pytest.raises(InvalidInput):
        store.grant(PROJECT, (AGENT,))


def test_a_directory_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(Unavailable, match="cannot be read: Not a directory"):
        FileTrustStore(tmp_path / "file").check(PROJECT, (AGENT,))
    with pytest.raises(Unavailable, match=r"could not be kept in .*: File exists"):
        FileTrustStore(tmp_path / "link").grant(PROJECT, (AGENT,))
