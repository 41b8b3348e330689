"""Names that decide."""

import pytest

from supervisor_ai.context.path_rules import SECRET_FILES, Patterns, is_sane
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
