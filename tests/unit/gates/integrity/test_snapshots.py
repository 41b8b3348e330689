"""Snapshots that are only added or moved are let pass; those that are altered are not."""

import pytest

from supervisor_ai.gates.integrity.change_sides import FileSides
from supervisor_ai.gates.integrity.protected_files.protected_changes import protected_changes

KEPT, LOST = frozenset[str](), frozenset({"snapshot_changed"})
JEST = "// Jest Snapshot v1\n\n"
A, B = "exports[`menu opens 1`] = `open`;\n\n", "exports[`menu shuts 1`] = `shut`;\n\n"
PATH = "src/__snapshots__/menu.test.js.snap"
AMBR = "tests/__snapshots__/test_menu.ambr"
ONE, TWO = "# name: test_one\n  'x'\n# ---\n", "# name: test_two\n  'y'\n# ---\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "found"),
    [
        (PATH, JEST + A, JEST + A + B, KEPT),
        (PATH, JEST + B, JEST + A + B, KEPT),
        (PATH, JEST + A, JEST + A.replace("menu", "list"), KEPT),
        (PATH, JEST + A, JEST + A.replace("`open`", "`shut`"), LOST),
        (PATH, JEST + A + B, JEST + A, LOST),
        (PATH, JEST + A + B, JEST + A + A, LOST),
        (PATH, JEST + A, JEST, LOST),
        (PATH, JEST + A, "// Jest Snapshot v9\n\n" + A + B, LOST),
        (AMBR, ONE, ONE + TWO, KEPT),
        (AMBR, ONE, ONE.replace("'x'", "'z'") + TWO, LOST),
        ("testdata/menu.golden", "a\n", "a\nb\n", LOST),
    ],
)
def test_what_a_file_of_snapshots_said_must_stay(
    path: str, before: str, after: str, found: frozenset[str]
) -> None:
    file = FileSides(path=path, before=before.encode(), after=after.encode())
    assert {each.rule for each in protected_changes([file], ())} == found


INSTA = b"---\nsource: tests/%s.rs\nexpression: menu()\n---\nopen\n"


@pytest.mark.parametrize(
    ("now", "found"), [(INSTA % b"new", KEPT), (INSTA % b"new" + b"more\n", LOST)]
)
def test_a_snapshot_may_be_moved_as_it_is(now: bytes, found: frozenset[str]) -> None:
    files = [
        FileSides(path="tests/snapshots/old__menu.snap", before=INSTA % b"old", after=None),
        FileSides(path="tests/snapshots/new__menu.snap", before=None, after=now),
    ]
    assert {each.rule for each in protected_changes(files, ())} == found
