import pytest

from supervisor_ai.definitions.schema import scalars


def test_command_lines_are_split_into_words() -> None:
    assert scalars.words("python3 -m pytest -k 'a b'") == ["python3", "-m", "pytest", "-k", "a b"]
    assert scalars.words(["make", "test"]) == ["make", "test"]


@pytest.mark.parametrize("line", ["make lint && make test", "make lint; make test", "a | b"])
def test_a_command_line_that_needs_a_shell_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="is run without a shell"):
        scalars.words(line)


def test_an_open_quote_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be split into words: No closing quotation"):
        scalars.words("echo 'x")


@pytest.mark.parametrize("words", [[], [""], ["a", "b\0"]])
def test_commands_that_cannot_be_started(words: list[str]) -> None:
    with pytest.raises(ValueError, match=r"is empty|null character"):
        scalars.runnable(words)


@pytest.mark.parametrize("name", ["", "a/b", "../x", "1a", "a b", "a.lock", "x" * 65, "-a", "é"])
def test_names_that_cannot_stand_in_refs_and_paths(name: str) -> None:
    with pytest.raises(ValueError, match="is no usable name"):
        scalars.name(name)


def test_the_value_of_a_variable_has_no_null_character() -> None:
    with pytest.raises(ValueError, match="null character"):
        scalars.text("a\0b")


@pytest.mark.parametrize("path", ["x", "../x", "/a/../b", "${HOME}/x", "/a\0"])
def test_host_paths_are_absolute(path: str) -> None:
    with pytest.raises(ValueError, match="must be an absolute path"):
        scalars.host_path(path)


def test_a_host_path_may_begin_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert scalars.host_path("~/.cargo") == "/home/somebody/.cargo"


def test_a_command_may_go_on_in_the_next_line() -> None:
    assert scalars.words("gh pr create \\\n  --draft\n") == ["gh", "pr", "create", "--draft"]
