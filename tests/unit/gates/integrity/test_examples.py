"""Examples in documentation that are run as tests may not vanish or be switched off."""

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, two_commits

from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.integrity.examine import examine_tests, known_languages

PYTHON = '''def double(x):
    """Double.

    >>> double(2)
    4
    >>> double(3)
    6
    """
    return 2 * x
'''
RUST = """//! A crate.
//!
//! ```
//! assert!(true);
//! ```

use std::fmt;

/// Doubles.
///
/// ```
/// assert_eq!(double(2), 4);
/// ```
#[inline]
pub fn double(x: i32) -> i32 {
    2 * x
}
"""
CONFIG = {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--doctest-modules'\n"}


def found(
    path: str, before: str, after: str, others: dict[str, str] | None = None
) -> list[Finding]:
    shared = others or {}
    commits = two_commits({path: before, **shared}, {path: after, **shared})
    seen = examine_tests(ChangeCase(base=BASE, head=HEAD), commits, known_languages())
    return [each for each in seen.findings if each.rule == "example_removed"]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("shop/a.py", PYTHON, PYTHON.replace("double(2)\n", "double(2)  # doctest: +SKIP\n")),
        ("shop/a.py", PYTHON, "def double(x):\n    return 2 * x\n"),
        ("src/lib.rs", RUST, RUST.replace("/// ```\n/// assert", "/// ```ignore\n/// assert")),
        ("src/lib.rs", RUST, RUST.replace("/// ```\n/// assert", "/// ```text\n/// assert")),
        ("src/lib.rs", RUST, RUST.replace("//! ```\n//! assert!(true);\n//! ```\n", "")),
    ],
)
def test_examples_that_no_longer_run(path: str, before: str, after: str) -> None:
    (one,) = found(path, before, after, CONFIG)
    assert one.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("shop/a.py", PYTHON, PYTHON.replace("    >>> double(2)\n    4\n", "")),
        ("shop/a.py", PYTHON.replace("3", "5"), PYTHON.replace("    >>> double(3)\n    6\n", "")),
    ],
)
def test_fewer_examples_are_noted(path: str, before: str, after: str) -> None:
    (one,) = found(path, before, after, CONFIG)
    assert one.severity is Severity.NOTE


def test_examples_that_nobody_runs_are_noted() -> None:
    (one,) = found("shop/a.py", PYTHON, "def double(x):\n    return 2 * x\n")
    assert one.severity is Severity.NOTE


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("shop/a.py", PYTHON, ""),
        ("shop/a.py", PYTHON, PYTHON.replace("double(2)\n    4", "double(7)\n    14")),
        ("src/lib.rs", RUST, RUST.replace("Doubles", "Doubles a number")),
        ("src/lib.rs", RUST, RUST.replace("/// ```\n/// assert", "/// ```rust\n/// assert")),
        ("src/lib.rs", RUST.replace("``` \n", "```sh\n"), RUST),
    ],
)
def test_what_loses_no_example(path: str, before: str, after: str) -> None:
    assert found(path, before, after, CONFIG) == []
