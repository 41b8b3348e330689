"""What one algorithm sees in the tests of every language, whatever its table."""

import pytest

from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable
from supervisor_ai.gates.integrity.analysis.table_reader import TableReader
from supervisor_ai.gates.integrity.languages.go.table import GO
from supervisor_ai.gates.integrity.languages.java.table import JAVA
from supervisor_ai.gates.integrity.languages.javascript.table import JAVASCRIPT
from supervisor_ai.gates.integrity.languages.python.table import PYTHON
from supervisor_ai.gates.integrity.languages.rust.table import RUST
from supervisor_ai.gates.integrity.model import TestCase, TestFile

AROUND = {
    "a_test.go": (GO, "package a\nfunc TestA(t *testing.T) {\n", "\n}\n"),
    "src/test/java/ATest.java": (JAVA, "class ATest {\n@Test void adds() {\n", "\n}\n}\n"),
    "a.test.js": (JAVASCRIPT, "it('adds', () => {\n", "\n})\n"),
    "test_a.py": (PYTHON, "def test_a():\n", "\n"),
    "tests/a.rs": (RUST, "#[test]\nfn adds() {\n", "\n}\n"),
}


def one(path: str, body: str) -> TestCase:
    table, before, after = AROUND[path]
    assert isinstance(table, LanguageTable)
    found = TableReader(table).read(path, f"{before}{body}{after}".encode())
    assert isinstance(found, TestFile)
    (test,) = found.tests
    return test


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("a_test.go", 'if os.Getenv("CI") != "" { return }\nassert.Equal(t, 3, F(1))'),
        ("a_test.go", 'if os.Getenv("CI") != "" { assert.Equal(t, 3, F(1)) }'),
        (
            "src/test/java/ATest.java",
            'if (System.getenv("CI") != null) { return; }\nassertEquals(3, f(1));',
        ),
        ("a.test.js", "if (process.env.CI) { return }\nexpect(f(1)).toBe(3)"),
        ("a.test.js", "if (process.env.CI) { expect(f(1)).toBe(3) }"),
        ("test_a.py", "    if os.environ.get('CI'):\n        return\n    assert f(1) == 3"),
        ("test_a.py", "    if os.environ.get('CI'):\n        assert f(1) == 3"),
        ("tests/a.rs", 'if std::env::var("CI").is_ok() { return; }\nassert_eq!(f(1), 3);'),
    ],
)
def test_what_is_checked_on_some_machines_only_is_swallowed(path: str, body: str) -> None:
    assert one(path, body).swallows


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "src/test/java/ATest.java",
            "try { go(); } catch (Throwable e) { return; }\nassertEquals(3, f(1));",
        ),
        ("a.test.js", "try { go() } catch (e) { return }\nexpect(f(1)).toBe(3)"),
        (
            "test_a.py",
            "    try:\n        go()\n    except Exception:\n        return\n    assert f(1) == 3",
        ),
    ],
)
def test_who_gives_up_without_a_word_checks_nothing_behind(path: str, body: str) -> None:
    assert one(path, body).swallows


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("a_test.go", "assert.Equal(t, 8, (a+b)*c)\nassert.Equal(t, 8, a+b*c)"),
        ("a.test.js", "expect((a + b) * c).toBe(8)\nexpect(a + b * c).toBe(8)"),
        ("test_a.py", "    assert (a + b) * c == 8\n    assert a + b * c == 8"),
    ],
)
def test_brackets_make_another_sum(path: str, body: str) -> None:
    first, second = one(path, body).assertions
    assert first.text != second.text
