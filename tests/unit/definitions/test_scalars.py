from datetime import timedelta

import pytest

from supervisor_ai.definitions import scalars


@pytest.mark.parametrize(
    ("written", "length"),
    [
        ("30s", timedelta(seconds=30)),
        ("45m", timedelta(minutes=45)),
        ("2h", timedelta(hours=2)),
        ("1d", timedelta(days=1)),
        ("1h30m", timedelta(minutes=90)),
        (90, timedelta(seconds=90)),
        (0.5, timedelta(milliseconds=500)),
        ("250ms", timedelta(milliseconds=250)),
        ("0.5s", timedelta(milliseconds=500)),
        ("1s250ms", timedelta(milliseconds=1250)),
        ("1m5ms", timedelta(minutes=1, milliseconds=5)),
    ],
)
def test_durations(written: object, length: timedelta) -> None:
    assert scalars.duration(written) == length


@pytest.mark.parametrize(
    "written", ["", "45", "1.5h", "m", "30m1h", "5ms1s", ".5s", "1.s", True, [1], None]
)
def test_what_is_no_duration(written: object) -> None:
    with pytest.raises(ValueError, match="must be a duration such as 250ms, 30s, 45m, 2h or 14d"):
        scalars.duration(written)


@pytest.mark.parametrize("written", [0, -1, -1e300, "0s", "0ms", "0.0s", "367d", 1e300, "999999d"])
def test_durations_that_cannot_be_meant(written: object) -> None:
    with pytest.raises(ValueError, match="longer than nothing and at most a year"):
        scalars.duration(written)


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
