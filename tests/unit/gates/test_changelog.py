"""Whether a change of the product is told to its users."""

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits

from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.changelog import examine_changelog

CASE = ChangeCase(base=BASE, head=HEAD)


def rules(before: dict[str, str | bytes], after: dict[str, str | bytes]) -> list[str]:
    found = examine_changelog(CASE, MemoryCommits(base=before, head=after))
    assert found.summary
    return [finding.rule for finding in found.findings]


@pytest.mark.parametrize(
    "changelog",
    [
        "CHANGELOG.md",
        "CHANGELOG",
        "CHANGES.rst",
        "HISTORY.txt",
        "NEWS",
        "docs/changelog.md",
        "packages/a/CHANGELOG.md",
        "changelog.d/12.fixed.md",
        "newsfragments/12.bugfix",
        ".changeset/brave-cats.md",
        "CHANGELOG-v2.md",
        "RELEASE_NOTES.md",
    ],
)
def test_a_new_line_in_a_changelog_is_enough(changelog: str) -> None:
    assert rules({"a.py": "1", changelog: "old\n"}, {"a.py": "2", changelog: "old\nnew\n"}) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a.py": "1"}, {"a.py": "2"}),
        ({"a.py": "1"}, {}),
        ({"a.py": "1", "CHANGELOG.md": "x\ny\n"}, {"a.py": "2", "CHANGELOG.md": "x\n"}),
        ({"a.py": "1", "CHANGELOG.md": "x\n"}, {"a.py": "2", "CHANGELOG.md": "x\n\n  \n"}),
        ({"a.py": "1", "CHANGELOG.md": "x\n"}, {"a.py": "2"}),
        ({}, {"src/history.py": "x"}),
        ({}, {"src/changes/apply.py": "x"}),
        ({"requirements.txt": "a"}, {"requirements.txt": "b"}),
        ({"a.py": "1"}, {"a.py": "2", ".changeset/config.json": "{}", ".changeset/README.md": "x"}),
    ],
)
def test_a_silent_change_is_found(
    before: dict[str, str | bytes], after: dict[str, str | bytes]
) -> None:
    assert rules(before, after) == ["changelog_missing"]


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/a.html",
        "tests/test_a.py",
        "src/a.test.ts",
        "pkg/a_test.go",
        ".github/workflows/ci.yml",
        "uv.lock",
        "package-lock.json",
        "LICENSE",
    ],
)
def test_what_is_not_the_product_needs_no_line(path: str) -> None:
    assert rules({}, {path: "x"}) == []
