"""What a worker reports, compared with what is there."""

import json

import pytest
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import CLAIM_RULES, Finding, Severity
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.integrity.examine import Languages, known_languages
from supervisor_ai.gates.worker_claims.claims_gate import examine_claims

TESTS = """\
def test_total():
    assert total([1, 2]) == 3
class TestCart:
    def test_empty(self): ...
# def test_planned(): soon
"""
SCRIPT = """\
it('adds two numbers', () => { expect(1).toBe(1) })
// it('is only said', () => {})
const wish = 'is only wished';
"""
WORDS = """\
NAME = "test_in_a_string"

def check_not_collected():
    \"\"\"Like test_in_a_docstring.\"\"\"
    assert NAME
"""
JAVA = """\
class TotalTest {
  /* void addsNothing() */
  @Test void addsAll() { assertEquals(3, total(1, 2)); }
}
"""
OLD = {
    "src/a.py": "a = 1\n",
    "src/same.py": "same\n",
    "src/gone.py": "gone\n",
    "tests/test_old.py": "def test_old():\n    assert a == 1\n",
    "app/[id]/page.tsx": "x",
}
NEW = {
    "src/a.py": "a = 2\n",
    "src/same.py": "same\n",
    "src/new.py": "new\n",
    "packages/api/lib/inner.ts": "export {}\n",
    "tests/test_new.py": TESTS,
    "tests/sum.test.js": SCRIPT,
    "README.md": "Run test_documented.\n",
    "tests/test_words.py": WORDS,
    "tests/TotalTest.java": JAVA,
    "tests/test_old.py": "def test_old():\n    assert a == 2\n",
    "app/[id]/page.tsx": "y",
}


def report(**claims: object) -> str:
    known: dict[str, object] = {
        "status": "SUCCESS",
        "summary": "",
        "files_created": [],
        "files_modified": [],
        "tests_written": [],
    }
    return json.dumps(known | claims)


def examine(
    answer: str | None, commits: MemoryCommits | None = None, **more: CommitSha
) -> Examination:
    case = replace(ChangeCase(base=BASE, head=HEAD, answer=answer), **more)  # type: ignore[arg-type] # names of commits
    return examine_claims(
        case,
        commits or MemoryCommits(base=OLD, head=NEW),
        {"abcdef1"}.__contains__,
        Languages(known_languages()),
    )


def errors(found: Examination) -> list[Finding]:
    return [finding for finding in found.findings if finding.severity is Severity.ERROR]


def notes(found: Examination) -> set[str]:
    return {finding.rule for finding in found.findings if finding.severity is Severity.NOTE}


@pytest.mark.parametrize(
    "claims",
    [
        {"files_created": ["src/new.py", "./tests/test_new.py"]},
        {"files_created": ["/workspace/src/new.py", "C:\\work\\src\\new.py", "src\\new.py"]},
        {"files_created": ["`src/new.py` (new)", "src/new.py - the code", "//src//new.py"]},
        {"files_created": ["lib/inner.ts", "inner.ts", "none", "  "]},
        {"files_modified": ["src/a.py", "src/new.py", "app/[id]/page.tsx", "src/a.py:12"]},
        {"files_deleted": ["src/gone.py"]},
        {"files_deleted": None},
        {"tests_written": ["tests/test_new.py", "tests/test_new.py:3", "test_new.py"]},
        {
            "tests_written": [
                "tests/test_new.py::test_total",
                "tests/test_new.py::TestCart::test_empty",
            ]
        },
        {"tests_written": ["test_total", "TestCart", "TestCart.test_empty", "test_total[1-2]"]},
        {"tests_written": ["adds two numbers", "tests/sum.test.js > adds two numbers", "addsAll"]},
        {"tests_written": ["test_total in tests/test_new.py", "Node.js and/or browser tests"]},
        {"tests_written": ["tests/test_new.py (2 tests)", "test_total()"]},
    ],
)
def test_honest_claims_hold(claims: dict[str, object]) -> None:
    assert errors(examine(report(**claims))) == []


@pytest.mark.parametrize(
    ("claims", "rule", "words"),
    [
        ({"files_created": ["src/never.py"]}, "false_file_claim", "no such file"),
        ({"files_created": ["src/same.py"]}, "false_file_claim", "unchanged"),
        ({"files_created": ["src/gone.py"]}, "false_file_claim", "no such file"),
        ({"files_created": ["../src/new.py"]}, "false_file_claim", "no such file"),
        ({"files_modified": ["src/same.py"]}, "false_file_claim", "unchanged"),
        ({"files_modified": ["/etc/passwd"]}, "false_file_claim", "no such file"),
        ({"files_deleted": ["src/a.py"]}, "false_file_claim", "it is there"),
        ({"tests_written": ["tests/test_never.py"]}, "false_test_claim", "no such file"),
        ({"tests_written": ["src/same.py"]}, "false_test_claim", "not changed"),
        ({"tests_written": ["tests/test_new.py::test_never"]}, "false_test_claim", "'test_never'"),
        ({"tests_written": ["tests/test_no.py::test_total"]}, "false_test_claim", "no such file"),
        ({"tests_written": ["test_never"]}, "false_test_claim", "'test_never'"),
        ({"tests_written": ["TestNever.test_total_sum"]}, "false_test_claim", "test_total_sum"),
        (
            {"tests_written": ["tests/test_new.py > does not add"]},
            "false_test_claim",
            "does not add",
        ),
        ({"tests_written": ["I wrote test_never, which is good"]}, "false_test_claim", "never"),
        ({"tests_written": ["cases in tests/test_no.py"]}, "false_test_claim", "no such file"),
        ({"tests_written": ["tests/unit/cart"]}, "false_test_claim", "no such file"),
        ({"tests_written": ["test_planned"]}, "false_test_claim", "is no test"),
        ({"tests_written": ["test_documented"]}, "false_test_claim", "is no test"),
        ({"tests_written": ["test_in_a_string"]}, "false_test_claim", "is no test"),
        ({"tests_written": ["test_in_a_docstring"]}, "false_test_claim", "is no test"),
        (
            {"tests_written": ["tests/test_words.py::check_not_collected"]},
            "false_test_claim",
            "no test",
        ),
        ({"tests_written": ["tests/sum.test.js > is only said"]}, "false_test_claim", "only said"),
        ({"tests_written": ["tests/sum.test.js > is only wished"]}, "false_test_claim", "wished"),
        ({"tests_written": ["addsNothing"]}, "false_test_claim", "is no test"),
    ],
)
def test_false_claims_are_found(claims: dict[str, object], rule: str, words: str) -> None:
    found = errors(examine(report(**claims)))
    assert [finding.rule for finding in found] == [rule]
    assert words in found[0].message


