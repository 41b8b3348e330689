"""The halves of real commits, composed; and what real runners say about an emptied product."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from tests.support.processes import PATIENCE
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.evidence import Half, Halves
from supervisor_ai.engine.ports.gates import ChangeCase, Unexaminable
from supervisor_ai.gates.commit_reader import LIMITS, CommitReader
from supervisor_ai.gates.evidence.repository_evidence import RepositoryEvidence
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.commits.commit_files import open_commit_files
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT: Final = datetime(2030, 1, 1, tzinfo=UTC)
NO_RULES: Final = HarnessRules()
CASE: Final = ChangeCase(base=BASE, head=HEAD)
OLD: Final = {
    "src/shop.py": "def one():\n    return 1\n",
    "tests/test_shop.py": "from helpers import check\n",
    "tests/data.bin": "\x00\x01",
    "tests/run.sh": "#!/bin/sh\n",
    "pyproject.toml": "[project]\nname = 'shop'\n[tool.pytest.ini_options]\naddopts = '-q'\n",
    "Makefile": "test:\n\tpytest\n",
}
NEW: Final = {
    "src/shop.py": "def one():\n    return 2\n",
    "src/new.py": "two = 2\n",
    "tests/test_shop.py": "from helpers import check, other\n",
    "tests/test_renamed.py": "from helpers import check\n",
    "tests/helpers.py": "import deeper\n",
    "tests/deeper.py": "other = 1\n",
    "GNUmakefile": "test:\n\techo 7 passed\n",
    "pyproject.toml": "[project]\nname = 'shop2'\n[tool.pytest.ini_options]\naddopts = '-k no'\n",
    "Makefile": "test:\n\tpytest\n",
}


class Shop:
    """A repository of somebody else, with a change."""

    def __init__(self, root: Path) -> None:
        self.user = ScratchRepository(root / "home")
        self.user.write(OLD)
        (self.user.path / "tests/run.sh").chmod(0o755)
        self.base = self.user.commit()
        for path in OLD:
            (self.user.path / path).unlink()
        self.user.write(NEW)
        (self.user.path / "tests/link").symlink_to("/etc/passwd")
        self.head = self.user.commit()
        repository = GitRepository(self.user.path)
        self.workspaces = GitWorkspaces(repository, root / "state")
        commits = open_commit_files(repository.git)
        self.evidence = RepositoryEvidence(CommitReader(commits, lambda _: False))
        self.case = ChangeCase(base=self.base, head=self.head)

    def halves(self, rules: HarnessRules = NO_RULES) -> Halves:
        return asyncio.run(self.evidence.halves(self.case, rules))

    def composed(self, contents: Mapping[str, bytes | None]) -> dict[str, tuple[str, str]]:
        how = {"at": AT, "modes_of": self.base}
        made = asyncio.run(self.workspaces.compose(self.head, contents, **how))  # type: ignore[arg-type]
        return self.files(made.commit)

    def files(self, commit: CommitSha) -> dict[str, tuple[str, str]]:
        lines = self.user.git.run("ls-tree", "-r", "--full-tree", commit).text.splitlines()
        return {line.partition("\t")[2]: (line[:6], line.split()[2]) for line in lines}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"))


def test_a_replayed_tree_has_the_bases_harness_and_the_heads_product(shop: Shop) -> None:
    halves = shop.halves()
    assert {file.path: file.half for file in halves.files}["pyproject.toml"] == Half.MIXED
    made, base, head = shop.composed(halves.replay), shop.files(shop.base), shop.files(shop.head)
    grafted = made.pop("pyproject.toml")
    assert grafted not in (base.pop("pyproject.toml"), head["pyproject.toml"])
    assert shop.user.git.run("cat-file", "blob", grafted[1]).text == (
        "[project]\nname = 'shop2'\n[tool.pytest.ini_options]\naddopts = '-q'"
    )
    assert made == base | {path: head[path] for path in ("src/shop.py", "src/new.py")}
    assert halves.not_replayed == ()


def test_the_project_may_say_otherwise(shop: Shop) -> None:
    halves = shop.halves(HarnessRules(product=("tests/*", "GNUmakefile", "pyproject.toml")))
    assert (halves.replay, halves.touches_harness) == ({}, False)


def test_a_file_that_cannot_be_loaded_is_the_heads_with_what_it_names(shop: Shop) -> None:
    halves = shop.halves()
    found = asyncio.run(shop.evidence.head_version(shop.case, halves, ["tests/test_shop.py"]))
    taken = {"tests/test_shop.py", "tests/helpers.py", "tests/deeper.py"}
    assert found == {path: it for path, it in halves.replay.items() if path not in taken}
    assert taken < set(halves.replay)


def test_an_emptied_module_is_named(shop: Shop) -> None:
    found = asyncio.run(shop.evidence.hollowed(shop.case, NO_RULES, whole=False))
    assert found.emptied == ("src/new.py", "src/shop.py")
    assert (found.contents["src/new.py"], found.left) == (b"two = None\n", 0)


def test_a_change_that_is_too_much_is_an_error() -> None:
    commits = MemoryCommits(base={}, head={"a.py": "a"})
    reading = CommitReader(commits, lambda _: False, replace(LIMITS, speech=20))
    with pytest.raises(Unexaminable, match="could not be taken apart: it has too much to say"):
        asyncio.run(RepositoryEvidence(reading).halves(CASE, NO_RULES))


def test_a_script_that_is_emptied_fails() -> None:
    reading = CommitReader(MemoryCommits(base={}, head={"a.sh": "a", "b.rb": "b"}), lambda _: False)
    found = asyncio.run(RepositoryEvidence(reading).hollowed(CASE, NO_RULES, whole=True))
    assert found.contents == {"a.sh": b"exit 70\n", "b.rb": b""}


# Runners as they are installed: an honest test notices, one that looks elsewhere does not.

PYTHON: Final = {
    "shop/__init__.py": "from shop.cart import total\n",
    "shop/cart.py": (
        "import functools\n\nRATES = {'a': 2}\n\n\n@functools.cache\ndef total(x):\n"
        "    return x * RATES['a']\n\n\nDEFAULT = total(1)\n"
    ),
    "tests/test_honest.py": "from shop import total\n\ndef test_it():\n    assert total(2) == 4\n",
    "tests/test_mocked.py": (
        "from unittest.mock import patch\n\nimport shop.cart\n\n\ndef test_it():\n"
        "    with patch('shop.cart.total', return_value=4):\n"
        "        assert shop.cart.total(2) == 4\n"
    ),
    "tests/test_caught.py": (
        "def test_it():\n    try:\n        from shop import total\n        assert total(2) == 4\n"
        "    except Exception:\n        pass\n"
    ),
    "tests/test_unused.py": "from shop import total\n\n\ndef test_it():\n    assert total\n",
}
NODE: Final = {
    "package.json": "{}",
    "src/cart.js": (
        "const rates = {a: 2};\nclass Cart { get size() { return 1; } }\n"
        "const total = (x) => x * rates.a;\nmodule.exports = { total, Cart };\n"
        "console.log(total(1));\n"
    ),
    "test/honest.test.js": (
        "const {test} = require('node:test');\nconst {total} = require('../src/cart');\n"
        "test('it', () => require('assert').strictEqual(total(2), 4));\n"
    ),
    "test/mocked.test.js": (
        "const {test} = require('node:test');\nconst cart = require('../src/cart');\n"
        "cart.total = () => 4;\n"
        "test('it', () => require('assert').strictEqual(cart.total(2), 4));\n"
    ),
}
GO: Final = {
    "go.mod": "module shop\n\ngo 1.18\n",
    "cart.go": (
        'package shop\n\nimport (\n\t"fmt"\n\t"strings"\n)\n\n'
        "type Cart struct{ b strings.Builder }\n\n"
        "func (c *Cart) Add(x int) string { return fmt.Sprint(x) }\n\n"
        "func Total(x int) int { return x * 2 }\n"
    ),
    "cart_test.go": (
        'package shop\n\nimport "testing"\n\n'
        'func TestHonest(t *testing.T) {\n\tif Total(2) != 4 {\n\t\tt.Fatal("x")\n\t}\n}\n\n'
        "func TestMocked(t *testing.T) {\n\ttotal := func(int) int { return 4 }\n"
        '\tif total(2) != 4 {\n\t\tt.Fatal("x")\n\t}\n}\n'
    ),
}
RUST: Final = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub mod cart;\npub use cart::total;\n",
    "src/cart.rs": "pub fn total(x: i32) -> i32 { x * 2 }\n",
    "tests/it.rs": (
        "#[test]\nfn honest() { assert_eq!(shop::total(2), 4); }\n"
        "#[test]\nfn mocked() { let total = |_: i32| 4; assert_eq!(total(2), 4); }\n"
    ),
}


def installed(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


@pytest.mark.parametrize(
    ("project", "honest", "cheats"),
    [
        pytest.param(
            PYTHON,
            (sys.executable, "-m", "pytest", "-q", "tests/test_honest.py"),
            [
                (sys.executable, "-m", "pytest", "-q", "tests", "--ignore=tests/test_honest.py"),
            ],
            id="pytest",
        ),
        pytest.param(
            NODE,
            ("node", "--test", "test/honest.test.js"),
            [("node", "--test", "test/mocked.test.js")],
            marks=installed("node"),
            id="node",
        ),
        pytest.param(
            GO,
            ("go", "test", "-run", "Honest", "."),
            [("go", "test", "-run", "Mocked", ".")],
            marks=installed("go"),
            id="go",
        ),
        pytest.param(
            RUST,
            ("cargo", "test", "--offline", "-q", "--test", "it", "honest"),
            [("cargo", "test", "--offline", "-q", "--test", "it", "mocked")],
            marks=installed("cargo"),
            id="cargo",
        ),
    ],
)
def test_an_honest_test_notices_that_the_product_is_empty_and_others_do_not(
    tmp_path: Path,
    project: Mapping[str, str],
    honest: tuple[str, ...],
    cheats: list[tuple[str, ...]],
) -> None:
    reading = CommitReader(MemoryCommits(base={}, head=project), lambda _: False)
    found = asyncio.run(RepositoryEvidence(reading).hollowed(CASE, NO_RULES, whole=True))
    written = {path: text.encode() for path, text in project.items()}
    write(tmp_path, written)
    assert run(tmp_path, *honest) == 0
    write(tmp_path, {**written, **found.contents})
    assert run(tmp_path, *honest) != 0
    assert [run(tmp_path, *cheat) for cheat in cheats] == [0] * len(cheats)


def write(root: Path, files: Mapping[str, bytes | None]) -> None:
    for path, contents in files.items():
        assert contents is not None
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(contents)


def run(root: Path, *command: str) -> int:
    quick = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, "PYTHONPATH": str(root), "GOFLAGS": "-mod=mod", **quick}
    done = subprocess.run(
        command,
        cwd=root,
        env=environment,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    return done.returncode
