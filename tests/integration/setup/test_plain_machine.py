"""The machine on which end-to-end tests happen."""

import subprocess
from pathlib import Path

import pytest
from tests.support.plain_machine import bare_python, plain_environment


def test_its_interpreter_knows_no_packages(tmp_path: Path) -> None:
    place = bare_python(tmp_path / "build" / "bare")
    question = "import importlib.metadata as it; print([each.name for each in it.distributions()])"
    said = subprocess.run(
        [place / "python3", "-c", question], capture_output=True, text=True, check=True, cwd="/"
    )
    assert said.stdout == "[]\n"


def test_an_interpreter_that_is_gone_is_made_anew(tmp_path: Path) -> None:
    place = bare_python(tmp_path / "bare")
    (place / "python3").unlink()
    (place / "python3").symlink_to(tmp_path / "gone")
    assert bare_python(tmp_path / "bare") == place
    assert (place / "python3").exists()
    assert [it.name for it in tmp_path.iterdir()] == ["bare"]


def test_nothing_is_said_to_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYENV_ROOT", "/opt/pyenv")
    monkeypatch.setenv("JAVA_HOME", "/opt/java")
    monkeypatch.setenv("EDITOR", "true")
    found = plain_environment()
    assert found.keys().isdisjoint({"PYENV_ROOT", "JAVA_HOME"})
    assert found["EDITOR"] == "true"
