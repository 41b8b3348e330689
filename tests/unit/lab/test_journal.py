"""The journal: bounded, and without keys."""

import json
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.lab import journal as journals
from supervisor_ai.lab.journal import (
    LabJournal,
    Seen,
    key_of,
    path_without_secrets,
    without_secrets,
)


def seen(size: int = 0, path: str = "/a", key: str | None = None) -> Seen:
    return Seen(method="POST", path=path, status=200, size=size, key=key)


def test_the_newest_requests_are_kept() -> None:
    journal = LabJournal()
    for number in range(journals._MAX_REQUESTS + 3):
        journal.note(seen(path=str(number)))
    assert journal.all()[0].path == "3"
    journal.clear()
    assert journal.all() == ()


def test_large_requests_push_older_ones_out() -> None:
    journal = LabJournal()
    for _ in range(3):
        journal.note(seen(size=journals._MAX_BYTES // 2))
    assert len(journal.all()) == 2


def test_a_file_gets_everything_but_the_key_and_is_for_its_owner_only(tmp_path: Path) -> None:
    told: list[Seen] = []
    journal = LabJournal(tmp_path / "log", told.append)
    journal.note(seen(key="sk-canary"))
    journal.close()
    text = (tmp_path / "log").read_text()
    assert json.loads(text)["status"] == 200
    assert "sk-canary" not in text + repr(told)
    assert told[0].key == "sk-canary"
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be written"):
        LabJournal(tmp_path / "missing" / "log")


def test_keys_are_hidden_wherever_they_come() -> None:
    headers = {"X-Api-Key": "k", "Authorization": "Bearer k", "Accept": "*"}
    assert without_secrets(headers) == {
        "x-api-key": "[hidden]",
        "authorization": "[hidden]",
        "accept": "*",
    }
    assert path_without_secrets("/v1?key=k&alt=sse") == "/v1?key=[hidden]&alt=sse"
    assert key_of({"Authorization": "Bearer k"}) == "k"
    assert key_of({"Accept": "*"}) is None
