"""Knowledge stores as files: in commits and in directories, whatever lies there."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.integration.context.real_git import Project

from supervisor_ai.control.ports.knowledge import FILE_BYTES
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput, Unavailable
from supervisor_ai.domain.knowledge.provenance import LookCommit
from supervisor_ai.workspaces.knowledge.commits import CommitKnowledge
from supervisor_ai.workspaces.knowledge.folder import CheckoutGuides, DirectoryKnowledge
from supervisor_ai.workspaces.repositories.git import Git

A = "docs/knowledge/conventions/a.md"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def commits(project: Project) -> CommitKnowledge:
    return CommitKnowledge(Git(directory=project.root / ".git"))


@pytest.fixture
def folder(tmp_path: Path) -> DirectoryKnowledge:
    return DirectoryKnowledge(tmp_path, "docs/knowledge")


def test_the_store_of_a_commit_is_read(project: Project, commits: CommitKnowledge) -> None:
    outside = project.root.parent / "outside.md"
    outside.write_text("secret")
    store = project.root / "docs" / "knowledge" / "design"
    store.mkdir(parents=True)
    (store / "link.md").symlink_to(outside)
    first = project.commit({A: b"one", "docs/other.md": b"x"})
    big = "docs/knowledge/design/big.md"
    second = project.commit({A: b"two", big: b"x" * (FILE_BYTES + 1), "src/a.py": b""})
    files = {it.path: it for it in commits.read(second)}
    assert files["conventions/a.md"].content == b"two"
    assert "symbolic link" in files["design/link.md"].trouble
    assert files["design/link.md"].content is None
    assert "at most 65536 are read" in files["design/big.md"].trouble
    assert [it.content for it in commits.read(first) if it.content] == [b"one"]
    assert commits.changed(first, second) == {"conventions/a.md", "design/big.md"}
    assert commits.stamp(first) != commits.stamp(second)


def test_of_later_commits_only_those_of_looks_count(
    project: Project, commits: CommitKnowledge
) -> None:
    base = project.commit({A: b"one", "docs/knowledge/design/b.md": b"kept"})
    (project.root / "docs/knowledge/design/b.md").unlink()
    store = project.root / "docs/knowledge"
    (store / "design/link.md").symlink_to("../conventions/a.md")
    worker = project.commit({A: b"_Status: deprecated_", "docs/knowledge/Conventions/A.md": b"x"})
    (store / "design/link.md").unlink()
    look = project.commit({A: b"more", "docs/knowledge/lessons/l.md": b"learnt"})
    looks = (LookCommit(before=worker, commit=look),)
    found = {it.path: it.content for it in commits.read(base, looks)}
    assert found == {
        "conventions/a.md": b"one",
        "design/b.md": b"kept",
        "lessons/l.md": b"learnt",
    }
    assert commits.stamp(base, looks) not in {None, commits.stamp(base)}


def test_a_commit_may_have_no_store(project: Project, commits: CommitKnowledge) -> None:
    commit = project.commit({"a.py": b""})
    assert (commits.stamp(commit), commits.read(commit)) == (None, ())
    (project.root / "docs").symlink_to("/etc")
    linked = project.commit({"b.py": b""})
    assert (commits.stamp(linked), commits.read(linked)) == (None, ())


def test_a_directory_is_read_and_nothing_that_a_link_leads_to(
    tmp_path: Path, folder: DirectoryKnowledge
) -> None:
    assert (folder.stamp(), folder.read()) == (None, [])
    design = tmp_path / "docs" / "knowledge" / "design"
    design.mkdir(parents=True)
    (tmp_path / "outside.md").write_text("secret")
    (design / "link.md").symlink_to(tmp_path / "outside.md")
    (design / "linked").symlink_to(tmp_path)
    (design / "big.md").write_bytes(b"x" * (FILE_BYTES + 1))
    (design / "a.md").write_text("one")
    os.mkfifo(design / "pipe.md")
    stamp = folder.stamp()
    files = {it.path: it for it in folder.read()}
    assert files["design/a.md"].content == b"one"
    assert {it for it, file in files.items() if file.content is None} == {
        "design/link.md",
        "design/linked",
        "design/big.md",
        "design/pipe.md",
    }
    assert all("secret" not in repr(file) for file in files.values())
    (design / "a.md").write_text("other")
    assert folder.stamp() != stamp


def test_a_linked_store_is_no_store(tmp_path: Path, folder: DirectoryKnowledge) -> None:
    (tmp_path / "elsewhere" / "knowledge" / "design").mkdir(parents=True)
    (tmp_path / "elsewhere" / "knowledge" / "design" / "a.md").write_text("x")
    (tmp_path / "docs").symlink_to(tmp_path / "elsewhere")
    assert (folder.stamp(), folder.read()) == (None, [])
    with pytest.raises(Unavailable, match="cannot be written"):
        folder.put({"design/b.md": b"x"})
    assert not (tmp_path / "elsewhere" / "knowledge" / "design" / "b.md").exists()


def test_files_are_written_but_never_through_a_link(
    tmp_path: Path, folder: DirectoryKnowledge
) -> None:
    folder.put({"design/a.md": b"one", "_index.md": b"index"})
    folder.put({"design/a.md": b"two"})
    store = tmp_path / "docs" / "knowledge"
    assert (store / "design" / "a.md").read_bytes() == b"two"
    (tmp_path / "victim").write_text("kept")
    (store / "design" / "b.md").symlink_to(tmp_path / "victim")
    with pytest.raises(Denied, match="no regular file"):
        folder.put({"design/b.md": b"x"})
    assert (tmp_path / "victim").read_text() == "kept"


def test_of_many_who_saw_the_same_store_one_writes(folder: DirectoryKnowledge) -> None:
    folder.put({"design/a.md": b"first"})
    seen = folder.stamp()

    def write(number: int) -> bool:
        try:
            folder.write({"design/a.md": b"by %d" % number}, stamp=seen)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        written = list(threads.map(write, range(8)))

    assert sum(written) == 1
    kept = {file.path: file.content for file in folder.read()}
    assert kept == {"design/a.md": b"by %d" % written.index(True)}


def test_files_for_agents_are_read_and_written_as_they_are(tmp_path: Path) -> None:
    guides = CheckoutGuides(tmp_path)
    assert guides.read("AGENTS.md") is None
    guides.write("AGENTS.md", None, before=None)
    guides.write("AGENTS.md", "# Ä\r\n", before=None)
    assert guides.read("AGENTS.md") == "# Ä\r\n"
    with pytest.raises(Conflict, match="Nothing was written"):
        guides.write("AGENTS.md", None, before="# Other\r\n")
    guides.write("AGENTS.md", None, before="# Ä\r\n")
    assert not (tmp_path / "AGENTS.md").exists()
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    with pytest.raises(Denied, match="no regular file"):
        guides.read("CLAUDE.md")
    (tmp_path / "GEMINI.md").write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        guides.read("GEMINI.md")
    (tmp_path / "GEMINI.md").write_bytes(b"x" * (1 << 20 | 1))
    with pytest.raises(InvalidInput, match="more than"):
        guides.read("GEMINI.md")
