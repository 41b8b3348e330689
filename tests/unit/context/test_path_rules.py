"""Names that decide."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec
from tests.support.example_counts import examples

from supervisor_ai.context.path_rules import SECRET_FILES, PathRules, Patterns, is_sane
from supervisor_ai.control.ports.commits import CommitFile
from supervisor_ai.domain.errors import InvalidInput


@pytest.mark.parametrize(
    ("path", "is_secret"),
    [
        (".env", True),
        ("deploy/.env.production", True),
        (".env.example", False),
        ("certs/server.pem", True),
        ("home/id_ed25519", True),
        ("src/id_map.py", False),
        ("infra/terraform.tfstate", True),
        (".netrc", True),
        ("web/.npmrc", True),
        ("src/environment.py", False),
    ],
)
def test_files_made_for_secrets_are_known_by_their_names(path: str, is_secret: bool) -> None:  # noqa: FBT001 - a table
    assert Patterns(SECRET_FILES).match(path) is is_secret


def test_no_pattern_matches_nothing() -> None:
    assert not Patterns(()).match("a.py")


def test_the_last_pattern_decides() -> None:
    patterns = Patterns(["*.py", "!/keep.py"])
    assert patterns.match("a/b.py")
    assert not patterns.match("keep.py")


def test_a_pattern_that_cannot_be_read_is_named() -> None:
    with pytest.raises(InvalidInput, match="'!'"):
        Patterns(["!"]).match("a")


@pytest.mark.parametrize("pattern", ["*a*a*a*b", "**/a/**/a/**/a/**/a/**/b"])
def test_a_pattern_that_could_take_forever_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInput, match="too many stars"):
        Patterns([pattern]).match("a" * 200)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a" * 255, True), ("a/" * 60 + "b", True), ("a/" * 61 + "b", False), ("a" * 1001, False)],
)
def test_a_path_without_measure_is_never_shown(path: str, expected: bool) -> None:  # noqa: FBT001 - a table
    assert is_sane(path) is expected


def test_equal_patterns_are_compiled_and_matched_once() -> None:
    rules = PathRules()
    assert rules.patterns(("*.py",)) is rules.patterns(["*.py"])
    assert rules.patterns(("*.py",)).match("a.py")
    assert not rules.patterns(("*.md",)).match("a.py")
    kept = rules.patterns(("*.py",))
    for number in range(100):
        rules.patterns((f"{number}.py",))
    assert rules.patterns(("*.py",)) is not kept


_PART = st.sampled_from(["a", "b", ".env", "x.py", "x.pem", "id_x", "a b", "*", "**", "ä.py"])
_GLOB = _PART | st.sampled_from(["*.py", "id_*", ".env*", "a*b", "?.py", "[ab]", "*.*", "."])
_PATTERN = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "!", "/"]),
    st.lists(_GLOB, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "/"]),
    st.sampled_from(["", " "]),
)
_PATH = st.lists(_PART.filter(lambda part: "*" not in part), min_size=1, max_size=4).map("/".join)


@given(patterns=st.lists(_PATTERN, min_size=1, max_size=5), path=_PATH)
@settings(max_examples=examples(400))
def test_a_path_without_a_sign_is_one_that_no_pattern_chooses(
    patterns: list[str], path: str
) -> None:
    expected = GitIgnoreSpec.from_lines(patterns, backend="simple").match_file(path)
    assert Patterns(patterns).match(path) is expected


@given(path=_PATH)
def test_the_secret_files_are_those_that_the_patterns_name(path: str) -> None:
    expected = GitIgnoreSpec.from_lines(SECRET_FILES, backend="simple").match_file(path)
    assert Patterns(SECRET_FILES).match(path) is expected


@given(
    patterns=st.lists(_PATTERN, min_size=1, max_size=5),
    paths=st.lists(_PATH, unique=True, max_size=12),
)
@settings(max_examples=examples(200))
def test_many_paths_are_chosen_as_each_alone(patterns: list[str], paths: list[str]) -> None:
    spec = GitIgnoreSpec.from_lines(patterns, backend="simple")
    assert Patterns(patterns).chosen(paths) == [path for path in paths if spec.match_file(path)]


PATHS = st.sampled_from(["a.py", "b/secret", "b/c.txt", "é", "/".join("x" * 70), "y" * 1001])


@given(st.lists(PATHS, unique=True), st.sampled_from([(), ("b/",), ("*.py",)]))
def test_what_is_visible_is_what_is_sane_and_nobody_hides(
    paths: list[str], hides: tuple[str, ...]
) -> None:
    rules, files = PathRules(), tuple(CommitFile(path, "0" * 40, 1) for path in paths)
    hidden, excluded = rules.patterns(hides), rules.patterns(("secret",))
    wanted = [
        path
        for path in paths
        if is_sane(path) and not hidden.match(path) and not excluded.match(path)
    ]
    assert list(rules.visible(files, hidden, excluded)) == wanted


def test_a_list_is_looked_through_once_for_the_same_rules() -> None:
    rules = PathRules()
    none, some = rules.patterns(()), rules.patterns(("a",))
    lists = [(CommitFile("a", str(at), 1), CommitFile("b", str(at), 1)) for at in range(5)]
    first = rules.visible(lists[0], none, none)
    assert rules.visible(lists[0], none, none) is first
    assert list(rules.visible(lists[0], some, none)) == ["b"]
    assert [rules.visible(it, none, none)["a"].blob for it in lists] == list("01234")
    assert rules.visible(lists[0], none, none) == first
