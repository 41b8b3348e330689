"""What takes something away from Python tests is found, and what does not is let pass."""

import pytest
from tests.unit.gates.integrity.python_findings import errors, examined

from supervisor_ai.domain.run.gates import Finding, Severity

PRODUCT = "def total(items):\n    return sum(items)\n\n\ndef parse(text):\n    return int(text)\n"
TESTS = """
import pytest
from shop import parse, total

def check_total(items, expected):
    assert total(items) == expected

def test_total():
    result = total([1, 2])
    assert result == 3
    assert result is not None

def test_parse():
    assert parse("12") == 12
    with pytest.raises(ValueError, match="invalid literal"):
        parse("x")

@pytest.mark.parametrize(("items", "expected"), [([], 0), ([1], 1), ([1, 2], 3)])
def test_many(items, expected):
    assert total(items) == expected

def test_shared():
    check_total([5, 6], 11)

class TestText:
    def test_words(self):
        assert "a" in words(1)
"""


def edited(old: str, new: str, *, text: str = TESTS) -> tuple[Finding, ...]:
    assert old in text
    path = "tests/test_shop.py"
    files = {"shop.py": PRODUCT}
    return examined(files | {path: text}, files | {path: text.replace(old, new)})


ASSERT = "    assert result == 3\n"


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (ASSERT, "", "assertion_removed"),
        (ASSERT, "    assert result\n", "assertion_weakened"),
        (ASSERT, "    assert result >= 0\n", "assertion_weakened"),
        (ASSERT, "    assert result in (3, 4, None)\n", "assertion_weakened"),
        (ASSERT, "    assert result != 4\n", "assertion_weakened"),
        (ASSERT, "    assert isinstance(result, int)\n", "assertion_weakened"),
        (ASSERT, "    assert result == 3 or result != 3\n", "assertion_weakened"),
        (ASSERT, "    assert result == pytest.approx(3, abs=100)\n", "assertion_weakened"),
        (ASSERT, "    assert total([1, 2]) == total([1, 2])\n", "assertion_weakened"),
        (ASSERT, "    if result == 3:\n        assert result == 3\n", "assertion_weakened"),
        (ASSERT, "    assert total.__name__ == 'total'\n", "assertion_weakened"),
        (ASSERT, "    assert True\n", "assertion_tautological"),
        (ASSERT, "    assert 1\n", "assertion_tautological"),
        (ASSERT, "    assert result == result\n", "assertion_tautological"),
        (ASSERT, "    assert (result == 3, 'three')\n", "assertion_tautological"),
        (ASSERT, "    assert result == 3 or True\n", "assertion_tautological"),
        (ASSERT, "    assert len([result]) >= 0\n", "assertion_tautological"),
        (ASSERT, "    expected = 3\n    assert expected == 3\n", "assertion_tautological"),
        (ASSERT, "    result = 3\n    assert result == 3\n", "assertion_tautological"),
        (ASSERT, "    try:\n        assert result == 3\n    except AssertionError:\n        pass\n",
         "failure_swallowed"),
        (ASSERT, "    try:\n        assert result == 3\n    except:\n        print('no')\n",
         "failure_swallowed"),
        (ASSERT, "    with contextlib.suppress(Exception):\n        assert result == 3\n",
         "failure_swallowed"),
        (ASSERT, "    try:\n        assert result == 3\n    finally:\n        return\n",
         "failure_swallowed"),
        (ASSERT, "    return\n" + ASSERT, "failure_swallowed"),
        (ASSERT, "    if False:\n        assert result == 3\n", "failure_swallowed"),
        (ASSERT, "    for _ in []:\n        assert result == 3\n", "failure_swallowed"),
        (ASSERT, "    def inner():\n        assert result == 3\n", "failure_swallowed"),
        (ASSERT, "    if os.environ.get('CI'):\n        return\n" + ASSERT, "failure_swallowed"),
        ("    result = total([1, 2])\n", "    pytest.skip('later')\n    result = total([1, 2])\n",
         "test_skipped"),
        ("    result = total", "    if os.environ.get('X') is None:\n        pytest.skip()\n"
         "    result = total", "test_skipped"),
        ("    result = total", "    raise unittest.SkipTest('x')\n"
         "    result = total", "test_skipped"),
        ("def test_total", "@pytest.mark.skip\ndef test_total", "test_skipped"),
        ("def test_total", "@pytest.mark.skip(reason='x')\ndef test_total", "test_skipped"),
        ("def test_total", "@pytest.mark.skipif(True, reason='x')\ndef test_total", "test_skipped"),
        ("def test_total", "@pytest.mark.skipif('1 == 1')\ndef test_total", "test_skipped"),
        ("def test_total", "@pytest.mark.skipif(sys.platform == 'linux', reason='x')\n"
         "def test_total", "test_skipped"),
        ("def test_total", "@pytest.mark.skipif(sys.version_info >= (3, 8), reason='x')\n"
         "def test_total", "test_skipped"),
        ("def test_total", "@pytest.mark.xfail\ndef test_total", "test_skipped"),
        ("def test_total", "@unittest.expectedFailure\ndef test_total", "test_skipped"),
        ("def test_total", "@unittest.skipUnless(os.getenv('SLOW'), 'x')\ndef test_total",
         "test_skipped"),
        ("def test_total()", "@pytest.fixture\ndef broken():\n    pytest.skip('x')\n\n"
         "def test_total(broken)", "test_skipped"),
        ("import pytest\n", "import pytest\npytestmark = pytest.mark.skip\n", "test_skipped"),
        ("import pytest\n", "import pytest\npytest.skip('x', allow_module_level=True)\n",
         "test_skipped"),
        ("import pytest\n", "import pytest\n@pytest.fixture(autouse=True)\ndef _no():\n"
         "    pytest.skip('x')\n", "test_skipped"),
        ("class TestText:\n", "class TestText:\n    __test__ = False\n", "test_skipped"),
        ("class TestText:\n", "class TestText:\n    def setup_method(self):\n"
         "        pytest.skip('x')\n", "test_skipped"),
        ("def test_total", "def _test_total", "test_renamed_away"),
        ("def test_total", "def xtest_total", "test_renamed_away"),
        ("def test_total", "def check_total_sum", "test_renamed_away"),
        ("class TestText", "class Text", "test_renamed_away"),
        (ASSERT + "    assert result is not None\n", "", "test_emptied"),
        ("    assert parse(\"12\") == 12\n"
         "    with pytest.raises(ValueError, match=\"invalid literal\"):"
         "\n        parse(\"x\")\n", "    pass\n", "test_emptied"),
        (", match=\"invalid literal\"", "", "assertion_removed"),
        ("pytest.raises(ValueError, ", "pytest.raises(Exception, ", "assertion_weakened"),
        ("[([], 0), ([1], 1), ([1, 2], 3)]", "[([1], 1)]", "cases_removed"),
        ("[([], 0), ([1], 1), ([1, 2], 3)]", "[]", "test_skipped"),
        ("[([], 0),", "[pytest.param([], 0, marks=pytest.mark.skip),", "cases_removed"),
        ("    assert total(items) == expected\n\ndef test_total", "    assert total(items)\n\n"
         "def test_total", "assertion_weakened"),
        ("    check_total([5, 6], 11)\n", "    total([5, 6])\n", "test_emptied"),
        (TESTS[TESTS.index("def test_parse") : TESTS.index("@pytest.mark")], "", "test_deleted"),
        ("        assert \"a\" in words(1)\n", "        assert words(1)\n", "assertion_weakened"),
        ("class TestText", "def test_total():\n    pass\n\nclass TestText", "test_emptied"),
        ("class TestText", "del test_parse\n\nclass TestText", "test_deleted"),
        ("    result = total([1, 2])\n", "    shop.total = lambda items: 3\n"
         "    result = shop.total([1, 2])\n", "subject_patched"),
        ("    assert parse(\"12\") == 12\n", "    assert parse(\"7\") == 7\n", "assertion_removed"),
        ("import pytest\n", "import pytest\nimport sys\nsys.modules['shop'] = Fake()\n",
         "module_replaced"),
    ],
)  # fmt: skip
def test_a_loss_is_found(old: str, new: str, rule: str) -> None:
    text = TESTS.replace("import pytest\n", "import pytest\nimport shop\n")
    assert rule in errors(*edited(old, new, text=text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    result = total([1, 2])\n    assert result == 3\n    assert result is not None\n",
         "    assert total([1, 2]) == 3\n"),
        ("def test_total", "def test_total_of_several"),
        ("    assert result is not None\n", "    assert result is not None\n"
         "    assert result > 2\n"),
        (ASSERT, "    assert 3 == result, 'the sum'\n"),
        (ASSERT, "    expected = 3\n    assert result == expected\n"),
        (ASSERT, "    if result != 3:\n        pytest.fail('no')\n"),
        (ASSERT, "    assert result == 4\n"),
        ("def test_total", "@pytest.mark.slow\ndef test_total"),
        ("def test_total", "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\n"
         "def test_total"),
        ("def test_total", "@pytest.mark.skipif(sys.version_info < (3, 11), reason='x')\n"
         "def test_total"),
        ("[([], 0), ([1], 1), ([1, 2], 3)]", "[([1, 2], 3), ([], 0), ([1], 1), ([2, 2], 4)]"),
        ("[([], 0), ([1], 1), ([1, 2], 3)]", "cases()"),
        ("@pytest.mark.parametrize((\"items\", \"expected\"), [([], 0), ([1], 1), ([1, 2], 3)])\n"
         "def test_many(items, expected):\n    assert total(items) == expected\n",
         "def test_none():\n    assert total([]) == 0\n\ndef test_one():\n"
         "    assert total([1]) == 1\n"
         "\ndef test_two():\n    assert total([1, 2]) == 3\n"),
        ("    assert parse(\"12\") == 12\n"
         "    with pytest.raises(ValueError, match=\"invalid literal\"):"
         "\n        parse(\"x\")\n",
         "    assert parse(\"12\") == 12\n\ndef test_bad():\n"
         "    with pytest.raises(ValueError, match=\"invalid literal\"):\n        parse(\"x\")\n"),
        ("    with pytest.raises(ValueError, match=\"invalid literal\"):\n        parse(\"x\")\n",
         "    with pytest.raises(ValueError) as caught:\n        parse(\"x\")\n"
         "    assert \"invalid literal\" in str(caught.value)\n"),
        ("    check_total([5, 6], 11)\n", "    assert total([5, 6]) == 11\n"),
        ("    assert result == 3\n    assert result is not None\n", "    check_total([1, 2], 3)\n"),
        ("class TestText:\n    def test_words(self):\n        assert", "def test_words():\n"
         "    assert"),
    ],
)  # fmt: skip
def test_an_honest_change_passes(old: str, new: str) -> None:
    assert errors(*edited(old, new)) == set()


