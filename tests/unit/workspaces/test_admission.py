import pytest

from supervisor_ai.workspaces.commits.admission import (
    Rules,
    TreeChange,
    _objection,
    parse_changes,
    restoration,
)

REGULAR, LINK, PIPE = 0o100644, 0o120777, 0o010644
NONE = b"0" * 40
OLD, NEW = b"1" * 40, b"2" * 40


def change(path: bytes, *, old_mode: bytes = b"100644", new_mode: bytes = b"100644") -> TreeChange:
    return TreeChange(
        path=path, old_mode=old_mode, old_object=OLD, new_mode=new_mode, new_object=NEW
    )


def test_raw_differences_are_read_with_any_name() -> None:
    raw = b":000000 100644 %b %b A\0-a\nb\0:100644 000000 %b %b D\0\xff\0" % (NONE, NEW, OLD, NONE)
    added, deleted = parse_changes(raw)
    assert (added.path, added.old_mode, added.new_object) == (b"-a\nb", b"000000", NEW)
    assert (deleted.path, deleted.new_mode, deleted.old_object) == (b"\xff", b"000000", OLD)
    assert parse_changes(b"") == ()


@pytest.mark.parametrize(
    ("path", "is_refused"),
    [
        (b"evil/config", True),
        (b"evil/HEAD", True),
        (b"evilish/HEAD", False),
        (b".supervisor/state.db", True),
        (b".supervisor/state.db-wal", True),
        (b".Supervisor/State.db", True),
        (b".supervisor/logs/r-retries.md", True),
        (b".supervisor/config.yaml", False),
        (b"src/.supervisor/state.db", False),
    ],
)
def test_changes_inside_a_lookalike_and_of_our_own_state_are_refused(
    path: bytes, *, is_refused: bool
) -> None:
    assert bool(Rules(lookalikes=[b"evil"]).refused([change(path)])) is is_refused


@pytest.mark.parametrize(
    ("path", "is_refused"),
    [
        (b"HEAD", True),
        (b"Objects/info", True),
        (b"refs/x", True),
        (b"commondir", True),
        (b"config", False),
        (b"src/HEAD", False),
    ],
)
def test_a_root_that_looks_like_a_repository_loses_its_skeleton_only(
    path: bytes, *, is_refused: bool
) -> None:
    assert bool(Rules(lookalikes=[b""]).refused([change(path)])) is is_refused


def test_links_to_other_repositories_and_offending_objects_are_refused() -> None:
    link, offender, removal = (
        change(b"link", new_mode=b"160000"),
        change(b"offender"),
        change(b"gone", old_mode=b"160000", new_mode=b"000000"),
    )
    assert list(Rules().refused([link, removal])) == [link]
    rules = Rules(offenders={NEW.decode(): "gitmodulesUrl"})
    assert rules.refused([offender]) == {offender: "git's own check refuses it (gitmodulesUrl)"}


@pytest.mark.parametrize(
    ("complaint", "path", "is_refused"),
    [
        ("gitmodulesUrl", b"a/.gitmodules", True),
        ("gitmodulesBlob", b".GITMODULES/x", True),
        ("gitmodulesName", b"GI7EBA~1", True),
        ("gitmodulesName", b".gitattributes", False),
        ("gitattributesLarge", b"a/.gitattributes", True),
        ("gitattributesLarge", b"a.py", False),
        ("somethingElse", b"a.py", True),
    ],
)
def test_a_complaint_without_a_file_concerns_all_that_could_be_meant(
    complaint: str, path: bytes, *, is_refused: bool
) -> None:
    assert bool(Rules(families=[complaint]).refused([change(path)])) is is_refused


def test_restoring_removes_what_is_new_before_it_brings_back_what_was() -> None:
    was_file, is_directory = change(b"x", new_mode=b"000000"), change(b"x/y", old_mode=b"000000")
    assert restoration([was_file, is_directory]) == (
        b"0 %b\tx\0" % NEW + b"0 %b\tx/y\0" % NEW + b"100644 %b\tx\0" % OLD
    )


@pytest.mark.parametrize(
    "name",
    [".git", ".GIT", "git~1", "GIT~1 . ", ".git::$INDEX_ALLOCATION", ".g\u200cit", "a\\.git"],
)
def test_other_names_of_the_git_directory_are_inadmissible(name: str) -> None:
    assert _objection(name, name, REGULAR)


@pytest.mark.parametrize("name", [".gitmodules", ".GITMODULES", "gitmod~1", "gi7eba~1"])
def test_links_that_pass_for_the_list_of_submodules_are_inadmissible(name: str) -> None:
    assert _objection(name, name, LINK)
    assert _objection(name, name, REGULAR) is None


@pytest.mark.parametrize("name", [".gitignore", ".github", "git", "digit~1", "legit.git", "HEAD"])
def test_ordinary_names_are_admissible(name: str) -> None:
    assert _objection(name, name, REGULAR) is None
    assert _objection(name, name, LINK) is None


def test_what_no_commit_can_hold_is_inadmissible() -> None:
    assert _objection("pipe", "pipe", PIPE)
