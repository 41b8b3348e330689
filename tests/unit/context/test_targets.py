"""Which files a task is about."""

from supervisor_ai.context.targets import mentioned, named, rule_files

PATHS = (
    "AGENTS.md",
    "README.md",
    "src/AGENTS.md",
    "src/CLAUDE.md",
    "src/app/CLAUDE.md",
    "src/app/GEMINI.md",
    "src/app/main.py",
    "src/app/views.py",
    "tests/views.py",
)


def test_paths_in_a_text_are_found() -> None:
    text = "Fix `src/app/main.py:12`, see ./README.md. Not src/app/other.py, (tests/views.py)."
    assert mentioned(text, PATHS) == ("src/app/main.py", "README.md", "tests/views.py")


def test_an_ending_is_enough_where_only_one_path_has_it() -> None:
    assert mentioned("main.py and app/views.py", PATHS) == ("src/app/main.py", "src/app/views.py")
    assert mentioned("views.py", PATHS) == ()


def test_a_long_text_without_paths_names_nothing() -> None:
    assert mentioned("a/" * 300_000, PATHS) == ()


def test_targets_are_files_directories_or_patterns() -> None:
    assert named(["./src/app/main.py", "src/app", "*.md", "gone.py"], PATHS) == {
        "./src/app/main.py": ("src/app/main.py",),
        "src/app": (
            "src/app/CLAUDE.md",
            "src/app/GEMINI.md",
            "src/app/main.py",
            "src/app/views.py",
        ),
        "*.md": ("AGENTS.md", "README.md"),
        "gone.py": (),
    }


def test_the_nearest_rules_come_first_and_one_file_of_a_directory_counts() -> None:
    found = rule_files(["src/app/main.py"], PATHS, "gpt-5")
    assert found == ("src/app/CLAUDE.md", "src/AGENTS.md", "AGENTS.md")


def test_a_cli_prefers_its_own_rules() -> None:
    assert rule_files(["src/app/main.py"], PATHS, "claude-opus-5")[1] == "src/CLAUDE.md"
    assert rule_files(["src/app/main.py"], PATHS, "gemini")[0] == "src/app/GEMINI.md"


def test_without_targets_the_rules_of_the_root_hold() -> None:
    assert rule_files([], PATHS, "") == ("AGENTS.md",)
