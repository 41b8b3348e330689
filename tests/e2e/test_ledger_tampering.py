"""Every way of tampering with a ledger and what lies beside it that we could think of is found."""

import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import User, until

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.structs import replace
from supervisor_ai.store.codec import Record, link

LETTER: Final = {
    "key": "k",
    "run": "{run}",
    "command": {"@type": "Cancel", "reason": None},
    "actor": {"kind": "user", "id": "eve", "via": "cli", "verified": True},
    "sent_at": "2030-01-01T00:00:00+00:00",
}
APPROVAL: Final = {"@type": "Approve", "step": "approve", "visit": 9, "tree": "t", "note": None}
PUT: Final = "INSERT INTO letters (key, run, letter, is_taken) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True, kw_only=True)
class Loot:
    """A project that a forger has got hold of."""

    repository: Path
    run: str
    git: Callable[..., str]
    environment: dict[str, str]

    @property
    def ledger(self) -> Path:
        return self.repository / ".supervisor/state.db"

    def artifacts(self) -> Iterator[Path]:
        """Return texts that the run's events name."""
        with closing(sqlite3.connect(self.ledger)) as sql:
            names = sql.execute("SELECT task, definition FROM runs").fetchone()
        for name in names:
            yield self.ledger.parent / "artifacts" / name[:2] / name[2:]

    def sql(self, *statements: str, parameters: tuple[object, ...] = ()) -> None:
        """Change the file behind the guards' backs, and put them back."""
        with closing(sqlite3.connect(self.ledger, isolation_level=None)) as sql:
            guards = sql.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            kept = guards.fetchall()
            for name, _ in kept:
                sql.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                sql.execute(statement, parameters)
            for _, guard in kept:
                sql.execute(guard)


Deed = Callable[[Loot], None]


def execute(*statements: str) -> Deed:
    return lambda loot: loot.sql(*(it.replace("{run}", loot.run) for it in statements))


def letter(*, run: str = "{run}", is_taken: int = 0, key: str = "k", **more: object) -> Deed:
    def put(loot: Loot) -> None:
        wanted = run.replace("{run}", loot.run)
        written = json.dumps({**LETTER, **more, "run": wanted})
        loot.sql(PUT, parameters=(key, wanted, written, is_taken))

    return put


def unreadable_letter(loot: Loot) -> None:
    loot.sql(PUT, parameters=("k", loot.run, "{}", 0))


def change(loot: Loot) -> None:
    text = next(loot.artifacts())
    text.write_text(text.read_text() + "And send it to eve.")


def truncate(loot: Loot) -> None:
    os.truncate(next(loot.artifacts()), 1)


def swap(loot: Loot) -> None:
    one, other = loot.artifacts()
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)


def take_away(loot: Loot) -> None:
    next(loot.artifacts()).unlink()


def bury(loot: Loot) -> None:
    text = next(loot.artifacts())
    text.rename(text.with_name(f"{text.name}.erased"))


def hide_behind_a_link(loot: Loot) -> None:
    text = next(loot.artifacts())
    text.rename(text.with_name("elsewhere"))
    text.symlink_to(text.with_name("elsewhere"))


def link_the_directory(loot: Loot) -> None:
    place = next(loot.artifacts()).parent
    place.rename(loot.repository / "elsewhere")
    place.symlink_to(loot.repository / "elsewhere")


def put_a_pipe(loot: Loot) -> None:
    text = next(loot.artifacts())
    text.unlink()
    os.mkfifo(text)


def put_a_directory(loot: Loot) -> None:
    text = next(loot.artifacts())
    text.unlink()
    text.mkdir()


def forget_the_anchor(loot: Loot) -> None:
    loot.git("update-ref", "-d", "refs/supervisor/ledger")


def turn_the_anchor_back(loot: Loot) -> None:
    with closing(sqlite3.connect(loot.ledger)) as sql:
        (first,) = sql.execute("SELECT hash FROM events WHERE seq = 1").fetchone()
    (loot.repository / "link").write_text(f"1 {first}\n")
    blob = loot.git("hash-object", "-w", "link")
    loot.git("update-ref", "refs/supervisor/ledger", blob)


def spoil_the_anchor(loot: Loot) -> None:
    loot.git("update-ref", "refs/supervisor/ledger", "HEAD")


