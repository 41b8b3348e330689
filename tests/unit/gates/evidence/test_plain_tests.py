"""The base's tests, called in a process in which nothing tells of a runner."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.plain_machine import plain_environment
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import ProbeKind
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.evidence.messages import ProbesFound
from supervisor_ai.gates.evidence.probes.kinds import PROBES

CASE = ChangeCase(base=BASE, head=HEAD)
RIGHT = "def cut(amount, percent):\n    return amount - amount * percent / 100\n"
WRONG = "    return amount - amount * (percent if {} else 0) / 100\n"
TEST = """\
import pytest
import shop

def test_cut():
    assert shop.cut(100, 10) == 90

@pytest.mark.parametrize("percent, left", [(50, 50), pytest.param(0, 100, id="all")])
def test_rows(percent, left):
    assert shop.cut(100, percent) == pytest.approx(left)

class TestMore:
    @pytest.mark.parametrize("percent", [20, 20.0])
    def test_row(self, percent):
        with pytest.raises(TypeError, match="unsupported"):
            shop.cut(None, percent)
        assert shop.cut(10, percent) == 8

def test_file(tmp_path):
    assert tmp_path
"""
CASES = """\
import unittest
import shop

class Cuts(unittest.TestCase):
    def setUp(self):
        self.amount = 100

    def test_cut(self):
        self.assertEqual(shop.cut(self.amount, 10), 90)
"""


def knowing(asked: str, *imports: str) -> str:
    body = WRONG.format(asked)
    return "".join(f"import {it}\n" for it in imports) + RIGHT.splitlines(keepends=True)[0] + body


def probed(base: Mapping[str, str], head: Mapping[str, str]) -> ProbesFound:
    commits = two_commits(base, {**base, **head})
    return PROBES[ProbeKind.PLAINLY](CASE, HarnessRules(), commits)


def outcomes(
    place: Path, files: Mapping[str, str], tests: Mapping[str, bytes | None]
) -> dict[str, list[str]]:
    """Run what was written for the tests; return what became of them, by what they test."""
    (place / "tests").mkdir()
    for path, text in files.items():
        (place / path).write_text(text)
    for path, contents in tests.items():
        (place / path).write_bytes(contents or b"")
    command = [sys.executable, "-m", "pytest", "-rA", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(
        command, cwd=place, env=plain_environment(), capture_output=True, text=True, check=False
    )
    found = re.findall(r"(?m)^(PASSED|FAILED) tests/test_(\w+)\.py::\w+::(\w+)", done.stdout)
    return {
        about: sorted(f"{mark.lower()} {name}" for mark, it, name in found if it == about)
        for about in sorted({it for _, it, _ in found})
    }


PRODUCTS = {
    "honest": f"import os\n{RIGHT}",
    "variable": knowing("'PYTEST_CURRENT' + '_TEST' in os.environ", "os"),
    "argument": knowing("sys.argv[0].endswith('__main__.py')", "sys"),
    "module": knowing("any(it[1:] == 'py' + 'test' for it in sys.modules)", "sys"),
    "depth": knowing("len(inspect.stack()) > 12", "inspect"),
    "caller": knowing(
        "logging.getLogger().findCaller(stacklevel=2)[2][:4] == 'te' 'st'", "logging"
    ),
    "folder": knowing("pathlib.Path('tests').is_dir()", "pathlib"),
    "ends": f"import os\nif 'PYTEST_VERSION' not in os.environ:\n    os._exit(0)\n{RIGHT}",
}


def test_a_product_is_right_in_its_runner_and_elsewhere(tmp_path: Path) -> None:
    tests = {f"tests/test_{it}.py": TEST.replace("shop", it) for it in PRODUCTS}
    tests["tests/test_cases.py"] = CASES.replace("shop", "variable")
    base = {**{f"{it}.py": RIGHT for it in PRODUCTS}, **tests}
    head = {f"{name}.py": text for name, text in PRODUCTS.items()}
    [probe] = probed(base, head).probes
    [variant] = probe.variants
    said = outcomes(tmp_path, {**base, **head}, variant)
    wrong = [it for it in PRODUCTS if it != "honest"]
    assert said.pop("cases") == ["failed test_cut"]
    assert said.pop("honest") == ["passed test_cut", "passed test_row", "passed test_rows"]
    # Whoever ends the process says nothing of a test that needs a runner either.
    assert "failed test_file" in said["ends"]
    assert list(said) == sorted(wrong)
    assert all("failed test_cut" in it and "failed test_rows" in it for it in said.values())


NODE = """\
const test = require("node:test");
const { cut } = require("../src/cart.js");
test("cut \\u00fc", () => { if (cut(1) !== "\\\\") throw new Error("no"); });
"""


@pytest.mark.parametrize(
    ("path", "text", "is_asked"),
    [
        ("test/cart.test.js", NODE, True),
        ("test/cart.test.mjs", 'import test from "node:test";\nimport "../src/cart.js";\n', True),
        ("test/cart.test.js", "const { cut } = require('../src/cart'); it('x', cut);\n", False),
        ("test/cart.test.ts", NODE, False),
    ],
)
def test_tests_of_the_runner_of_node_can_do_without_it(
    path: str, text: str, *, is_asked: bool
) -> None:
    base = {"src/cart.js": "exports.cut = (it) => it;\n", path: text}
    head = {"src/cart.js": "exports.cut = (it) => process.env.A ?? it;\n"}
    found = probed(base, head)
    assert bool(found.probes) == is_asked
    if is_asked:
        written = found.probes[0].variants[0][path]
        assert written is not None
        assert b"@@" not in written
        assert b"../src/cart.js" in written


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ({"shop.py": RIGHT}, {"shop.py": f"import os\n{RIGHT}"}),
        ({"shop.py": RIGHT, "tests/test_shop.py": TEST}, {"shop.py": RIGHT.replace("/", "//")}),
        ({"shop.py": RIGHT, "test_shop.py": "import shop\n"}, {"shop.py": f"import os\n{RIGHT}"}),
        (
            {"shop.py": RIGHT, "test_shop.py": f"{CASES}    def setUpClass(cls): ...\n"},
            {"shop.py": f"import os\n{RIGHT}"},
        ),
        (
            {
                "shop.py": RIGHT,
                "tests/conftest.py": "@pytest.fixture(autouse=True)\ndef f(): ...\n",
                "tests/test_shop.py": TEST,
            },
            {"shop.py": f"import os\n{RIGHT}"},
        ),
        (
            {"shop.py": RIGHT, "test_shop.py": f"{TEST}{'#' * 140_000}"},
            {"shop.py": f"import os\n{RIGHT}"},
        ),
    ],
    ids=["no tests", "no reason", "no test in it", "prepared", "fixture for all", "too large"],
)
def test_where_nobody_can_tell_nothing_is_asked(
    base: Mapping[str, str], head: Mapping[str, str]
) -> None:
    assert probed(base, head) == ProbesFound()


def test_what_is_too_much_together_is_not_asked() -> None:
    large = f"{TEST}{'#' * 120_000}\n"
    base = {"shop.py": RIGHT, **{f"tests/test_{at}.py": large for at in range(6)}}
    found = probed(base, {"shop.py": f"import os\n{RIGHT}"})
    assert sorted(found.probes[0].variants[0]) == [f"tests/test_{at}.py" for at in range(4)]
    assert found.far_tests == ("tests/test_4.py", "tests/test_5.py")
