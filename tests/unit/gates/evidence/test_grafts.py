"""Files that hold both halves: the base's harness in the head's product."""

import json
import tomllib

import pytest

from supervisor_ai.gates.evidence.build_lists import graft_build
from supervisor_ai.gates.evidence.settings_graft import settings_graft
from supervisor_ai.gates.evidence.source_graft import graft_source
from supervisor_ai.gates.evidence.toml_graft import NoGraft

PYPROJECT = """\
# The build.
[build-system]
requires = ["hatchling"]

[project]
name = "shop"
dependencies = [
  "one", # [tool.pytest]
]

[tool.pytest.ini_options]
addopts = "-q"

[tool.ruff]
line-length = 100
[tool.ruff.lint]
"""
CARGO = """\
[package]
name = "shop"

[features]
default = ["slow"]
slow = []

[[test]]
name = "it"

[dev-dependencies]
rstest = "1"
"""
RUST = """\
//! Shop.
//!
//! ```
//! assert_eq!(shop::one(), 1);
//! ```
use std::fmt;

/// One.
///
/// ```
/// assert_eq!(shop::one(), 1);
/// ```
#[inline]
pub fn one() -> i32 { 1 }

mod inner {
    pub fn two() -> i32 { 2 }
    #[cfg(test)]
    mod tests {
        #[test]
        fn two() { assert_eq!(super::two(), 2); }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn one() { assert_eq!(super::one(), 1); }
}
"""
PYTHON = '''\
"""Shop.

>>> one()
1
"""


def one():
    """Return one.

    >>> one()
    1
    """
    return 1


def test_one():
    assert one() == 1


if __name__ == "__main__":
    import doctest

    doctest.testmod()
'''


def settings(path: str, before: str, after: str) -> str:
    graft = settings_graft(path)
    assert graft is not None
    return graft(before, after)


def source(path: str, before: str, after: str) -> str | None:
    made = graft_source(path, before.encode(), after.encode())
    return None if made is None else made.decode()


# Settings


def test_a_pyproject_keeps_what_judges_and_takes_what_is_needed() -> None:
    after = PYPROJECT.replace('"one",', '"one", "two",').replace("-q", "-k nothing")
    after = after.replace('name = "shop"', 'name = "shop"\ndescription = """\n[tool.x]\n"""')
    after += '[tool.coverage.run]\nomit = ["*"]\n[tool.setuptools]\nzip-safe = true\n'
    made = tomllib.loads(settings("pyproject.toml", PYPROJECT, after))
    wanted = tomllib.loads(after)
    wanted["tool"]["pytest"] = {"ini_options": {"addopts": "-q"}}
    del wanted["tool"]["coverage"]
    assert made == wanted


def test_a_pyproject_whose_harness_did_not_change_stays_as_it_is() -> None:
    after = PYPROJECT.replace('"one",', '"one", "two",')
    assert settings("pyproject.toml", PYPROJECT, after) == after


@pytest.mark.parametrize(
    "after",
    [
        'tool = {pytest = {ini_options = {addopts = "-k nothing"}}}\n',
        '[tool]\npytest = {ini_options = {addopts = "-k nothing"}}\nhatch = {envs = {}}\n',
        "[project\n",
    ],
)
def test_settings_that_are_woven_together_are_no_graft(after: str) -> None:
    with pytest.raises(NoGraft):
        settings("pyproject.toml", PYPROJECT, after + "[project]\n" * after.startswith("tool"))


def test_a_plugin_of_pytest_that_the_product_brings_is_the_harness() -> None:
    after = PYPROJECT + '[project.entry-points.pytest11]\nliar = "shop.liar"\n'
    assert settings("pyproject.toml", PYPROJECT, after) == PYPROJECT


def test_cargo_keeps_targets_features_profiles_and_crates_of_tests() -> None:
    after = CARGO.replace('["slow"]', "[]").replace('"it"', '"it"\nharness = false')
    after = after.replace('rstest = "1"', 'rstest = {path = "fake"}\nnew = "2"')
    after += '[patch.crates-io]\nproptest = {path = "fake"}\n[profile.test]\ndebug = false\n'
    after += '[dependencies]\nserde = "1"\n'
    made = tomllib.loads(settings("Cargo.toml", CARGO, after))
    assert made == tomllib.loads(CARGO) | {
        "dev-dependencies": {"rstest": "1", "new": "2"},
        "dependencies": {"serde": "1"},
    }


