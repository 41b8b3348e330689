"""The first failure in what commands print."""

import pytest

from supervisor_ai.control.queries.first_failures import first_failure

UNITTEST = """\
F.
======================================================================
FAIL: test_add (test_calc.T.test_add)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/w/test_calc.py", line 4, in test_add
    self.assertEqual(add(2, 3), 5)
AssertionError: -1 != 5

======================================================================
ERROR: test_zero (test_calc.T.test_zero)
ValueError: not this one
FAILED (failures=1, errors=1)
"""
BROKEN = """\
ERROR: test_calc (unittest.loader._FailedTest.test_calc)
ImportError: Failed to import test module: test_calc
Traceback (most recent call last):
  File "/w/calc.py", line 1
    def add(a, b)
SyntaxError: expected ':'
"""
PYTEST = """\
=================================== FAILURES ===================================
___________________________________ test_add ___________________________________
>       assert add(2, 3) == 5
E       assert -1 == 5
=========================== short test summary info ============================
FAILED tests/test_calc.py::test_add - assert -1 == 5
FAILED tests/test_calc.py::test_zero - assert -7 == 7
"""
GO = """\
--- FAIL: TestAdd (0.00s)
    calc_test.go:9: Add(2, 3) = -1, want 5
FAIL
exit status 1
"""
RUST = """\
test adds ... FAILED
---- adds stdout ----
thread 'adds' panicked at tests/calc.rs:4:5:
assertion `left == right` failed
"""
JEST = """\
 FAIL  ./calc.test.js
  ● calc \u203a adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 5
    Received: -1
"""
TAP = "not ok 1 - adds two numbers\n  ---\n  error: 'no such sum'\n"
MYPY = 'calc.py:2: error: Unsupported operand types for - ("str" and "int")  [operator]\n'
GCC = "calc.c:3:5: error: 'x' undeclared\nmake: *** [calc.o] Error 1\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (UNITTEST, "test_add (test_calc.T.test_add): AssertionError: -1 != 5"),
        (
            BROKEN,
            "test_calc (unittest.loader._FailedTest.test_calc): SyntaxError: expected ':'",
        ),
        (PYTEST, "FAILED tests/test_calc.py::test_add - assert -1 == 5"),
        (GO, "TestAdd: Add(2, 3) = -1, want 5"),
        (RUST, "adds: panicked at tests/calc.rs:4:5: assertion `left == right` failed"),
        (JEST, "calc \u203a adds: Expected: 5"),
        (TAP, "adds two numbers: 'no such sum'"),
        (MYPY, MYPY.strip()),
        (GCC, "calc.c:3:5: error: 'x' undeclared"),
        (
            "make: *** No rule to make target 'test'.  Stop.\n",
            "make: *** No rule to make target 'test'.  Stop.",
        ),
        ("/bin/sh: 1: tox: not found\n", "/bin/sh: 1: tox: not found"),
        ("\x1b[31mERROR: \x1b]0;owned\x07boom\x1b[0m\n", "boom"),
        ("", ""),
    ],
)
def test_the_first_failure_is_named_with_its_reason(text: str, line: str) -> None:
    assert first_failure(text) == line


def test_a_long_output_is_read_at_both_ends_and_a_long_line_is_cut() -> None:
    text = "x\n" * 1_000_000 + "FAILED t.py::test_a - " + "y" * 1_000
    found = first_failure(text)
    assert found.startswith("FAILED t.py::test_a - yy")
    assert found.endswith("…")
    assert len(found) < 400


COLLECTED = """\
==================================== ERRORS ====================================
___________________ ERROR collecting tests/test_missing.py ____________________
ImportError while importing test module '/w/tests/test_missing.py'.
Traceback:
tests/test_missing.py:1: in <module>
    import missing
E   ModuleNotFoundError: No module named 'missing'
=========================== short test summary info ============================
ERROR tests/test_missing.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 0.93s ===============================
"""


def test_a_module_that_could_not_be_collected_is_named_with_why() -> None:
    why = "ModuleNotFoundError: No module named 'missing'"
    assert first_failure(COLLECTED) == f"tests/test_missing.py: {why}"