UNITTEST = """
import unittest
from shop import parse, total

class ShopTest(unittest.TestCase):
    def setUp(self):
        self.items = [1, 2]

    def test_total(self):
        self.assertEqual(total(self.items), 3)
        self.assertEqual(0, total([]))

    def test_parse(self):
        self.assertRaises(ValueError, parse, "x")
        self.assertTrue(parse("1") == 1)
        self.assertIsNone(None if parse("2") else 3)
        self.assertAlmostEqual(total([0.1, 0.2]), 0.3)
        self.assertIn(1, [parse("1")])
"""
PYTEST = """
import pytest
from shop import parse, total

@pytest.fixture
def items():
    return [1, 2]

def test_total(items):
    assert total(items) == 3
    assert total([]) == 0

def test_parse():
    with pytest.raises(ValueError):
        parse("x")
    assert parse("1") == 1
    assert (None if parse("2") else 3) is None
    assert total([0.1, 0.2]) == pytest.approx(0.3)
    assert 1 in [parse("1")]
"""


def test_unittest_can_become_pytest() -> None:
    found = examined({"test_shop.py": UNITTEST}, {"test_shop.py": PYTEST})
    assert errors(*found) == set()


def test_single_tests_can_become_one_with_cases_and_a_loop() -> None:
    single = """
        def test_one():
            assert total([1]) == 1
        def test_two():
            assert total([2, 3]) == 5
        def test_text():
            assert parse("1") == 1
            assert parse("22") == 22
    """
    together = """
        CASES = [([1], 1), ([2, 3], 5)]
        @pytest.mark.parametrize("items, expected", CASES)
        def test_total(items, expected):
            assert total(items) == expected
        def test_text():
            for text, number in [("1", 1), ("22", 22)]:
                assert parse(text) == number
    """
    found = examined({"test_a.py": single}, {"test_a.py": together})
    assert errors(*found) == set()