@pytest.mark.parametrize(
    ("claims", "rule"),
    [
        ({"files_created": ["src/a.py"]}, "imprecise_file_claim"),
        ({"files_modified": ["src/gone.py"]}, "imprecise_file_claim"),
        ({"files_deleted": ["scratch.py"]}, "imprecise_file_claim"),
        ({"files_created": ["src"]}, "vague_file_claim"),
        ({"files_created": ["nowhere/"]}, "vague_file_claim"),
        ({"files_modified": ["src/*.py"]}, "vague_file_claim"),
        ({"tests_written": ["several cases for the cart"]}, "unclear_test_claim"),
        ({"tests_written": ["test_old"]}, "test_not_new"),
        ({"summary": "Committed as deadbee."}, "false_commit_claim"),
        ({}, "unreported_change"),
    ],
)
def test_what_is_unclear_is_noted(claims: dict[str, object], rule: str) -> None:
    found = examine(report(**claims))
    assert errors(found) == []
    assert rule in notes(found)


def test_everything_that_is_reported_leaves_nothing_unreported() -> None:
    answer = report(
        files_created=["packages/"],
        files_modified=["src/*.py", "/w/app/[id]/page.tsx", "README.md", "tests/*"],
        tests_written=["tests/test_new.py::test_total", "cases in tests/test_old.py"],
        files_deleted=["src/gone.py"],
    )
    assert "unreported_change" not in notes(examine(answer))


def test_only_what_the_attempt_changed_can_be_unreported() -> None:
    commits = MemoryCommits(base=OLD, start={**NEW, "src/a.py": "a = 1\n"}, head=NEW)
    found = examine(report(), commits, start=CommitSha("start"))
    assert [finding.file for finding in found.findings] == ["src/a.py"]


def test_a_file_of_an_earlier_attempt_may_be_reported_again() -> None:
    commits = MemoryCommits(origin=OLD, base=NEW, start=NEW, head=NEW)
    answer = report(files_created=["src/new.py"], tests_written=["test_total"])
    more = {"start": CommitSha("start"), "origin": CommitSha("origin")}
    assert examine(answer, commits, **more).findings == ()
    assert len(errors(examine(answer, commits, start=CommitSha("start")))) == 2


def test_commits_are_looked_up() -> None:
    answer = report(
        files_modified=["src"],
        summary="Committed abcdef1 and commit 0123abc. Committed 1234567 rows; cafe1234 is none.",
    )
    all_found = examine(answer).findings
    found = [finding for finding in all_found if finding.rule == "false_commit_claim"]
    assert [finding.subject for finding in found] == ["0123abc"]
    assert "not kept" in found[0].message


def test_kinds_of_claims_can_be_counted() -> None:
    answer = report(
        files_created=["src/never.py"], tests_written=["test_never"], summary="commit deadbee"
    )
    kinds = {CLAIM_RULES.get(finding.rule) for finding in examine(answer).findings}
    assert kinds == {"files", "tests", "commits", None}


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "",
        "[]",
        "no json",
        "[" * 100_000,
        json.dumps({"status": "APPROVED", "issues": []}),
        json.dumps({"status": "COMPLETE", "file_targets": ["a"]}),
        json.dumps({"files_created": "src/never.py", "files_modified": [], "tests_written": []}),
    ],
)
def test_other_answers_make_no_claims(answer: str | None) -> None:
    found = examine(answer)
    assert found.findings == ()
    assert "no claims" in found.summary


def test_hostile_claims_are_bounded_and_harmless() -> None:
    names = [
        "a" + " " * 900 + "b",
        " (" * 499,
        ":1" * 499 + "x",
        " - " * 300,
        "\x1b[2J\ud800" + "x" * 5000,
        "/" * 900,
        "../" * 300,
        "a/" * 400,
        "*a" * 400,
    ]
    many = [f"f{number}.py" for number in range(2000)]
    found = examine(report(files_created=[*names, 5, None, *many], tests_written=names))
    assert len(found.findings) == 100
    for finding in found.findings:
        assert "\x1b" not in finding.message + (finding.file or "")
        assert (finding.message + (finding.file or "")).encode()
        assert len(finding.message) < 1500


def test_tests_are_sought_in_all_files_where_none_looks_like_a_test() -> None:
    commits = MemoryCommits(
        base={}, head={"check.py": "def verify_sum(): ...\n", "big": b"x" * 2_000_000}
    )
    assert errors(examine(report(tests_written=["verify_sum"]), commits)) == []
    assert len(errors(examine(report(tests_written=["verify_all"]), commits))) == 1
