"""Count every step and every test of a report directory and print one closing line."""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as Xml

FAILED = {"failure", "error"}


def verdicts_of_steps(steps: Path) -> list[str]:
    """Return the verdicts that scripts/steps.bash recorded, one `VERDICT NAME` per line."""
    return [line.split(maxsplit=1)[0] for line in steps.read_text().splitlines()]


def verdicts_of_tests(report: Path) -> list[str]:
    """Return the verdicts of the tests in one JUnit report."""
    tree = Xml.parse(report)  # noqa: S314 - our own pytest wrote it a moment ago
    return [verdict_of_test({part.tag for part in case}) for case in tree.iter("testcase")]


def verdict_of_test(parts: set[str]) -> str:
    """Say what the parts of a JUnit test case mean."""
    if parts & FAILED:
        return "failed"
    return "skipped" if "skipped" in parts else "passed"


def closing_line(verdicts: Counter[str]) -> str:
    """Say the counts as `N passed, N failed`, and what was skipped if anything was."""
    line = f"{verdicts['passed']} passed, {verdicts['failed']} failed"
    return f"{line}, {verdicts['skipped']} skipped" if verdicts["skipped"] else line


def main(reports: Path) -> int:
    """Print the closing line; return 1 if anything failed or nothing ran."""
    verdicts = Counter(verdicts_of_steps(reports / "steps"))
    for report in reports.glob("*.xml"):
        verdicts.update(verdicts_of_tests(report))
    print(closing_line(verdicts))
    return 0 if verdicts["passed"] and not verdicts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