def test_a_case_that_is_lost_on_the_way_is_found() -> None:
    single = (
        "def test_one():\n    assert total([1]) == 1\ndef test_two():\n    assert total([2]) == 2\n"
    )
    together = (
        "@pytest.mark.parametrize('items, expected', [([1], 1), ([7], 7)])\n"
        "def test_total(items, expected):\n    assert total(items) == expected\n"
    )
    assert errors(*examined({"test_a.py": single}, {"test_a.py": together})) == {"test_deleted"}


def test_tests_can_move_to_another_file() -> None:
    first, _, rest = TESTS.partition("def test_parse")
    after = {"tests/test_shop.py": first, "tests/unit/test_parse.py": "def test_parse" + rest}
    assert errors(*examined({"tests/test_shop.py": TESTS}, after)) == set()


def test_a_file_that_no_runner_sees_is_found() -> None:
    found = examined({"tests/test_shop.py": TESTS}, {"tests/shop_checks.py": TESTS})
    assert errors(*found) == {"test_renamed_away"}


def test_a_deleted_file_is_named_once() -> None:
    found = examined({"tests/test_shop.py": TESTS}, {})
    assert [(each.rule, each.file) for each in found] == [
        ("test_file_deleted", "tests/test_shop.py")
    ]


def test_a_test_may_go_with_what_it_tested() -> None:
    test = "from shop import old\n\ndef test_old():\n    assert old(1) == 2\n"
    before = {"shop.py": PRODUCT + "def old(x):\n    return 2\n", "test_old.py": test}
    found = examined(before, {"shop.py": PRODUCT})
    assert [(each.rule, each.severity) for each in found] == [("test_deleted", Severity.NOTE)]


