"""Edits of what decides whether tests count are found, and others are let pass."""

import pytest

from supervisor_ai.domain.run.gates import Area, Finding, Severity
from supervisor_ai.gates.integrity.change_sides import FileSides
from supervisor_ai.gates.integrity.protected_files.protected_changes import (
    is_protected,
    protected_changes,
)

COVERAGE, GATES, CI, SNAPSHOT = (
    "coverage_settings_changed",
    "gate_changed",
    "ci_changed",
    "snapshot_changed",
)


def found(
    path: str, before: str | None, after: str | None, *may_change: Area
) -> tuple[Finding, ...]:
    old, new = (None if side is None else side.encode() for side in (before, after))
    file = FileSides(path=path, before=old, after=new)
    return tuple(protected_changes([file], may_change))


def errors(path: str, before: str | None, after: str | None) -> set[str]:
    return {each.rule for each in found(path, before, after) if each.severity is Severity.ERROR}


@pytest.mark.parametrize(
    ("path", "before", "after", "rule"),
    [
        (".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 10\n", COVERAGE),
        (".coveragerc", "[report]\nfail_under = 90\n", None, COVERAGE),
        (".coveragerc", None, "[run]\nomit = src/*\n", COVERAGE),
        (".coveragerc", "[report]\nfail_under = 90\n", "no section", COVERAGE),
        ("pyproject.toml", "[tool.coverage.report]\nfail_under = 90\n", "", COVERAGE),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--cov-fail-under=90'\n",
         "[tool.pytest.ini_options]\naddopts = '--cov-fail-under=0'\n", COVERAGE),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['-ra']\n",
         "[tool.pytest.ini_options]\naddopts = ['-ra', '--deselect=tests/test_a.py']\n", COVERAGE),
        ("pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = ['tests']\n",
         "[tool.pytest.ini_options]\ntestpaths = ['tests/unit']\n", COVERAGE),
        ("pyproject.toml", "[tool.pytest]\ntestpaths = ['tests']\n", "[tool.pytest]\n", COVERAGE),
        ("pyproject.toml", "", "[tool.pytest.ini_options]\naddopts = '-k fast'\n", COVERAGE),
        ("pyproject.toml", "[tool.poe.tasks]\ntest = 'pytest'\n",
         "[tool.poe.tasks]\ntest = 'true'\n", GATES),
        ("pyproject.toml", "[tool.a]\nb = 1\n", "[tool.a\n", COVERAGE),
        ("setup.cfg", "[tool:pytest]\naddopts = -ra\n", "[tool:pytest]\naddopts = -ra -m fast\n",
         COVERAGE),
        ("setup.cfg", "[coverage:run]\nbranch = True\n", "[coverage:run]\n"
         "branch = False\n", COVERAGE),
        ("tox.ini", "[testenv]\ncommands = pytest\n", "[testenv]\ncommands = true\n", GATES),
        ("pytest.ini", "[pytest]\naddopts = -ra\n", "[pytest]\naddopts = -ra --ignore=tests/a\n",
         COVERAGE),
        ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "exit 0"}}', GATES),
        ("package.json", '{"jest": {"coverageThreshold": {"global": {"lines": 90}}}}', "{}",
         COVERAGE),
        ("package.json", '{"jest": {"coverageThreshold": {"global": {"lines": 90}}}}',
         '{"jest": {"coverageThreshold": {"global": {"lines": 9}}}}', COVERAGE),
        ("jest.config.js", "module.exports = {testMatch: ['**/*.test.js'], verbose: true}",
         "module.exports = {testMatch: ['**/a.test.js'], verbose: true}", COVERAGE),
        ("jest.config.json", '{"testMatch": ["a", "b"]}', '{"testMatch": ["a"]}', COVERAGE),
        ("web/vitest.config.ts", "test: { exclude: ['node_modules'] }",
         "test: { exclude: ['node_modules', 'src/**'] }", COVERAGE),
        ("vitest.config.ts", "test: {}", "test: { passWithNoTests: true }", COVERAGE),
        ("Cargo.toml", "[package]\nname = 'a'\n", "[package]\nname = 'a'\nautotests = false\n",
         COVERAGE),
        ("Cargo.toml", "[lib]\nname = 'a'\n", "[lib]\nname = 'a'\ntest = false\n", COVERAGE),
        ("Cargo.toml", "[lib]\nname = 'a'\n", "[[test]]\nname = 'a'\nharness = false\n", COVERAGE),
        ("Cargo.toml", "[[test]]\nname = 'a'\n", "[[test]]\nname = 'a'\ntest = false\n", COVERAGE),
        ("Cargo.toml", "", "[[test]]\nname = 'a'\nrequired-features = ['slow']\n", COVERAGE),
        ("Cargo.toml", "", "[profile.test]\noverflow-checks = false\n", COVERAGE),
        ("Cargo.toml", "[features]\ndefault = ['a']\na = []\nb = []\n",
         "[features]\ndefault = ['b']\na = []\nb = []\n", COVERAGE),
        ("Cargo.toml", "[package]\nname = 'a'\n",
         "[package]\nname = 'a'\n[dev-dependencies]\na = {features = ['b']}\n", COVERAGE),
        (".cargo/config.toml", "[build]\njobs = 2\n",
         "[build]\nrustflags = ['--cfg', 'checked']\n", GATES),
        (".cargo/config.toml", "[build]\njobs = 2\n", "[target.x]\nrunner = 'true'\n", GATES),
        ("codecov.yml", "coverage: 90\n", "coverage: 10\n", COVERAGE),
        (".nycrc.json", "{}", "[]", COVERAGE),
        ("Makefile", "test:\n\tpytest\n", "test:\n\ttrue\n", GATES),
        ("Makefile", "test: build\n\tpytest\n", "build:\n\tmake\n", GATES),
        ("Makefile", "PYTEST = pytest\ntest:\n\t$(PYTEST)\n", "PYTEST = true\ntest:\n\t$(PYTEST)\n",
         GATES),
        ("justfile", "test:\n    cargo test\n", "test:\n    echo ok\n", GATES),
        (".supervisor/config.yaml", "gates: {}\n", "gates: []\n", GATES),
        (".supervisor/config.yaml", None, "gates: []\n", GATES),
        ("noxfile.py", "a", "b", GATES),
        (".github/workflows/test.yml", "on: push\n", "on: never\n", CI),
        (".gitlab-ci.yml", "a", None, CI),
        ("Jenkinsfile", "a", "b", CI),
        (".circleci/config.yml", "a", "b", CI),
        ("src/__snapshots__/a.test.js.snap", "a", "b", SNAPSHOT),
        ("src/__snapshots__/a.test.js.snap", "a", None, SNAPSHOT),
        ("tests/__snapshots__/test_a.ambr", "a", "b", SNAPSHOT),
        ("testdata/out.golden", "a", "b", SNAPSHOT),
        ("src/snapshots/a__b.snap", "a", "b", SNAPSHOT),
    ],
)  # fmt: skip
def test_an_edit_that_decides_what_counts_is_found(
    path: str, before: str | None, after: str | None, rule: str
) -> None:
    assert is_protected(path)
    assert rule in errors(path, before, after)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("pyproject.toml", "[project]\nversion = '1'\n", "[project]\nversion = '2'\n"),
        ("pyproject.toml", "[tool.coverage.report]\nfail_under = 80\n",
         "[tool.coverage.report]\nfail_under = 90\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-ra -q'\n",
         "[tool.pytest.ini_options]\naddopts = '-ra --strict-markers'\n"),
        ("pyproject.toml", None, "[tool.pytest.ini_options]\ntestpaths = ['tests']\n"),
        ("pyproject.toml", "[tool", "[tool"),
        ("package.json", '{"version": "1"}', '{"version": "2", "scripts": {"build": "tsc"}}'),
        ("package.json", '{"scripts": {"test": "jest"}}',
         '{"scripts": {"test": "jest", "test:e2e": "playwright test"}}'),
        ("jest.config.js", "x = {verbose: true, testMatch: ['a']}", "x = {testMatch: ['a']}"),
        ("Makefile", "test:\n\tpytest\nrun:\n\tgo\n", "test:\n\tpytest\nrun:\n\tstop\nlint:\n"
         "\truff\n"),
        ("Cargo.toml", "[dependencies]\na = '1'\n", "[dependencies]\na = '2'\n"),
        ("Cargo.toml", "", "[[test]]\nname = 'a'\npath = 'checks/a.rs'\n"),
        ("Cargo.toml", "[[test]]\nname = 'a'\nharness = false\n", "[[test]]\nname = 'a'\n"),
        ("Cargo.toml", "[profile.dev]\noverflow-checks = false\n", "[profile.dev]\n"),
        ("Cargo.toml", "[features]\ndefault = ['a']\na = []\n",
         "[features]\ndefault = ['a', 'b']\na = []\nb = []\n"),
        ("Cargo.toml", "[features]\ndefault = ['a']\na = []\n", "[features]\n"),
        (".cargo/config.toml", "[build]\njobs = 2\n", "[build]\njobs = 4\n"),
        ("tests/__snapshots__/new.snap", None, "a"),
        (".github/workflows/new.yml", None, "on: push\n"),
        ("src/shop.py", "a = 1\n", "a = 2\n"),
        ("tests/data/snapshot_of_time.py", "a = 1\n", "a = 2\n"),
    ],
)  # fmt: skip
def test_other_edits_pass(path: str, before: str | None, after: str | None) -> None:
    assert errors(path, before, after) == set()


@pytest.mark.parametrize(
    ("path", "area"),
    [
        (".coveragerc", Area.COVERAGE),
        (".supervisor/config.yaml", Area.GATES),
        ("Jenkinsfile", Area.CI),
        ("a.snap", Area.SNAPSHOTS),
    ],
)
def test_a_role_that_may_is_let_pass(path: str, area: Area) -> None:
    before, after = "[run]\nbranch = True\n", "[run]\nbranch = False\n"
    assert errors(path, before, after)
    assert found(path, before, after, area) == ()


def test_hostile_settings_are_not_understood_but_survived() -> None:
    deep = '{"jest":' * 20_000
    assert errors("package.json", '{"jest": {"a": 1}}', deep) == {COVERAGE, GATES}
    assert errors("package.json", '{"jest": {"a": 1}}', "\0") == {COVERAGE, GATES}
    assert errors("pyproject.toml", "[tool.a]\n", "a = [" * 20_000) == {COVERAGE, GATES}
