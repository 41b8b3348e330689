"""Which files and settings decide what is tested and how."""

import re
from typing import Final

from supervisor_ai.domain.run.gates import Area

WHOLE: Final = (
    (
        Area.SNAPSHOTS,
        re.compile(
            r"(?:.*/)?(?:__snapshots__|__image_snapshots__|__file_snapshots__)/.*"
            r"|.*\.(?:snap|ambr|golden)"
            r"|(?:.*/)?(?:testdata|golden|goldens|snapshots)/(?:.*/)?[^/]*golden[^/]*"
            r"|(?:.*/)?(?:tests?|testdata|spec)/(?:.*/)?(?:golden|goldens|snapshots)/.*"
            r"|.*\.approved\.[^/]*"
        ),
    ),
    (
        Area.CI,
        re.compile(
            r"\.github/(?:workflows|actions)/.*|\.gitlab-ci\.ya?ml|\.gitlab/ci/.*|\.circleci/.*"
            r"|(?:.*/)?Jenkinsfile[^/]*|azure-pipelines[^/]*\.ya?ml|\.azure-pipelines/.*"
            r"|\.travis\.ya?ml|\.buildkite/.*|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml"
            r"|\.?appveyor\.ya?ml|\.woodpecker(?:/.*|\.ya?ml)|cloudbuild\.ya?ml|\.ci/.*"
            r"|\.cirrus\.ya?ml|\.teamcity/.*|\.forgejo/workflows/.*|\.gitea/workflows/.*"
        ),
    ),
    (
        Area.GATES,
        re.compile(
            r"\.supervisor/.*|(?:.*/)?(?:noxfile|tasks)\.py|\.pre-commit-config\.ya?ml"
            r"|(?:.*/)?[Tt]askfile\.ya?ml|lefthook\.ya?ml|\.husky/.*"
        ),
    ),
    (
        Area.COVERAGE,
        re.compile(
            r"(?:.*/)?(?:\.?codecov\.ya?ml|\.coveralls\.ya?ml|\.?tarpaulin\.toml)"
            r"|(?:.*/)?\.(?:nycrc|c8rc|mocharc)[^/]*|(?:.*/)?\.config/nextest\.toml"
            r"|(?:.*/)?(?:sonar-project\.properties|\.testcoverage\.ya?ml|coverlet\.runsettings)"
        ),
    ),
)
"""Files that are about nothing else."""

SCRIPTED: Final = re.compile(
    r"(?:.*/)?(?:jest|vitest|vite|playwright|cypress|karma|wdio|ava|mocha)\.(?:config|conf)\.[^/]+"
)
"""Settings that are written as code: only some words in them matter."""

SCRIPT_KEYS: Final = (
    *("coverageThreshold", "coveragePathIgnorePatterns", "collectCoverageFrom", "collectCoverage"),
    *("testMatch", "testRegex", "testPathIgnorePatterns", "modulePathIgnorePatterns", "thresholds"),
    *("threshold", "testIgnore", "exclude", "include", "passWithNoTests", "testNamePattern"),
    *("specPattern", "excludeSpecPattern", "grep", "grepInvert", "bail", "allowOnly", "roots"),
    *("testTimeout", "snapshotResolver", "dangerouslyIgnoreUnhandledErrors", "forbidOnly"),
)

TEST_WORD: Final = re.compile(
    r"test|check|lint|(?:^|[^a-z])ci(?:$|[^a-z])|cover|verify|mypy|types?|format|fmt|gate|audit"
    r"|security|pytest|ruff|spec",
    re.IGNORECASE,
)
"""How the targets and scripts are named that say whether the code is good."""

NARROWING: Final = re.compile(
    r"(?:^|[\s'\"\[,=])(?:-k|-m|--ignore(?:-glob)?|--deselect|--collect-only|--co|--no-cov|--lf"
    r"|-x|--maxfail|--exitfirst|--last-failed|--stepwise|-p\s*no:\w+|--reruns|--no-summary"
    r"|--testNamePattern|-t|--testPathIgnorePatterns|--passWithNoTests)"
    r"(?=$|[\s'\"\],=])"
)
"""Options that leave tests out, or let them fail."""

HARMLESS: Final = re.compile(r"-[qvsra]+[A-Za-z]*|--tb=\w+|--color=\w+|--durations=\d+|-n\s*\w+")

STRICTER: Final = re.compile(
    r"-count=1|-shuffle=(?:on|\d+)|-race|-v+|-cover(?:profile=\S+|mode=\S+)?|-vet=all|-failfast=false"
    r"|--workspace|--all|--all-targets|--all-features|--no-fail-fast|--locked|--frozen|--include-ignored"
    r"|--cov(?:=\S+)?|--cov-branch|--cov-fail-under=\d+|--strict(?:-\w+)*|-W|error|-Werror|--verbose"
    r"|--coverage|--ci|--max-warnings=0|--runInBand|--forbid-only|--check-leaks|--randomize|--doctest-\w+"
    r"|-ra|-n|auto|\d+|-p|randomly|--durations=\d+|--color=\w+|-D|warnings|--experimental-test-coverage"
)
"""Options that let a runner run more, or be stricter, or say more."""

LEAVING_OUT: Final = frozenset(
    {"omit", "exclude_lines", "exclude_also", "partial_branches", "norecursedirs", "python_files"}
    | {"python_classes", "python_functions", "testPathIgnorePatterns", "passWithNoTests"}
    | {"testIgnore", "testNamePattern", "coveragePathIgnorePatterns", "excludeSpecPattern"}
    | {"autotests", "own-features", "grepInvert", "dangerouslyIgnoreUnhandledErrors"}
)
"""Settings that say less even where nothing was said before."""

RULES: Final = {
    Area.COVERAGE: ("coverage_settings_changed", "what is tested or how much of it must be"),
    Area.GATES: ("gate_changed", "how the code is judged"),
    Area.CI: ("ci_changed", "what continuous integration does"),
    Area.SNAPSHOTS: ("snapshot_changed", "what tests expect"),
}
