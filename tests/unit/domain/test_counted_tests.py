"""How many tests a runner says it has run or collected."""

import pytest

from supervisor_ai.domain.run.counted_tests import count_tests


@pytest.mark.parametrize(
    ("output", "count"),
    [
        ("..\n2 passed in 0.01s", 2),
        ("==== 1 failed, 3 passed, 2 skipped, 1 warning in 1.2s ====", 4),
        ("no tests ran in 0.00s", None),
        ("======= 12 tests collected in 0.3s =======", 12),
        ("3/12 tests collected (9 deselected) in 0.1s", 12),
        ("Ran 7 tests in 0.001s\n\nOK", 7),
        ("Tests:       1 failed, 5 passed, 6 total", 6),
        ("      Tests  4 passed (4)", 4),
        ("  9 passing (12ms)", 9),
        ("test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed", 5),
        ("--- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\nok  	x	0.1s", 2),
        ("[INFO] Tests run: 11, Failures: 0, Errors: 0, Skipped: 0", 11),
        ("I passed 5 tests, honestly", None),
        ("", None),
        ("9" * 10_000, None),
    ],
)
def test_runners_are_understood(output: str, count: int | None) -> None:
    assert count_tests(output) == count