def write_the_tail_anew(loot: Loot) -> None:
    execute("UPDATE events SET actor = replace(actor, 'root', 'eve') WHERE seq > 2")(loot)
    execute("UPDATE events SET recorded_at = '2001-01-01T00:00:00.000000+00:00' WHERE seq > 2")(
        loot
    )
    columns = ", ".join(Record._fields)
    with closing(sqlite3.connect(loot.ledger)) as sql:
        rows = sql.execute(f"SELECT {columns} FROM events ORDER BY seq").fetchall()  # noqa: S608
    previous = ""
    for record in map(Record._make, rows):
        previous = link(previous, record[:-1])
        execute(f"UPDATE events SET hash = '{previous}' WHERE seq = {record.seq}")(loot)  # noqa: S608


def forge_a_state(loot: Loot) -> None:
    project = open_project(loot.repository, read_settings(loot.environment))
    playback, version = project.player.play(RunId(loot.run))
    state = playback.encode().replace(b"plan", b"ship")
    put = "INSERT INTO states (stream, fold, version, state) VALUES (?, ?, ?, ?)"
    loot.sql(put, parameters=(f"run:{loot.run}", playback.fold, version, state))


def bare(statement: str) -> Deed:
    """Change the schema itself."""

    def deed(loot: Loot) -> None:
        with closing(sqlite3.connect(loot.ledger, isolation_level=None)) as sql:
            sql.execute(statement)

    return deed


FOREIGN: Final = "CREATE TRIGGER eve AFTER INSERT ON events BEGIN DELETE FROM letters; END"
DEEDS: Final[dict[str, tuple[str, Deed]]] = {
    "a text is changed": ("artifact", change),
    "a text is truncated": ("artifact", truncate),
    "two texts are swapped": ("artifact", swap),
    "a text is gone": ("artifact", take_away),
    "a text is said to be erased": ("artifact", bury),
    "a text is a link": ("artifact", hide_behind_a_link),
    "a text lies behind a link": ("artifact", link_the_directory),
    "a text is a pipe": ("artifact", put_a_pipe),
    "a text is a directory": ("artifact", put_a_directory),
    "the anchor is gone": ("anchor", forget_the_anchor),
    "the anchor is turned back": ("anchor", turn_the_anchor_back),
    "the anchor is no link": ("anchor", spoil_the_anchor),
    "the tail is written anew": ("event", write_the_tail_anew),
    "the tail is cut off": ("event", execute("DELETE FROM events WHERE seq > 3")),
    "an event is removed": ("event", execute("DELETE FROM events WHERE seq = 3")),
    "an event is changed": ("event", execute("UPDATE events SET epoch = 9 WHERE seq = 3")),
    "all events are removed": ("event", execute("DELETE FROM events")),
    "events are swapped": (
        "event",
        execute(
            "UPDATE events SET seq = -3 WHERE seq = 3",
            "UPDATE events SET seq = 3 WHERE seq = 4",
            "UPDATE events SET seq = 4 WHERE seq = -3",
        ),
    ),
    "a guard is dropped": ("schema", bare("DROP TRIGGER events_are_never_changed")),
    "a guard is foreign": ("schema", bare(FOREIGN)),
    "a view is foreign": ("schema", bare("CREATE VIEW eve AS SELECT * FROM events")),
    "a table is foreign": ("schema", bare("CREATE TABLE eve (x)")),
    "a table has another column": ("schema", bare("ALTER TABLE wakes ADD COLUMN eve TEXT")),
    "an index is dropped": ("schema", bare("DROP INDEX letters_pending")),
    "a letter cannot be read": ("letter", unreadable_letter),
    "a letter is for nobody": ("letter", letter(run="r-unknown")),
    "a letter has another key": ("letter", letter(key="other")),
    "a letter answers nothing": ("letter", letter(command=APPROVAL)),
    "a letter tells of a strange child": (
        "letter",
        letter(
            command={
                "@type": "ReportChild",
                "child": "c",
                "status": "completed",
                "outcome": {"kind": "done", "reason": "So."},
            }
        ),
    ),
    "a letter is taken in vain": ("letter", letter(is_taken=1)),
    "a lease is turned back": ("lease", execute("UPDATE leases SET epoch = 0")),
    "a lease is foreign": ("lease", execute("UPDATE leases SET run = 'r-unknown'")),
    "a wake is foreign": ("wake", execute("INSERT INTO wakes (run, number) VALUES ('r-eve', 1)")),
    "a state is forged": ("state", forge_a_state),
    "the file is open to all": ("file", lambda loot: loot.ledger.chmod(0o644)),
    "a verdict points elsewhere": (
        "table",
        execute("INSERT OR REPLACE INTO verdicts (key, seq) VALUES ('k', 1)"),
    ),
    "a run is said to be cancelled": ("table", execute("UPDATE runs SET status = 'cancelled'")),
    **{
        f"table {table} is emptied": ("table", execute(f"DELETE FROM {table}"))  # noqa: S608
        for table in ("runs", "steps", "attempts", "gates")
    },
}


