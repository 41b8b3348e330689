"""A change taken apart, and the tree that is composed of the head and the base's harness."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Half
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.conventions import Conventions
from supervisor_ai.gates.evidence.halves import find_halves
from supervisor_ai.gates.evidence.messages import HalvesFound

CASE = ChangeCase(base=BASE, head=HEAD)
NO_RULES = HarnessRules()
TEST = "#[test]\nfn a() {}\n"
Tree = Mapping[str, str]


def found(
    before: Tree, after: Tree, rules: HarnessRules = NO_RULES, links: tuple[str, ...] = ()
) -> HalvesFound:
    return find_halves(CASE, rules, two_commits(before, after, links=links))


def composed(before: Tree, after: Tree, rules: HarnessRules = NO_RULES) -> dict[str, str]:
    halves = found(before, after, rules)
    tree = {**after, **{path: before[path] for path in halves.restored}}
    tree |= {path: contents.decode() for path, contents in halves.grafted.items()}
    return {path: text for path, text in tree.items() if path not in halves.removed}


def test_the_harness_is_the_bases_and_the_product_the_heads() -> None:
    before = {
        "src/shop.py": "one\n",
        "tests/test_shop.py": "old\n",
        "tests/test_gone.py": "gone\n",
        "Makefile": "test:\n\tpytest\n",
    }
    after = {
        "src/shop.py": "two\n",
        "src/new.py": "new\n",
        "tests/test_shop.py": "new\n",
        "tests/test_moved.py": "gone\n",
        "tests/__init__.py": "import sys\n",
        "conftest.py": "hook\n",
        "sitecustomize.py": "import os\n",
        "Makefile": "test:\n\tpytest\n",
        "GNUmakefile": "test:\n\techo 7 passed\n",
    }
    wanted = {**before, "src/shop.py": "two\n", "src/new.py": "new\n"}
    assert composed(before, after) == wanted
    halves = found(before, after)
    assert (halves.touches_harness, halves.touches_product) == (True, True)
    assert halves.not_replayed == ()
    assert len(halves.files) == 9


@pytest.mark.parametrize(
    ("before", "after", "touches"),
    [
        ({"a.py": "1\n"}, {"a.py": "2\n"}, (False, True)),
        ({"tests/a.py": "1\n"}, {"tests/a.py": "2\n"}, (True, False)),
        ({}, {}, (False, False)),
        ({"pyproject.toml": "[tool.a]\n"}, {"pyproject.toml": "[tool.a]\na=1\n"}, (True, False)),
        (
            {"pyproject.toml": "[project]\nname='a'\n[tool.ruff]\na=1\n"},
            {"pyproject.toml": "[project]\nname='b'\n[tool.ruff]\na=1\n"},
            (False, True),
        ),
        ({"a.rs": TEST}, {"a.rs": f"{TEST}fn b() {{}}\n"}, (False, True)),
        ({"a.rs": TEST}, {"a.rs": TEST.replace("fn a", "fn b")}, (True, False)),
        ({"a.rs": f"{TEST}fn c() {{}}"}, {"a.rs": f"{TEST}{TEST}fn  c() {{}}"}, (True, True)),
        ({"README.md": ">>> 1\n1\n"}, {"README.md": ">>> 1\n2\n"}, (True, False)),
        ({"README.md": "one\n"}, {"README.md": "two\n"}, (False, True)),
    ],
)
def test_which_halves_a_change_touches(before: Tree, after: Tree, touches: object) -> None:
    halves = found(before, after)
    assert (halves.touches_harness, halves.touches_product) == touches


def test_a_file_of_settings_that_is_all_harness_goes_and_comes_as_a_whole() -> None:
    alone = {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-q'\n"}
    assert composed({}, alone) == {}
    assert composed(alone, {}) == alone
    both = {"pyproject.toml": "[project]\nname = 'a'\n" + alone["pyproject.toml"]}
    assert composed({}, both) == {"pyproject.toml": "[project]\nname = 'a'\n"}
    assert composed(both, {}) == alone


def test_a_build_file_lists_new_files_and_is_otherwise_the_bases() -> None:
    before = {"Makefile": "O = a.o\ntest:\n\t./run\n", "a.c": ""}
    after = {"Makefile": "O = a.o b.o\ntest:\n\ttrue\n", "a.c": "", "b.c": ""}
    assert composed(before, after)["Makefile"] == "O = a.o b.o\ntest:\n\t./run\n"
    assert found(before, after).files[0].half == Half.MIXED


def test_a_module_of_rust_that_is_declared_for_tests_is_harness() -> None:
    before = {"src/lib.rs": "#[cfg(test)]\nmod quick;\n", "src/quick.rs": "fn a() {}\n"}
    after = {**before, "src/quick.rs": "fn b() {}\n"}
    assert composed(before, after) == before
    assert composed({"src/a.rs": "#![cfg(test)]\n1\n"}, {"src/a.rs": "2\n"}) == {
        "src/a.rs": "#![cfg(test)]\n1\n"
    }


@pytest.mark.parametrize(
    "settings",
    [
        {"Makefile": "RUN = ./go.sh\ntest:\n\t$(RUN) -q\n"},
        {"package.json": '{"scripts": {"test": "sh go.sh"}}'},
        {"tox.ini": "[testenv]\ncommands = bash ./go.sh\n"},
    ],
)
def test_a_script_that_the_bases_tests_are_run_by_is_harness(settings: Tree) -> None:
    before = {**settings, "go.sh": "pytest\n", "shop.py": "1\n"}
    after = {**settings, "go.sh": "echo 7 passed\n", "shop.py": "2\n"}
    assert composed(before, after) == {**before, "shop.py": "2\n"}


def test_a_script_or_module_that_no_test_calls_is_the_product() -> None:
    settings = {"Makefile": "run:\n\t./go.sh\ntest:\n\tpytest --doctest-modules shop.py\n"}
    after = {**settings, "go.sh": "2", "shop.py": "2"}
    assert composed({**settings, "go.sh": "1", "shop.py": "1"}, after) == after


def test_what_the_base_wrote_for_tests_is_harness_and_the_head_cannot_say_so() -> None:
    shared = 'package check\n\nimport "testing"\n'
    plain = "package check\n"
    assert composed({"check.go": shared}, {"check.go": plain}) == {"check.go": shared}
    assert composed({"check.go": plain}, {"check.go": shared}) == {"check.go": shared}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("setup.py", "setup(entry_points={'pytest11': ['a = shop.liar']})\n"),
        ("setup.cfg", "[options.entry_points]\npytest11 =\n  a = shop.liar\n"),
    ],
)
def test_a_product_that_becomes_a_plugin_of_pytest_is_not_replayed(path: str, text: str) -> None:
    assert "a plugin of pytest" in found({path: "\n"}, {path: text}).not_replayed[0]
    assert found({path: text}, {path: f"{text}\n"}).not_replayed == ()


def test_what_cannot_be_told_apart_is_said_and_stays_the_heads() -> None:
    before = {"a.rs": "#[test]\nfn a() {}\n", "pyproject.toml": "[tool.ruff]\n", "b.zig": "test {}"}
    after = {"a.rs": "#[test]\nfn a( {}\n", "pyproject.toml": "[tool.ruff\n", "b.zig": "test { }"}
    halves = found(before, after)
    assert composed(before, after) == after
    assert [text.partition(" cannot ")[0] for text in halves.not_replayed] == [
        f"The tests and settings in {path!r}" for path in ("a.rs", "b.zig", "pyproject.toml")
    ]
    assert halves.touches_harness


def test_links_of_the_harness_go_and_those_of_the_base_are_said_to_be_lost() -> None:
    halves = found({"tests/a": "1"}, {"tests/a": "b", "tests/b": "c"}, links=("tests/a", "tests/b"))
    assert (halves.restored, halves.removed) == (("tests/a",), ("tests/b",))
    commits = two_commits({"tests/a": "1"}, {})
    commits.trees["base"] = {}
    commits.changes = lambda *_: two_commits({"tests/a": "1"}, {}).changes(BASE, HEAD)  # type: ignore[method-assign]
    lost = find_halves(CASE, NO_RULES, commits)
    assert lost.not_replayed == (
        "The file 'tests/a' cannot be as it was at the base:"
        " it is a link or a module of its own there.",
    )


def test_more_than_can_be_put_back_is_said() -> None:
    before = {f"tests/data/{number}": str(number) for number in range(9010)}
    halves = found(before, {})
    assert len(halves.restored) == 9000
    assert len(halves.not_replayed) == 10


def test_the_rules_of_the_project_leave_nothing_to_be_grafted() -> None:
    before = {"pyproject.toml": "[tool.ruff]\na = 1\n", "a.rs": "#[test]\nfn a() {}\n"}
    after = {"pyproject.toml": "[tool.ruff]\na = 2\n", "a.rs": "#[test]\nfn b() {}\n"}
    rules = HarnessRules(harness=("pyproject.toml",), product=("*.rs",))
    assert composed(before, after, rules) == {**after, "pyproject.toml": before["pyproject.toml"]}


PATHS = (
    *("src/a.py", "src/b.ts", "c.go", "src/main/java/A.java", "docs/a.md", "json.py", "d.rs"),
    *("tests/test_a.py", "a.test.ts", "c_test.go", "conftest.py", "tox.ini", "Makefile", ".npmrc"),
)
TREES = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(["x = 1\n", "x = 2\n", "y = 3\n"]))


@settings(max_examples=200, deadline=None)
@given(before=TREES, after=TREES)
def test_every_composed_tree_has_one_half_of_each_side(before: Tree, after: Tree) -> None:
    made = composed(before, after)
    known = Conventions(NO_RULES, before, after)
    for path in PATHS:
        is_harness = known.of(path).half == Half.HARNESS or path == "Makefile"
        assert made.get(path) == (before if is_harness else after).get(path), path


def test_what_a_script_of_the_tests_is_made_of_judges_as_well() -> None:
    before = {
        "package.json": '{"scripts": {"test": "node scripts/run.mjs"}}',
        "scripts/run.mjs": "import { expect } from './parts/expect';\n",
        "scripts/parts/expect.mjs": "import '../../src/shop.mjs'; import '../deep';\n",
        "scripts/deep.js": "old\n",
        "scripts/release.mjs": "old\n",
        "src/shop.mjs": "old\n",
    }
    after = dict.fromkeys(before, "new\n") | {"package.json": before["package.json"]}
    assert sorted(found(before, after).restored) == [
        "scripts/deep.js",
        "scripts/parts/expect.mjs",
        "scripts/run.mjs",
    ]


ROOT = '[package]\nname = "shop"\n[dev-dependencies]\nkit = { path = "kit" }\n'
KIT = '[package]\nname = "kit"\npublish = false\n'


@pytest.mark.parametrize(
    ("root", "kit", "is_judge"),
    [
        (ROOT, KIT, True),
        (ROOT, KIT.replace("kit", "shop-testing").replace("publish = false", ""), True),
        (ROOT, KIT.replace("publish = false", ""), False),
        (f'{ROOT}[dependencies]\nkit = {{ path = "./kit" }}\n', KIT, False),
        (f'{ROOT}[target."cfg(unix)".dependencies]\nkit = {{ path = "kit" }}\n', KIT, False),
        ("[package", KIT, False),
    ],
)
def test_a_crate_that_only_tests_use_judges(*, root: str, kit: str, is_judge: bool) -> None:
    before = {"Cargo.toml": root, "kit/Cargo.toml": kit, "kit/src/lib.rs": "old\n"}
    after = {**before, "kit/src/lib.rs": "new\n"}
    assert found(before, after).restored == (("kit/src/lib.rs",) if is_judge else ())


def test_a_package_of_go_that_needs_a_test_judges() -> None:
    before = {"check/check.go": 'package check\n\nimport "testing"\n', "a/a.go": "package a\n"}
    after = {
        "check/check.go": "package check\n",
        "vendor/x/check.go": 'package check\n\nimport (\n\t"testing"\n)\n',
        "a/a.go": 'package a\n\nconst Kind = "testing"\n',
    }
    halves = found(before, after)
    assert (halves.restored, halves.removed) == (("check/check.go",), ("vendor/x/check.go",))
