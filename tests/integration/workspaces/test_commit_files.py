"""Files of commits, read with real git."""

from pathlib import Path

import pytest
from tests.integration.context.real_git import Project

from supervisor_ai.control.ports.commits import CommitFile, LineCount
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.commits.commit_files import CommitFiles


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def files(project: Project) -> CommitFiles:
    return CommitFiles(project.ask)


def test_regular_files_are_listed_and_links_are_not(project: Project, files: CommitFiles) -> None:
    (project.root / "link").symlink_to("/etc/passwd")
    commit = project.commit({"a.py": b"one\n", "b/ü.txt": b"", "b/\udcff": b"odd"})
    listed = files.list(commit)
    assert [(file.path, file.size) for file in listed] == [
        ("a.py", 4),
        ("b/ü.txt", 0),
        ("b/\udcff", 3),
    ]


def test_what_is_read_is_the_commit_and_not_the_work_tree(
    project: Project, files: CommitFiles
) -> None:
    contents = {"a": b"one\n", "b": b"two\n\n1234 blob 7\n", "c": b"", "d": bytes(range(256))}
    commit = project.commit(contents)
    (project.root / "a").write_bytes(b"changed")
    read = {file.path: content for file, content in files.read(files.list(commit))}
    assert read == contents


def test_much_is_read_in_several_turns(project: Project) -> None:
    commit = project.commit(
        {f"f{number}": bytes(7_000_000) + b"%d" % number for number in range(5)}
    )
    asked = []

    def ask(*arguments: str, stdin: bytes = b"") -> bytes:
        asked.append(arguments[0])
        return project.ask(*arguments, stdin=stdin)

    files = CommitFiles(ask)
    assert len(list(files.read(files.list(commit)))) == 5
    assert asked == ["ls-tree", "cat-file", "cat-file", "cat-file"]


def test_a_content_that_is_gone_is_an_error(project: Project, files: CommitFiles) -> None:
    project.commit({"a": b"one"})
    with pytest.raises(Unavailable, match="'a' could not be read"):
        list(files.read([CommitFile("a", "0" * 40, 3)]))


def test_changes_and_patches(project: Project, files: CommitFiles) -> None:
    base = project.commit({"a": b"one\n", "gone": b"x\n", "same": b"s\n", "odd\nname": b"1\n"})
    head = project.commit(
        {"a": b"diff --git a/x b/x\n", "gone": None, "new": b"\0", "odd\nname": b"2\n"}
    )
    changes = files.changes(base, head)
    assert [change.path for change in changes] == ["a", "gone", "new", "odd\nname"]
    patches = dict(files.patches(base, head, ["a", "gone", "new", "odd\nname"]))
    assert patches["a"].endswith("@@ -1 +1 @@\n-one\n+diff --git a/x b/x")
    assert "-x" in patches["gone"]
    assert "Binary files" in patches["new"]
    assert patches["odd\nname"].endswith("-1\n+2\n")
    assert files.changes(head, head) == ()
    assert list(files.patches(base, head, ["same"])) == []


def test_a_file_that_became_a_directory_is_not_mixed_up(
    project: Project, files: CommitFiles
) -> None:
    base = project.commit({"a": b"file\n"})
    (project.root / "a").unlink()
    head = project.commit({"a/b": b"inner\n"})
    assert [path for path, _ in files.patches(base, head, ["a"])] == ["a"]


def test_a_file_that_became_a_link_has_one_patch(project: Project, files: CommitFiles) -> None:
    base = project.commit({"a": b"one\n", "b": b"x\n"})
    (project.root / "a").unlink()
    (project.root / "a").symlink_to("/etc/passwd")
    head = project.commit({"b": b"y\n"})
    changes = {change.path: change for change in files.changes(base, head)}
    assert (changes["a"].is_link, changes["a"].is_retyped) == (True, True)
    assert not changes["b"].is_link
    patches = dict(files.patches(base, head, ["a", "b"]))
    assert set(patches) == {"a", "b"}
    assert "+/etc/passwd" in patches["a"]
    assert "+y" in patches["b"]


def test_no_program_of_the_repository_is_run(project: Project, files: CommitFiles) -> None:
    canary = project.root.parent / "ran"
    project.git("config", "diff.evil.textconv", f"touch {canary};:")
    project.git("config", "diff.evil.command", f"touch {canary};:")
    project.git("config", "diff.external", f"touch {canary};:")
    base = project.commit({".gitattributes": b"* diff=evil\n", "a": b"one\n"})
    head = project.commit({"a": b"two\n"})
    assert dict(files.patches(base, head, ["a"]))["a"].endswith("-one\n+two\n")
    assert not canary.exists()


