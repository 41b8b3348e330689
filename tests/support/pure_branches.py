"""Coverage of the pure places, traced in the tests that reach them and in no others.

A tracer slows down everything that runs under it, so it is on while these modules are imported, off
while pytest collects, and on in the tests of `REACHING`; `scripts/test` demands that each branch of
`PURE` is taken by them. Tests that draw their examples are not traced: what they reach, an example
that somebody wrote down has to reach as well.
"""

from collections.abc import Generator, Iterable
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest
from coverage import Coverage
from hypothesis import is_hypothesis_test

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "supervisor_ai"
PURE: Final = (
    *("domain/**/*.py", "engine/**/*.py", "drivers/moves/*.py", "drivers/*/driver.py"),
    *(f"drivers/checkpoint/{it}/*.py" for it in ("checks", "event_kinds", "facts", "protocol")),
    *(f"drivers/checkpoint/{it}.py" for it in ("accumulator", "events", "lifecycle", "report")),
    *(f"drivers/checkpoint/{it}.py" for it in ("report_text", "score", "spec", "wisdom")),
    *(f"drivers/checkpoint/{it}.py" for it in ("decisions/*", "effects", "kinds")),
    *(f"drivers/checkpoint/performers/{it}.py" for it in ("answer_text", "brief", "context")),
    *(f"drivers/feature/{it}.py" for it in ("plan/*", "decide", "definition", "effects")),
    *(f"drivers/feature/{it}.py" for it in ("events", "kinds", "parts", "state", "decisions/*")),
    *(f"drivers/feature/projects/{it}.py" for it in ("effects", "events", "landings", "values")),
    "drivers/feature/drafts/step.py",
    *(f"drivers/feature/projects/{it}.py" for it in ("effects", "events", "landings", "values")),
    *(f"drivers/feature/interfaces/{it}.py" for it in ("book", "checks", "effects", "events")),
    *(f"drivers/kanban/{it}.py" for it in ("board/*", "decide", "definition", "effects", "events")),
    *(f"drivers/kanban/{it}.py" for it in ("kinds", "orders", "state")),
    *(f"drivers/kanban/{it}.py" for it in ("obligation", "performer")),
    *(f"drivers/team/{it}/*.py" for it in ("staffing", "text", "machines", "decisions")),
    *(f"drivers/team/{it}.py" for it in ("decide", "own_runs", "state", "sent", "words", "events")),
    *(f"drivers/team/{it}.py" for it in ("event_kinds/*", "residence/definition")),
    *(f"drivers/team/residence/{it}.py" for it in ("effects", "lifecycle", "memory")),
    *(f"drivers/team/residence/{it}.py" for it in ("run_events", "wishes")),
    *(f"drivers/loop/{it}.py" for it in ("answers", "book", "briefs", "decisions/*", "definition")),
    *(
        f"drivers/loop/{it}.py"
        for it in ("effects", "events", "kinds", "report", "routes", "rules")
    ),
    *(f"drivers/loop/{it}.py" for it in ("signals", "state", "window", "performers/roles")),
    *(f"drivers/quality/{it}.py" for it in ("directives", "events", "findings", "kinds")),
    *(f"drivers/quality/{it}.py" for it in ("attached", "effects", "looks", "performers")),
    *(
        f"drivers/quality/{it}.py"
        for it in ("look_facts", "settings", "standing_facts", "supervisors")
    ),
    *(f"drivers/quality/{it}.py" for it in ("threads", "urgency")),
    *(f"drivers/team/folder/{it}.py" for it in ("decisions_page", "model")),
    *(f"drivers/team/folder/{it}.py" for it in ("state_page", "state_reader")),
)
"""What has every branch covered, as patterns below the package."""
REACHING: Final = (
    *("tests/unit/domain", "tests/unit/engine", "tests/unit/control"),
    *("tests/unit/drivers/checkpoint", "tests/integration/checkpoint"),
    *("tests/unit/drivers/team", "tests/integration/team"),
    *("tests/unit/drivers/feature", "tests/integration/feature", "tests/unit/definitions/feature"),
    *(f"tests/unit/redaction/test_{it}.py" for it in ("corpus", "marks", "nonces", "prefilter")),
    *(
        f"tests/unit/redaction/test_{it}.py"
        for it in ("redaction", "sieve", "traps", "trees", "withholding")
    ),
    *("tests/histories", "tests/integration/engine", "tests/integration/kanban"),
    *("tests/integration/loop", "tests/unit/drivers/loop", "tests/unit/drivers/quality"),
)
"""Where the tests are that take these branches."""


def pure_files(package: Path = PACKAGE, patterns: Iterable[str] = PURE) -> list[str]:
    """Find the files of which every branch is demanded; each pattern names one at least."""
    found = {pattern: sorted(map(str, package.glob(pattern))) for pattern in patterns}
    missing = [pattern for pattern, files in found.items() if not files]
    assert not missing, f"No file is named by {missing}."
    return [file for files in found.values() for file in files]


class PureBranches:
    """A plug-in of pytest that measures one process of the tests, from now on."""

    def __init__(self, file: Path, *, files: Iterable[str], places: Iterable[str]) -> None:
        self._files = list(files)
        self._places = tuple(ROOT / place for place in places)
        self._coverage = Coverage(
            data_file=str(file),
            data_suffix=True,
            config_file=False,
            branch=True,
            include=self._files,
        )
        self._is_on = False
        self._switch(is_on=True)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure the test if it is one of those that are to reach everything."""
        self._switch(is_on=self._counts(item))
        return (yield)

    def pytest_unconfigure(self) -> None:
        """Write down what the process reached that collected the tests."""
        self.save()

    def save(self) -> None:
        """Write down what was reached; a file that nothing has imported has no branch taken."""
        self._switch(is_on=False)
        self._coverage.get_data().touch_files(self._files)
        self._coverage.save()

    def import_all(self) -> None:
        """Import what is measured, and pause until the first test."""
        for file in self._files:
            import_module(_module(Path(file)))
        self._switch(is_on=False)

    def _counts(self, item: pytest.Item) -> bool:
        is_drawn = isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
        return not is_drawn and any(item.path.is_relative_to(place) for place in self._places)

    def _switch(self, *, is_on: bool) -> None:
        if is_on and not self._is_on:
            self._coverage.start()
        elif self._is_on and not is_on:
            self._coverage.stop()
        self._is_on = is_on


def _module(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")
