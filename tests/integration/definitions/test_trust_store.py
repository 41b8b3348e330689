import stat
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from secrets import token_hex

import pytest
from msgspec import Struct

from supervisor_ai.control.ports.definitions import Power, TrustCheck, TrustStore
from supervisor_ai.definitions.consent.trust_store import FileTrustStore
from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.consent import PinnedPower

AGENT = Power(file=".supervisor/config.yaml", line=3, key="clis.a.command", value='["agent"]')
GATE = Power(file=".supervisor/config.yaml", line=9, key="gates.test.command", value='["make"]')
CLI = PinnedPower(key="clis.a", value='{"command": ["agent"]}')
SANDBOX = PinnedPower(key="sandbox", value='{"ro_paths": ["/home/me/private"]}')
TRUSTED = TrustCheck(is_trusted=True, added=(), removed=())


class Home(Struct):
    """A repository at a place; the mark is made once."""

    place: str = "/home/me/project/.git"
    made: str | None = None

    def mark(self) -> str | None:
        return self.made

    def make_mark(self) -> str:
        self.made = self.made or token_hex(16)
        return self.made

    def alone(self) -> AbstractContextManager[None]:
        return nullcontext()

    def tracked_state(self) -> tuple[str, ...]:
        return ()


def store_of(directory: Path, home: Home | None = None) -> FileTrustStore:
    return FileTrustStore(directory, home or Home())


def test_nothing_is_trusted_before_the_user_agrees(tmp_path: Path) -> None:
    store: TrustStore = store_of(tmp_path / "user")
    assert store.check((AGENT,)) == TrustCheck(is_trusted=False, added=(AGENT,), removed=())
    assert store.missing((CLI,)) == (CLI,)
    assert not (tmp_path / "user").exists()


def test_a_project_that_asks_for_nothing_is_always_trusted(tmp_path: Path) -> None:
    assert store_of(tmp_path).check(()) == TRUSTED


def test_an_agreement_lasts(tmp_path: Path) -> None:
    home = Home()
    store_of(tmp_path / "user", home).grant((AGENT, GATE))
    assert store_of(tmp_path / "user", home).check((AGENT, GATE)) == TRUSTED


@pytest.mark.parametrize("what", ["another repository", "the same one elsewhere"])
def test_an_agreement_belongs_to_one_repository_at_one_place(tmp_path: Path, what: str) -> None:
    home = Home()
    store = store_of(tmp_path, home)
    store.grant((AGENT,))
    store.agree((CLI,))
    moved = replace(home, place="/home/me/copy/.git")
    other = store_of(tmp_path, Home(made=token_hex(16)) if what == "another repository" else moved)
    assert not other.check((AGENT,)).is_trusted
    assert other.missing((CLI,)) == (CLI,)


def test_a_copy_does_not_take_the_word_from_the_original(tmp_path: Path) -> None:
    home = Home()
    store, copy = store_of(tmp_path, home), replace(home, place="/copy/.git")
    store.grant((AGENT,))
    copied = store_of(tmp_path, replace(copy, made=home.made))
    copied.grant((GATE,))
    assert store.check((AGENT,)) == copied.check((GATE,)) == TRUSTED


def test_what_an_earlier_version_kept_by_path_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "trust.json").write_text('{"/home/me/project": {"sha256": "", "powers": []}}')
    assert not store_of(tmp_path).check((AGENT,)).is_trusted


def test_a_line_that_moved_changes_nothing(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.grant((AGENT, GATE))
    assert store.check((replace(GATE, line=1), replace(AGENT, line=7))) == TRUSTED


@pytest.mark.parametrize(
    "changed",
    [replace(GATE, file="other"), replace(GATE, key="other"), replace(GATE, value="other")],
)
def test_any_change_makes_the_agreement_void(tmp_path: Path, changed: Power) -> None:
    store = store_of(tmp_path)
    store.grant((AGENT, GATE))
    check = store.check((AGENT, changed))
    assert check == TrustCheck(is_trusted=False, added=(changed,), removed=(GATE,))


def test_a_power_less_makes_the_agreement_void_too(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.grant((AGENT, GATE))
    assert store.check((AGENT,)) == TrustCheck(is_trusted=False, added=(), removed=(GATE,))


def test_what_runs_were_started_with_adds_up(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.agree((CLI,))
    store.grant((AGENT,))
    store.agree((CLI, SANDBOX))
    changed = replace(CLI, value="{}")
    assert store.missing((CLI, changed, SANDBOX)) == (changed,)
    assert store.check((AGENT,)) == TRUSTED


def test_only_the_user_can_read_the_file_and_nothing_else_is_left(tmp_path: Path) -> None:
    directory = tmp_path / "a" / "user"
    store_of(directory).grant((AGENT,))
    (folder,) = directory.iterdir()
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {stat.S_IMODE(at.stat().st_mode) for at in (directory, folder)} == {0o700}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"/p": {"ledger": "1"}}'])
def test_a_damaged_file_trusts_nothing_and_says_so(tmp_path: Path, content: str) -> None:
    home = Home()
    (tmp_path / "projects").mkdir()
    (tmp_path / "projects" / f"{home.make_mark()}.json").write_text(content)
    store = store_of(tmp_path, home)
    with pytest.raises(InvalidInput, match="does not hold what was trusted before") as caught:
        store.check((AGENT,))
    assert caught.value.hint == "Remove the file and run `supervisor trust` again."
    with pytest.raises(InvalidInput):
        store.grant((AGENT,))


def test_a_directory_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(Unavailable, match="cannot be read: Not a directory"):
        store_of(tmp_path / "file", Home(made=token_hex(16))).check((AGENT,))
    with pytest.raises(Unavailable, match=r"could not be kept in .*: File exists"):
        store_of(tmp_path / "link").grant((AGENT,))
