import os
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Denied, InvalidInput, NotFound, Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Identity
from supervisor_ai.engine.ports.workspaces import Repository
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository, difference

FILES = {"README": "hello\n", "web/app/main.py": "print(1)\n", "web/x.md": "x\n"}


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


def test_a_subdirectory_leads_to_the_top_of_the_work_tree(user: ScratchRepository) -> None:
    user.commit(FILES)
    repository: Repository = GitRepository(user.path / "web" / "app")
    assert repository.root == user.path
    assert repository.state_directory == user.path / ".supervisor"


def test_linked_work_trees_share_the_state_but_have_their_own_head(
    user: ScratchRepository, tmp_path: Path
) -> None:
    user.commit(FILES)
    user.git.run("worktree", "add", "--quiet", "-b", "side", tmp_path / "linked")
    side = Git(directory=user.path / ".git" / "worktrees" / "linked", work_tree=tmp_path / "linked")
    (tmp_path / "linked" / "README").write_text("side\n")
    side.run("commit", "--quiet", "-am", "side")
    repository = GitRepository(tmp_path / "linked")
    assert repository.root == user.path
    assert repository.state_directory == user.path / ".supervisor"
    assert repository.resolve(None).ref == "side"
    assert repository.resolve(None).sha == repository.branch_tip("side")
    assert repository.resolve(None).sha != GitRepository(user.path).resolve(None).sha


def test_linked_work_trees_of_a_bare_repository_share_its_directory(
    user: ScratchRepository, tmp_path: Path
) -> None:
    user.commit(FILES)
    bare = Git(directory=tmp_path / "bare.git")
    bare.directory.mkdir()
    bare.run("init", "--bare", "--initial-branch=main")
    source = f"{user.path}/.git/objects\n"
    (bare.directory / "objects" / "info" / "alternates").write_text(source)
    bare.run("update-ref", "refs/heads/main", GitRepository(user.path).resolve(None).sha)
    for name in ("one", "two"):
        bare.run("worktree", "add", "--quiet", "-b", name, tmp_path / name, "main")
    one, two = GitRepository(tmp_path / "one"), GitRepository(tmp_path / "two")
    assert (one.root, two.root) == (tmp_path / "one", tmp_path / "two")
    assert one.state_directory == two.state_directory == bare.directory / ".supervisor"


def test_a_separate_git_directory_is_found(tmp_path: Path) -> None:
    apart = ScratchRepository(tmp_path / "home")
    apart.commit(FILES)
    apart.git.directory.rename(tmp_path / "apart")
    (tmp_path / "home" / ".git").write_text(f"gitdir: {tmp_path / 'apart'}\n")
    repository = GitRepository(tmp_path / "home")
    assert repository.root == tmp_path / "home"
    assert repository.git.directory == tmp_path / "apart"


def test_a_commit_is_found_by_name_with_its_tree(user: ScratchRepository) -> None:
    commit = user.commit(FILES)
    user.git.run("tag", "-a", "v1", "-m", "first")
    repository = GitRepository(user.path)
    tree = user.git.run("rev-parse", "HEAD^{tree}").text
    for name in ("main", "v1", commit, commit[:8], "HEAD"):
        found = repository.resolve(name)
        assert (found.ref, found.sha, found.tree) == (name, commit, tree)
    assert repository.resolve(None).ref == "main"


def test_a_detached_head_is_allowed(user: ScratchRepository) -> None:
    commit = user.commit(FILES)
    user.git.run("checkout", "--quiet", "--detach")
    base = GitRepository(user.path).resolve(None)
    assert (base.ref, base.sha) == ("HEAD", commit)


def test_sha256_repositories_work(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "long", object_format="sha256")
    commit = user.commit(FILES)
    assert len(commit) == 64
    assert GitRepository(user.path).resolve(None).sha == commit


def test_an_unknown_commit_is_not_found(user: ScratchRepository) -> None:
    user.commit(FILES)
    with pytest.raises(NotFound) as caught:
        GitRepository(user.path).resolve("nowhere")
    assert caught.value.message == f"No commit is called 'nowhere' in {str(user.path)!r}."


