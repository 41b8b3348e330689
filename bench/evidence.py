"""What a green gate costs that is contradicted before it counts, in runs of the tests alone."""

import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from bench.gates import make_environment, make_project, run_once

ROUNDS: Final = 3
MODULES: Final = 6
TESTS: Final = 10
GOALS: Final = {"the product alone": (1.2, 2.2), "product and tests": (2.5, 3.5)}


def evidence() -> Iterator[str]:
    """Time gates of changes to one of several modules, base known and not known."""
    yield "| change of | base known | goal | base not known | goal |\n|---|---:|---:|---:|---:|"
    for name, goals in GOALS.items():
        ratios = [_ratio(touches_tests="tests" in name, which=at) for at in _places()]
        known, more = (statistics.median(column) for column in zip(*ratios, strict=True))
        yield f"| {name} | {known:.2f} | {goals[0]} | {more:.2f} | {goals[1]} |"


def _places() -> list[int]:
    """Return which module is changed in each round: first, middle, last."""
    return [0, MODULES // 2, MODULES - 1][:ROUNDS]


def _ratio(*, touches_tests: bool, which: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        environment = make_environment(place)
        change = {f"part{which}.py": _module(which, "product + 0")}
        if touches_tests:
            change[f"test_part{which}.py"] = _tests(which, TESTS + 1)
        make_project(place / "project", environment, _files(), change)
        alone = _alone(place / "project", environment)
        took = run_once(place / "project", environment)
    return took["test"] / alone, (took["test"] + took["baseline of test"]) / alone


def _alone(project: Path, environment: Mapping[str, str]) -> float:
    """Run the tests without anybody; return how many milliseconds they took."""
    begun = time.monotonic()
    command = ["python3", "-m", "unittest", "discover"]
    subprocess.run(command, cwd=project, env=environment, capture_output=True, check=True)
    return (time.monotonic() - begun) * 1000


def _files() -> dict[str, str]:
    modules = {f"part{at}.py": _module(at, "product") for at in range(MODULES)}
    return modules | {f"test_part{at}.py": _tests(at, TESTS) for at in range(MODULES)}


def _module(at: int, answer: str) -> str:
    return f"def times{at}(number):\n    product = {at} * number\n    return {answer}\n"


def _tests(at: int, tests: int) -> str:
    head = f"import time\nimport unittest\n\nfrom part{at} import times{at}\n\n\n"
    body = "    def test_{0}(self):\n        time.sleep(0.1)\n"
    body += f"        self.assertEqual(times{at}({{0}}), {at} * {{0}})\n"
    each = "\n".join(body.format(number) for number in range(tests))
    return f"{head}class Part{at}Test(unittest.TestCase):\n{each}"
