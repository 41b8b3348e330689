"""Gates that look at real commits: links, modes and patches as git tells them."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.integration.context.real_git import Project

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import GateKind, GateWord, Severity
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.examiner import RepositoryExaminer
from supervisor_ai.workspaces.commits.commit_files import CommitFiles

OLD: dict[str, bytes | None] = {
    "src/api/a.py": b"def a():\n    return 1\n",
    "src/gone.py": b"x\n",
    "tests/test_a.py": b"def test_a():\n    assert a() == 1\n",
    ".envrc": b"export A=1\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def examine(
    project: Project, kind: GateWord, base: CommitSha, head: CommitSha, answer: str | None = None
) -> Examination:
    case = ChangeCase(base=base, head=head, answer=answer)
    examiner = RepositoryExaminer(CommitFiles(project.ask), base.startswith)
    return asyncio.run(examiner.examine(kind, case))


def test_modes_and_links_of_files_that_run_by_themselves_count(project: Project) -> None:
    base = project.commit(OLD)
    (project.root / ".envrc").chmod(0o755)
    (project.root / ".vscode").symlink_to("src")
    head = project.commit({})
    found = examine(project, GateKind.AUTO_RUN_FILES, base, head)
    assert [(finding.file, finding.severity) for finding in found.findings] == [
        (".envrc", Severity.ERROR),
        (".vscode", Severity.ERROR),
    ]
    assert "another kind" in found.findings[0].message


def test_claims_are_compared_with_what_git_keeps(project: Project) -> None:
    base = project.commit(OLD)
    (project.root / "link").symlink_to("src")
    head = project.commit(
        {
            "src/api/a.py": b"def a():\n    return 2\n",
            "src/gone.py": None,
            "tests/test_a.py": b"def test_a():\n    assert a() == 2\n",
            "tests/test_b.py": b"def test_b():\n    assert a() == 2\n",
        }
    )
    honest = {
        "summary": f"Built on commit {base[:10]}.",
        "files_created": ["link", "tests/test_b.py"],
        "files_modified": ["/workspace/src/api/a.py", "tests/test_a.py"],
        "files_deleted": ["src/gone.py"],
        "tests_written": ["tests/test_b.py::test_b"],
    }
    found = examine(project, GateKind.CLAIMS, base, head, json.dumps(honest))
    assert found.findings == ()
    false = honest | {
        "summary": "Committed as 0badbeef.",
        "files_created": ["src/never.py"],
        "tests_written": ["test_b", "test_c"],
    }
    found = examine(project, GateKind.CLAIMS, base, head, json.dumps(false))
    assert [finding.rule for finding in found.findings] == [
        "false_file_claim",
        "false_test_claim",
        "false_commit_claim",
        "unreported_change",
        "unreported_change",
    ]


def test_patches_tell_complexity_and_changelogs(project: Project) -> None:
    base = project.commit({**OLD, "CHANGELOG.md": b"# Changes\n"})
    head = project.commit(
        {
            "src/api/a.py": b"def a(password):\n    return 1\n",
            "src/db/b.py": b"b = 1\n",
            "CHANGELOG.md": b"# Changes\n- a password\n",
        }
    )
    assert examine(project, GateKind.COMPLEXITY, base, head).summary == (
        "The change is medium: 2 layers (api, storage), existing behaviour changes,"
        " near a sensitive area (password)."
    )
    assert examine(project, GateKind.CHANGELOG, base, head).findings == ()
    silent = project.commit({"src/db/b.py": b"b = 2\n"})
    assert len(examine(project, GateKind.CHANGELOG, head, silent).findings) == 1