def test_a_folder_is_no_commit(user: ScratchRepository) -> None:
    user.commit(FILES)
    tree = GitRepository(user.path).resolve(None).tree
    with pytest.raises(NotFound, match=f"No commit is called '{tree}'"):
        GitRepository(user.path).resolve(tree)


def test_a_name_that_is_an_option_is_refused(user: ScratchRepository) -> None:
    user.commit(FILES)
    with pytest.raises(InvalidInput, match="A commit cannot be called '--all'"):
        GitRepository(user.path).resolve("--all")


def test_no_repository_is_said_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        GitRepository(tmp_path)
    assert caught.value.message == f"{str(tmp_path)!r} is not inside a git repository."
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("Run `git init` ")


def test_a_repository_that_git_cannot_read_is_unavailable(user: ScratchRepository) -> None:
    user.commit(FILES)
    (user.path / ".git/HEAD").write_bytes(bytes(64))
    (user.path / "below").mkdir()
    with pytest.raises(Unavailable, match="Git cannot read the repository"):
        GitRepository(user.path / "below")


def test_a_directory_that_does_not_exist_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="cannot be entered"):
        GitRepository(tmp_path / "nowhere")


def test_a_repository_without_a_commit_is_said_with_a_way_out(user: ScratchRepository) -> None:
    with pytest.raises(InvalidInput) as caught:
        GitRepository(user.path).resolve(None)
    assert caught.value.message == f"The repository {str(user.path)!r} has no commit yet."
    assert "git commit" in (caught.value.hint or "")


def test_a_bare_repository_is_refused(user: ScratchRepository) -> None:
    user.git.run("config", "core.bare", "true")
    with pytest.raises(InvalidInput, match="is a bare repository"):
        GitRepository(user.path / ".git")


