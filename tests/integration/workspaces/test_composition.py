import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
FILES = {"README": "hello\n", "src/a.py": "a\n", "run.sh": "#!/bin/sh\n"}


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def workspaces(user: ScratchRepository, tmp_path: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), tmp_path / "state")


def modes(user: ScratchRepository, commit: str) -> dict[str, str]:
    lines = user.git.run("ls-tree", "-r", "--full-tree", commit).text.splitlines()
    return {line.partition("\t")[2]: line[:6] for line in lines}


def test_the_mode_of_a_file_stays_and_a_link_becomes_a_file(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    user.write(FILES)
    (user.path / "run.sh").chmod(0o755)
    (user.path / "link").symlink_to("/etc/passwd")
    base = user.commit()
    contents = {"run.sh": b"#!/bin/bash\n", "link": b"plain\n", "new": b"new\n"}
    made = asyncio.run(workspaces.compose(base, contents, at=AT))
    assert modes(user, made.commit) == {
        "README": "100644",
        "link": "100644",
        "new": "100644",
        "run.sh": "100755",
        "src/a.py": "100644",
    }


def test_the_mode_of_a_file_that_comes_back_is_that_of_another_commit(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    user.write(FILES)
    (user.path / "run.sh").chmod(0o755)
    before = user.commit()
    (user.path / "run.sh").unlink()
    (user.path / "README").chmod(0o755)
    head = user.commit()
    contents = {"run.sh": b"#!/bin/sh\n", "README": b"hello\n"}
    made = asyncio.run(workspaces.compose(head, contents, at=AT, modes_of=before))
    assert modes(user, made.commit) == modes(user, before)


def test_a_composed_commit_lies_on_top_of_the_base_and_no_ref_keeps_it(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    base = user.commit(FILES)
    before = user.git.run("show-ref").text, user.git.run("status", "--porcelain").text
    made = asyncio.run(workspaces.compose(base, {"README": b"other\n"}, at=AT))
    assert user.git.run("rev-parse", f"{made.commit}^").text == base
    assert (user.git.run("show-ref").text, user.git.run("status", "--porcelain").text) == before
    assert list((tmp_path / "state").iterdir()) == []


def test_any_bytes_and_names_are_kept(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    base = user.commit(FILES | {".gitattributes": "* text=auto eol=lf\n"})
    content, name = b"\x00\xff\r\nno end", "new\nline \udcff"
    made = asyncio.run(workspaces.compose(base, {name: content}, at=AT))
    raw = name.encode(errors="surrogateescape")
    assert user.git.run("cat-file", "blob", made.commit.encode() + b":" + raw).output == content


@pytest.mark.parametrize("path", ["git~1", "a/.g\u200cit/x", ".git ", "x" * 5000])
def test_names_that_some_system_takes_for_a_git_directory_are_refused(
    user: ScratchRepository, workspaces: GitWorkspaces, path: str
) -> None:
    base = user.commit(FILES)
    with pytest.raises(InvalidInput, match="cannot be one"):
        asyncio.run(workspaces.compose(base, {path: b"x"}, at=AT))


def test_what_gits_own_check_refuses_is_not_composed(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    evil = b'[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'
    with pytest.raises(InvalidInput, match=r"refuses the files '\.gitmodules'"):
        asyncio.run(workspaces.compose(base, {".gitmodules": evil}, at=AT))


def test_too_many_files_are_refused(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    base = user.commit(FILES)
    contents = {f"f{number}": b"" for number in range(10_001)}
    with pytest.raises(InvalidInput, match="too many"):
        asyncio.run(workspaces.compose(base, contents, at=AT))