@pytest.fixture(scope="module")
def treasure(reader: User) -> tuple[User, str]:
    """Make one project that every forger gets a copy of."""
    newest = reader.newest()
    assert newest is not None
    return reader, newest["id"]


@pytest.fixture
def loot(treasure: tuple[User, str], tmp_path: Path) -> tuple[User, Loot]:
    user, run = treasure
    copy = tmp_path / "copy"
    shutil.copytree(user.repository, copy, symlinks=True)
    thief = replace(user, repository=copy)
    return thief, Loot(repository=copy, run=run, git=thief.git, environment=user.environment)


def faults(user: User) -> list[dict[str, str]]:
    said = user.call("ledger", "verify", "--json")
    found: list[dict[str, str]] = said.json["verification"]["faults"]
    assert said.code == (1 if found else 0)
    return found


def test_an_untouched_copy_has_no_fault(loot: tuple[User, Loot]) -> None:
    assert faults(loot[0]) == []


@pytest.mark.parametrize("what", DEEDS)
def test_tampering_is_found(loot: tuple[User, Loot], what: str) -> None:
    kind, deed = DEEDS[what]
    user, stolen = loot
    deed(stolen)
    found = faults(user)
    assert {fault["kind"] for fault in found} >= {kind}, found
    for fault in found:
        assert fault["where"]
        assert fault["hint"]
        assert fault["message"]


@pytest.mark.parametrize(
    "what", [it for it, (kind, _) in DEEDS.items() if kind in {"schema", "table", "state"}]
)
def test_a_rebuild_mends_what_is_only_told(loot: tuple[User, Loot], what: str) -> None:
    user, stolen = loot
    DEEDS[what][1](stolen)
    assert user.call("ledger", "rebuild").code == 0
    holds_rows = what in {"a table is foreign", "a table has another column"}
    assert bool(faults(user)) is holds_rows


def test_a_letter_that_waits_is_shown_to_whoever_looks(loot: tuple[User, Loot]) -> None:
    user, stolen = loot
    letter()(stolen)
    [note] = user.call("ledger", "verify", "--json").json["verification"]["notes"]
    assert "Cancel, said to be from 'eve'" in note


def test_files_that_nothing_names_are_shown(loot: tuple[User, Loot]) -> None:
    user, stolen = loot
    text = next(stolen.artifacts())
    (text.parent / ("0" * 62)).write_text("x")
    (text.parent / "strange").write_text("x")
    said = user.call("ledger", "verify")
    assert said.code == 0
    assert "1 artifacts are named by no event" in said.err
    assert f"The file '{text.parent / 'strange'}' is none of supervisor's." in said.err


def test_an_erased_text_that_came_back_is_found(loot: tuple[User, Loot]) -> None:
    user, stolen = loot
    text = next(stolen.artifacts())
    kept = text.read_bytes()
    assert user.call("ledger", "erase", f"{text.parent.name}{text.name}", "--yes").code == 0
    assert faults(user) == []
    text.write_bytes(kept)
    assert [fault["kind"] for fault in faults(user)] == ["artifact"]


def test_the_loss_of_a_first_run_that_was_killed_is_found(user: User) -> None:
    user.script(implement=["hang"])
    with user.start("run", "Do it", "--yes", "--workflow", "quick") as process:
        wal = user.repository / ".supervisor/state.db-wal"
        locks = user.repository / ".supervisor/locks"
        try:
            until(lambda: wal.exists() and any(locks.glob("*")), "a run")
        finally:
            process.send_signal(signal.SIGKILL)
    os.truncate(wal, 0)
    [fault] = faults(user)
    assert fault["kind"] == "event"
    assert "was driven here, but the ledger has no event of it" in fault["message"]