def test_the_inside_of_a_git_directory_is_refused(user: ScratchRepository) -> None:
    with pytest.raises(InvalidInput, match="inside a git directory"):
        GitRepository(user.path / ".git" / "refs")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_foreign_repository_is_refused_as_git_does(
    user: ScratchRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commit = user.commit(FILES)
    for path in (user.path, user.git.directory):
        os.chown(path, 65534, 65534)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(Denied) as caught:
        GitRepository(user.path)
    assert "another user owns it" in caught.value.message
    assert f"safe.directory {user.path}" in (caught.value.hint or "")
    (tmp_path / ".gitconfig").write_text(f"[safe]\n\tdirectory = {user.path}\n")
    assert GitRepository(user.path).resolve(None).sha == commit


def test_files_are_read_and_listed_at_a_commit(user: ScratchRepository) -> None:
    commit = user.commit(FILES)
    (user.path / "link").symlink_to("README")
    head = user.commit({"README": "later\n"})
    repository = GitRepository(user.path)
    assert repository.read(commit, "README") == "hello\n"
    assert repository.read(head, "README") == "later\n"
    for absent in ("nothing", "web", "README/x", "", "a\nb", "../README"):
        assert repository.read(head, absent) is None
    assert repository.list(head, "web") == ("web/app/main.py", "web/x.md")
    assert repository.list(head, "web/") == ("web/app/main.py", "web/x.md")
    assert repository.list(head, ".") == ("README", "web/app/main.py", "web/x.md")
    assert repository.list(head, "nothing") == ()
    assert repository.list(head, "README") == ()


def test_hidden_directories_can_be_listed(user: ScratchRepository) -> None:
    commit = user.commit({".supervisor/config.yaml": "a: 1\n", "supervisor/x": "x\n"})
    assert GitRepository(user.path).list(commit, ".supervisor") == (".supervisor/config.yaml",)


def test_a_file_without_a_last_newline_or_with_other_bytes(user: ScratchRepository) -> None:
    (user.path / "latin").write_bytes(b"\xe9t\xe9")
    commit = user.commit({"bare": "no newline", "empty": ""})
    repository = GitRepository(user.path)
    assert (repository.read(commit, "bare"), repository.read(commit, "empty")) == ("no newline", "")
    with pytest.raises(InvalidInput, match=r"'latin' .* is not UTF-8 text"):
        repository.read(commit, "latin")


def test_the_identity_is_the_configured_one(user: ScratchRepository) -> None:
    assert GitRepository(user.path).identity() == Identity(name="Ada", email="ada@example.org")


def test_without_a_configured_identity_there_is_one_of_ours(
    user: ScratchRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    user.git.run("config", "--unset", "user.name")
    user.git.run("config", "--unset", "user.email")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    repository = GitRepository(user.path)
    assert repository.identity() == Identity(name="Supervisor", email="supervisor@localhost")
    (tmp_path / "gitconfig").write_text("[user]\n\tname = Grace\n")
    assert repository.identity() == Identity(name="Grace", email="supervisor@localhost")


def test_a_dirty_checkout_is_seen_and_left_alone(user: ScratchRepository) -> None:
    user.commit(FILES)
    repository = GitRepository(user.path)
    assert not repository.is_dirty()
    # A changed time alone makes plain `git status` write the index.
    os.utime(user.path / "README", (1, 1))
    index = (user.path / ".git" / "index").read_bytes()
    assert not repository.is_dirty()
    user.write({"untracked": "x\n"})
    assert repository.is_dirty()
    assert (user.path / ".git" / "index").read_bytes() == index


def test_inherited_git_variables_are_ignored(
    user: ScratchRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commit = user.commit(FILES)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert GitRepository(user.path).resolve(None).sha == commit


def test_a_difference_is_summed_up(user: ScratchRepository) -> None:
    base = user.commit(FILES)
    head = user.commit({"README": "hello\nworld\n"})
    stat = GitRepository(user.path).diff_stat(base, head)
    assert stat == " README | 1 +\n 1 file changed, 1 insertion(+)\n"


def test_a_branch_is_taken_by_its_exact_name(user: ScratchRepository) -> None:
    commit = user.commit(FILES)
    user.git.run("branch", "ai/one")
    repository = GitRepository(user.path)
    assert repository.branch_tip("ai/one") == commit
    for name in ("ai", "one", "ai/one@{0}", "ai/one^{}", "nowhere"):
        assert repository.branch_tip(name) is None


def test_programs_that_the_configuration_names_do_not_run(
    user: ScratchRepository, tmp_path: Path
) -> None:
    base, marker = user.commit(FILES), tmp_path / "marker"
    head = user.commit({"README": "changed\n", ".gitattributes": "* diff=evil\n"})
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {marker}\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "diff.evil.command", "diff.evil.textconv"):
        user.git.run("config", key, str(trap))
    repository = GitRepository(user.path)
    repository.resolve(None)
    repository.is_dirty()
    assert "+changed" in difference(repository.git, "--patch", base, head)
    assert "README" in repository.diff_stat(base, head)
    assert repository.list(CommitSha(head), "")
    assert not marker.exists()


def test_a_commit_that_is_gone_is_not_there(user: ScratchRepository) -> None:
    commit = user.commit({"README": "hello\n"})
    repository = GitRepository(user.path)
    assert repository.has_commit(commit)
    assert not repository.has_commit(CommitSha("1" * 40))
    blob = user.git.run("rev-parse", f"{commit}:README").text
    assert not repository.has_commit(CommitSha(blob))


def test_attributes_of_the_repository_hide_no_change(user: ScratchRepository) -> None:
    base = user.commit({".gitattributes": "*.py -diff\n", "a.py": "a = 1\n"})
    head = user.commit({"a.py": "a = 2\n"})
    repository = GitRepository(user.path)
    shown = difference(repository.git, "--patch", CommitSha(base), CommitSha(head))
    assert "+a = 2" in shown


def test_ignored_files_are_listed_where_others_are_not_ignored(user: ScratchRepository) -> None:
    user.commit(FILES | {".gitignore": "made.py\n/cache/\n"})
    user.write({"web/app/made.py": "1\n", "cache/made.py": "2\n", "web/app/new.py": "3\n"})
    repository = GitRepository(user.path)
    assert repository.ignored_files() == ("web/app/made.py",)
    assert "web/app/new.py" in repository.files()