@pytest.mark.parametrize(
    "source",
    [
        "collect_ignore = ['test_shop.py']\n",
        "collect_ignore_glob = []\ncollect_ignore_glob += ['test_*']\n",
        "def pytest_ignore_collect(path):\n    return True\n",
        "def pytest_collection_modifyitems(items):\n    items[:] = items[:1]\n",
        "def pytest_collection_modifyitems(items):\n    for item in items:\n"
        "        item.add_marker(pytest.mark.skip())\n",
        "@pytest.fixture(autouse=True)\ndef no():\n    pytest.skip('x')\n",
        "@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
        "    report = yield\n    report.outcome = 'passed'\n",
        "def pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n",
    ],
)
def test_a_conftest_that_leaves_tests_out_is_found(source: str) -> None:
    assert "collection_changed" in errors(*examined({}, {"tests/conftest.py": source}))


def test_an_ordinary_conftest_passes() -> None:
    source = (
        "import pytest\n\n@pytest.fixture(autouse=True)\ndef home(tmp_path):\n"
        "    return tmp_path\n\n"
        "def pytest_collection_modifyitems(items):\n    items.sort(key=str)\n"
    )
    assert errors(*examined({}, {"tests/conftest.py": source})) == set()


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        ("    assert True\n", {"test_cannot_fail"}),
        ("    try:\n        assert total([1]) == 1\n    except Exception:\n        pass\n",
         {"test_cannot_fail"}),
        ("    monkeypatch.setattr('shop.total', lambda x: 1)\n    assert total([1]) == 1\n",
         {"subject_patched"}),
        ("    assert total([1]) == 1\n", set()),
        ("    pass\n", set()),
    ],
)  # fmt: skip
def test_a_new_test_must_be_able_to_fail(body: str, rules: set[str]) -> None:
    found = examined({}, {"test_new.py": f"def test_new(monkeypatch):\n{body}"})
    assert errors(*found) == rules


def test_a_weakened_function_that_tests_share_is_named_once() -> None:
    files = {"tests/test_a.py": "def test_a():\n    check(1)\n"}
    strong = "def check(x):\n    assert total([x]) == x\n"
    weak = "def check(x):\n    assert total([x]) is not None\n"
    found = examined(files | {"tests/shared.py": strong}, files | {"tests/shared.py": weak})
    assert [each.rule for each in found] == ["assertion_weakened"]


def test_what_an_unchanged_file_checks_counts() -> None:
    shared = {"tests/shared.py": "def check(x, y):\n    assert total([x]) == y\n"}
    before = shared | {"tests/test_a.py": "def test_a():\n    assert total([1]) == 1\n"}
    after = shared | {"tests/test_a.py": "def test_a():\n    check(1, 1)\n"}
    assert errors(*examined(before, after)) == set()