def test_cargo_takes_what_the_head_adds_to_the_default_features() -> None:
    after = CARGO.replace('["slow"]', '["slow", "std"]\nstd = []')
    assert settings("Cargo.toml", CARGO, after) == after


def test_package_json_keeps_scripts_and_runners_and_takes_dependencies() -> None:
    before = {"scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}, "jest": {"a": 1}}
    after = {
        "name": "shop",
        "scripts": {"test": "true"},
        "devDependencies": {"jest": "file:fake", "new": "2", "other": "link:x"},
        "mocha": {},
    }
    made = json.loads(settings("package.json", json.dumps(before), json.dumps(after)))
    assert made == {**before, "name": "shop", "devDependencies": {"jest": "1", "new": "2"}}


def test_package_json_is_written_as_the_side_that_says_the_same() -> None:
    before, after = '{"scripts":{"test":"jest"}}', '{"scripts":  {"test":"jest"}, "main": "a.js"}'
    assert settings("package.json", before, after) == after
    assert settings("package.json", before, '{"scripts": {"test": "true"}}') == before
    with pytest.raises(NoGraft):
        settings("package.json", before, "[]")


def test_setup_cfg_keeps_the_sections_of_tools() -> None:
    before = "[metadata]\nname = a\n[tool:pytest]\naddopts = -q\n"
    after = "[metadata]\nname = b\n[tool:pytest]\naddopts = -k no\n[coverage:run]\nomit = *\n"
    wanted = "[metadata]\nname = b\n[tool:pytest]\naddopts = -q\n"
    assert settings("setup.cfg", before, after) == wanted


def test_go_mod_lets_nothing_stand_in_for_a_module_that_the_base_has() -> None:
    before = "module shop\n\nrequire github.com/stretchr/testify v1.8.0\n"
    after = (
        "module shop\n\nrequire (\n\tgithub.com/stretchr/testify v1.8.0\n"
        "\texample.com/new v0.0.0\n)\n\nreplace (\n\tgithub.com/stretchr/testify => ./fake\n"
        "\texample.com/new => ./new\n)\n"
    )
    made = settings("go.mod", before, after)
    assert "./fake" not in made
    assert "replace example.com/new => ./new\n" in made
    assert "example.com/new v0.0.0" in made
    assert settings("go.mod", before, before + "// more\n") == before + "// more\n"


def test_composer_and_deno_keep_their_scripts() -> None:
    before, after = {"scripts": {"test": "phpunit"}}, {"name": "a", "scripts": {"test": "true"}}
    made = json.loads(settings("composer.json", json.dumps(before), json.dumps(after)))
    assert made == {"name": "a", **before}
    before, after = {"tasks": {"test": "deno test"}}, {"imports": {"a": "b"}, "tasks": {}}
    made = json.loads(settings("deno.json", json.dumps(before), json.dumps(after)))
    assert made == {"imports": {"a": "b"}, **before}


# Builds


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (
            "O = a.o\ntest:\n\t./run\n",
            "O = a.o c.o -lm\ntest:\n\ttrue # c.o\n",
            "O = a.o c.o -lm\ntest:\n\t./run\n",
        ),
        ("add_library(x a.c old.c)\n", "add_library(x a.c c.c)\n", "add_library(x a.c c.c)\n"),
        ("test:\n\t./run c.o d\n", "test:\n\techo c.o\n", "test:\n\t./run c.o d\n"),
        ("test: c.o d\n", "test: d c.o e\n", "test: c.o d\n"),
        ("needs {\n}\n", "needs {\n  api 'a:b:1'\n}\n", "needs {\n  api 'a:b:1'\n}\n"),
        ("<build>\n", "<build>\n<skipTests>true</skipTests>\n", "<build>\n"),
        ("a\n", "CFLAGS += -O2 -lm\na\n", "CFLAGS += -O2 -lm\na\n"),
        ("a\n", "CFLAGS += -DNDEBUG -Ifake\na\n", "a\n"),
        ("a\n", "find_package(ZLIB REQUIRED)\na\n", "find_package(ZLIB REQUIRED)\na\n"),
        ("a\n", 'a\n{:jason, "~> 1.0"},\n', 'a\n{:jason, "~> 1.0"},\n'),
    ],
)
def test_a_build_file_takes_only_lists_of_files(before: str, after: str, wanted: str) -> None:
    assert graft_build(before, after, ["src/c.c", "src/old.c"]) == wanted