def test_lines_are_counted_but_of_what_is_no_text(project: Project, files: CommitFiles) -> None:
    base = project.commit({"a.py": b"one\ntwo\n", "b.bin": b"\0\n\0\n", "gone": b"x\n"})
    head = project.commit({"a.py": b"one\n2\n3\n", "b.bin": b"\0\n", "gone": None, "ü\t": b"x"})
    assert files.line_counts(base, head) == (
        LineCount("a.py", 2, 1),
        LineCount("b.bin", None, None),
        LineCount("gone", 0, 1),
        LineCount("ü\t", 1, 0),
    )


def test_a_commit_is_listed_once_and_a_name_that_can_move_each_time(project: Project) -> None:
    asked: list[str] = []

    def ask(*arguments: str, stdin: bytes = b"") -> bytes:
        asked.append(arguments[-1])
        return project.ask(*arguments, stdin=stdin)

    files, commit = CommitFiles(ask), project.commit({"a": b"a"})
    assert files.list(commit) is files.list(commit)
    assert files.list(CommitSha("HEAD")) == files.list(CommitSha("HEAD")) == files.list(commit)
    assert asked == [commit, "HEAD", "HEAD"]


def test_a_list_that_is_made_of_another_is_what_git_would_list(project: Project) -> None:
    base = project.commit(
        {f"d{at}/f{at}": b"x" * at for at in range(50)}
        | {"a": b"1", "a.b": b"2", "a-b/c": b"3", "z/\udcff": b"4", "exe": b"5", "gone": b"6"}
    )
    (project.root / "a").unlink()
    (project.root / "d3/f3").unlink()
    (project.root / "d3/f3").symlink_to("/etc/passwd")
    (project.root / "exe").chmod(0o755)
    (project.root / "a").mkdir()
    (project.root / "a0").symlink_to("exe")
    changed = {"a/b": b"11", "a!": b"", "d7/f7": b"other", "gone": None, "z/\udcfe": b"new"}
    head = project.commit({**changed, "A": b"4444", "d50/é": b"5"})
    (project.root / "d3/f3").unlink()
    last = project.commit({"d3/f3": b"a file again", "a0": None})
    asked: list[str] = []

    def ask(*arguments: str, stdin: bytes = b"") -> bytes:
        asked.append(arguments[0])
        return project.ask(*arguments, stdin=stdin)

    derived = CommitFiles(ask)
    for commit in (base, head, last):
        assert derived.list(commit) == CommitFiles(project.ask).list(commit)
    assert asked.count("ls-tree") == 1


def test_what_leads_to_a_missing_file_is_listed_by_git() -> None:
    base, head = CommitSha("a" * 40), CommitSha("b" * 40)
    whole = b"100644 blob " + b"c" * 40 + b"       1\tx\0"
    answers = {
        ("ls-tree", base): b"",
        ("ls-tree", head): whole,
        ("diff-tree", head): b":000000 100644 " + b"0" * 40 + b" " + b"c" * 40 + b" A\0x\0",
    }

    def ask(*arguments: str, stdin: bytes = b"") -> bytes:
        if arguments[0] == "cat-file":
            return stdin.strip() + b" missing\n"
        return answers[arguments[0], CommitSha(arguments[-1])]

    files = CommitFiles(ask)
    assert files.list(base) == ()
    assert files.list(head) == (CommitFile("x", "c" * 40, 1),)


def test_only_the_newest_lists_are_remembered() -> None:
    asked: list[str] = []

    def ask(*arguments: str, stdin: bytes = b"") -> bytes:
        assert stdin == b""
        asked.append(arguments[-1])
        return b""

    files = CommitFiles(ask)
    names = [CommitSha(f"{number:040}") for number in range(6)]
    for name in (*names, *names[-4:], names[0]):
        assert files.list(name) == ()
    assert asked == [*names, names[0]]


def test_two_commits_are_compared_once_and_a_name_that_can_move_each_time(
    project: Project,
) -> None:
    asked: list[tuple[str, ...]] = []

    def ask(*arguments: str, stdin: bytes = b"") -> bytes:
        asked.append(arguments[-2:])
        return project.ask(*arguments, stdin=stdin)

    files, head = CommitFiles(ask), CommitSha("HEAD")
    old, new = project.commit({"a": b"a"}), project.commit({"a": b"b"})
    assert files.changes(old, new) is files.changes(old, new)
    assert files.changes(old, head) == files.changes(old, head) == files.changes(old, new)
    assert files.changes(new, old) != files.changes(old, new)
    assert asked == [(old, new), (old, head), (old, head), (new, old)]
