"""The pictures of the documents show the screens as they are."""

import pytest
from tests.integration.tui.pictures import PLACE, drawn, in_utc


@pytest.fixture
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    in_utc()


@pytest.mark.usefixtures("_utc")
def test_the_pictures_are_up_to_date() -> None:
    kept = {it.name: it.read_text().rstrip() for it in PLACE.glob("*.svg")}
    now = {name: picture.rstrip() for name, picture in drawn()}
    stale = sorted(name for name in {*kept, *now} if kept.get(name) != now.get(name))
    assert not stale, f"draw them anew: python -m tests.integration.tui.pictures; stale: {stale}"