# Sources


def test_rust_gets_its_old_tests_back() -> None:
    after = RUST.replace("{ 1 }", "{ 7 }").replace("one(), 1)", "one(), 7)")
    after = after.replace("assert_eq!(super::two(), 2);", "")
    after = after.replace(
        "use std::fmt;", "#[cfg(test)]\nuse std::fmt;\n#[cfg(not(test))]\nfn a() {}"
    )
    made = source("src/lib.rs", RUST, after)
    assert made is not None
    assert "{ 7 }" in made
    assert ", 7)" not in made
    assert made.count("one(), 1)") == 3
    assert "super::two(), 2" in made
    assert "#[cfg(not(test))]\nfn a() {}" in made
    assert "use std::fmt" not in made


def test_only_the_product_of_a_rust_file_changed() -> None:
    after = RUST.replace("{ 1 }", "{ 7 }").replace("/// One.", "/// Not one.")
    assert source("src/lib.rs", RUST, after) == after


def test_only_the_tests_of_a_rust_file_changed() -> None:
    after = RUST.replace("super::one(), 1", "1, 1").replace("/// assert_eq!(", "/// assert!(")
    assert source("src/lib.rs", RUST, after) == RUST


def test_rust_without_tests_is_all_product() -> None:
    assert source("src/lib.rs", "fn a() {}", "fn b() {}") is None


def test_python_gets_its_old_examples_and_tests_back() -> None:
    after = PYTHON.replace("return 1", "return 7").replace(">>> one()\n    1", ">>> one()\n    7")
    after = after.replace("assert one() == 1", "assert one()").replace("doctest.testmod()", "pass")
    made = source("shop.py", PYTHON, after)
    assert made is not None
    assert made.startswith(PYTHON.replace("return 1", "return 7").partition("def test_one")[0])
    assert "assert one() == 1" in made
    assert "doctest.testmod()" in made


def test_an_example_comes_back_where_its_text_is_gone() -> None:
    example = '"""\n        >>> 1\n        1\n        """\n        '
    before = f"class A:\n    def f(self):\n        {example}return 1\n"
    after = "class A:\n    def f(self):\n        return 2\n"
    assert source("a.py", before, after) == before.replace("return 1", "return 2")
    with pytest.raises(NoGraft, match=r"no room for the examples of 'A\.f'"):
        source("a.py", before, "class A:\n    def f(self): return 2\n")


def test_prose_and_functions_that_are_named_like_tests_are_the_product() -> None:
    before = 'def test_connection():\n    """Try.\n\n    >>> 1\n    1\n    """\n    return 1\n'
    after = before.replace("Try.", "Try it.").replace("return 1", "return 2")
    assert source("a.py", before, after) == after


def test_what_looks_like_a_test_and_only_the_head_has_stays() -> None:
    new = "def test_link(a):\n    assert a\n    return a\n"
    made = source("a.py", PYTHON, PYTHON.replace("== 1", "") + new)
    assert made is not None
    assert new in made
    assert "assert one() == 1" in made


def test_tests_that_vitest_finds_in_a_module_come_back() -> None:
    before = "export const a = 1;\nif (import.meta.vitest) { test('a', () => {}) }\n"
    after = "export const a = 2;\nif (import.meta.vitest) {}\nexport const b = 3;\n"
    made = source("a.ts", before, after)
    assert made is not None
    assert "test('a'" in made
    assert "vitest) {}" not in made
    assert "b = 3" in made


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rs", "#[cfg(test)]\nmod tests {\n"),
        ("a.py", "def test_a(:\n    assert a\n"),
        ("a.zig", 'test "a" {}\n'),
        ("a.cpp", '#include "doctest.h"\n'),
    ],
)
def test_what_cannot_be_told_apart_is_no_graft(path: str, text: str) -> None:
    with pytest.raises(NoGraft):
        source(path, text, text + "\n")
