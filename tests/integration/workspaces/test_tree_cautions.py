import subprocess
from pathlib import Path

import pytest

from supervisor_ai.workspaces.repositories.repository import GitRepository


@pytest.fixture
def place(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def commit(place: Path) -> GitRepository:
    git = ["git", "-C", str(place), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "a"], check=True)
    return GitRepository(place)


def test_submodules_lfs_and_large_files_are_named(place: Path) -> None:
    assert commit(place).head_cautions() == ()
    link = f"160000,{'1' * 40},third/party"
    (place / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    with (place / "huge").open("wb") as file:
        file.truncate(60 << 20)
    subprocess.run(["git", "-C", place, "add", "-A"], check=True)
    words = ["git", "-C", str(place), "update-index", "--add", "--cacheinfo", link]
    subprocess.run(words, check=True)
    (place / "third/party").mkdir(parents=True)
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(place), *author, "commit", "-qm", "b"], check=True)
    submodule, large, pointers = GitRepository(place).head_cautions()
    assert "'third/party'" in submodule
    assert "60 MiB" in large
    assert "LFS" in pointers


def test_a_project_is_known_by_the_names_of_its_manifests(place: Path) -> None:
    (place / "pyproject.toml").write_text('[project]\nname = "My.Shop"\n')
    (place / "part").mkdir()
    (place / "part/setup.py").write_text("setup(\n    name='cart_tool',\n)\n")
    (place / "part/setup.cfg").write_text("[metadata]\nname = desk\n")
    (place / "broken").mkdir()
    (place / "broken/pyproject.toml").write_text("[project\n")
    repository = commit(place)
    found = repository.distributions(repository.resolve(None).sha)
    assert found == {"my-shop", "cart-tool", "desk"}


def test_a_project_that_ignores_our_settings_is_told_how_to_commit_them(place: Path) -> None:
    (place / ".gitignore").write_text(".*\n")
    [caution] = commit(place).head_cautions()
    assert "they need `git add --force`, as `supervisor init --commit` does it." in caution
    (place / ".gitignore").write_text("build/\n")
    assert commit(place).head_cautions() == ()
