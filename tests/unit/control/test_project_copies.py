"""Installed copies of a project: told where they are not the checkout."""

from pathlib import Path

import pytest

from supervisor_ai.control.queries.project_copies import foreign_copies
from supervisor_ai.sandboxes.toolchains.installed_copies import InstalledCopy

SITE = Path("/env/lib/python3.12/site-packages")


def told(checkout: Path, target: str | None) -> list[str]:
    copy = InstalledCopy(name="my-shop", version="2.1", site=SITE, target=target)
    return [f"{it.told} {it.remedy}" for it in foreign_copies([copy], checkout)]


def test_files_of_another_place_are_told_with_what_to_do(tmp_path: Path) -> None:
    [words] = told(tmp_path, None)
    assert words.startswith(f"my-shop 2.1 in '{SITE}' is an installed copy of this project: ")
    assert "pip uninstall my-shop" in words
    assert "pip install -e ." in words


@pytest.mark.parametrize("part", [".", "packages/shop"])
def test_an_editable_install_of_the_checkout_is_nothing_to_tell(tmp_path: Path, part: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert told(tmp_path / "link", str(tmp_path / part)) == []


def test_an_editable_install_that_leads_elsewhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    [elsewhere] = told(tmp_path / "new", str(tmp_path / "old"))
    assert f"editable install of '{tmp_path}/old', another directory, not of this" in elsewhere
    [stale] = told(tmp_path / "new", str(tmp_path / "gone"))
    assert "a directory that is not there any more" in stale
