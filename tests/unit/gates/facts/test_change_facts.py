"""What is known of a change: how much it is, and what it touches."""

import json

import pytest
from tests.unit.gates.facts.seen_facts import Files, files_for, seen, true_flags, value
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits
from typing_extensions import override

from supervisor_ai.control.ports.commits import LineCount
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.approvals.facts import FACTS, FLAGS, NUMBERS
from supervisor_ai.engine.ports.gates import FactsCase
from supervisor_ai.gates.facts.change_facts import find_facts
from supervisor_ai.gates.facts.known_facts import nothing_known
from supervisor_ai.gates.facts.rules import fact_rules, parse_rules, words

SENSITIVE = "changes_security_sensitive_files"


def test_every_fact_is_told_but_the_coverage_that_a_gate_measures() -> None:
    found = seen({}, {"notes.txt": "a\n"})
    assert sorted(it.name for it in found.facts) == sorted(FACTS - {"test_coverage"})
    assert NUMBERS.isdisjoint(FLAGS)


def test_files_and_lines_are_counted() -> None:
    before = {"a.txt": "one\ntwo\n", "gone.txt": "x\n"}
    found = seen(before, {"a.txt": "one\nthree\nfour\n", "new.txt": "y\n"})
    told = {it.name: it.value for it in found.facts if it.name in NUMBERS}
    assert told == {"file_count": 3, "lines_added": 3, "lines_deleted": 2, "lines_changed": 5}


def test_lines_that_git_cannot_count_are_unknown() -> None:
    class Huge(MemoryCommits):
        @override
        def line_counts(self, base: CommitSha, commit: CommitSha) -> tuple[LineCount, ...]:
            del base, commit
            return (LineCount("a.bin", None, None), LineCount("b.txt", 1, 2))

    case, large = FactsCase(base=BASE, head=HEAD), b"\0" * 2_000_000
    found = find_facts(case, Huge(base={}, head={"a.bin": large}))
    assert value(found, "lines_changed") is None
    assert value(found, "file_count") == 1
    small = find_facts(case, Huge(base={"a.bin": b"\0\n"}, head={"a.bin": b"\0\n\n\n"}))
    assert (value(small, "lines_added"), value(small, "lines_deleted")) == (1 + 3, 2 + 1)


@pytest.mark.parametrize(
    ("path", "flags"),
    [
        ("src/auth/session_store.py", {"changes_auth_code", SENSITIVE}),
        ("web/LoginForm.tsx", {"changes_auth_code", SENSITIVE}),
        ("internal/billing/plan.go", {"changes_payment_code", SENSITIVE}),
        ("src/main/java/shop/RefundService.java", {"changes_payment_code", SENSITIVE}),
        ("src/crypto/box.rs", {"changes_encryption", SENSITIVE}),
        ("certs/server.pem", {"changes_key_management", SENSITIVE}),
        ("ops/keyring.py", {"changes_key_management", SENSITIVE}),
        ("src/sandbox/rules.py", {SENSITIVE}),
        (".github/CODEOWNERS", {SENSITIVE, "changes_configuration"}),
        ("requirements-dev.txt", {"changes_dependencies"}),
        ("go.sum", {"changes_dependencies"}),
        ("web/yarn.lock", {"changes_dependencies"}),
        ("tests/requirements.txt", {"changes_dependencies", "changes_tests"}),
        (
            ".github/workflows/ci.yml",
            {"changes_ci", "changes_configuration"},
        ),
        ("deploy/app.py", {"production_config_changes"}),
        ("k8s/web.yaml", {"production_config_changes", "changes_configuration"}),
        ("Dockerfile", {"production_config_changes", "changes_configuration"}),
        (
            ".env.production",
            {"production_config_changes", "changes_configuration", SENSITIVE},
        ),
        (
            "app/settings/production.py",
            {"production_config_changes", "changes_configuration"},
        ),
        ("infra/main.tf", {"production_config_changes", "changes_configuration"}),
        ("tests/test_a.py", {"changes_tests"}),
        ("web/__snapshots__/a.snap", {"changes_tests"}),
        (
            ".supervisor/config.yaml",
            {"changes_supervisor_settings", "changes_configuration"},
        ),
        (".Supervisor/roles/a.md", {"changes_supervisor_settings", "changes_configuration"}),
        ("setup.cfg", {"changes_dependencies", "changes_configuration"}),
        ("src/plain.txt", set()),
        ("docs/authentication.md", set()),
        ("examples/auth/demo.py", set()),
        ("src/tokenizer.txt", set()),
    ],
)
def test_where_a_file_lies_says_what_it_is_about(path: str, flags: set[str]) -> None:
    assert true_flags(seen({}, {path: "x\n"})) - {"breaking_api_changes"} == flags
    assert true_flags(seen({path: "x\n"}, {})) - {"breaking_api_changes"} == flags


def test_a_file_that_was_renamed_counts_under_both_names() -> None:
    text = "def f():\n    return 1\n"
    found = seen({"src/auth/a.py": text}, {"src/tools/a.py": text})
    assert value(found, "file_count") == 2
    assert value(found, "changes_auth_code") is True


@pytest.mark.parametrize(
    ("path", "line", "flag"),
    [
        ("src/a.py", "if user.has_permission(x): pass", "changes_auth_code"),
        ("src/a.py", "from django.contrib.auth import views", "changes_auth_code"),
        ("src/a.ts", "import {sign} from 'jsonwebtoken';", "changes_auth_code"),
        ("src/a.go", "token := refreshToken(ctx)", "changes_auth_code"),
        ("src/A.java", "@PreAuthorize(\"hasRole('A')\")", "changes_auth_code"),
        ("src/a.rs", "use jsonwebtoken::decode;", "changes_auth_code"),
        ("src/a.py", "import stripe", "changes_payment_code"),
        ("src/a.js", "await chargeCustomer(customerId)", "changes_payment_code"),
        ("src/a.go", "func IssueRefund() {}", "changes_payment_code"),
        ("src/a.py", "cipher = make(x)", "changes_encryption"),
        ("src/a.js", "const c = require('node:crypto')", "changes_encryption"),
        ("src/a.go", 'import "crypto/aes"', "changes_encryption"),
        ("src/A.java", "import javax.crypto.Cipher;", "changes_encryption"),
        ("src/a.rs", "use rustls::ClientConfig;", "changes_encryption"),
        ("web.conf", "ssl_protocols TLSv1.3;", "changes_encryption"),
        ("src/a.py", "private_key = load(path)", "changes_key_management"),
        ("src/a.ts", "const k = await rotateKeys()", "changes_key_management"),
        ("src/a.py", "client('secretsmanager')", "changes_key_management"),
        ("src/a.go", "key := GenerateKey()", "changes_key_management"),
        ("src/a.py", "requests.get(url, verify=False)", SENSITIVE),
        ("src/a.py", "eval(text)", SENSITIVE),
    ],
)
def test_what_a_changed_statement_speaks_of_counts_wherever_it_stands(
    path: str, line: str, flag: str
) -> None:
    came, went = seen({path: "x\n"}, {path: f"x\n{line}\n"}), seen({path: f"{line}\n"}, {})
    assert {flag, SENSITIVE} <= true_flags(came)
    assert set(files_for(came, flag)) == {path}
    # What is risky when it comes is not risky when it goes; the areas are what they are.
    assert flag == SENSITIVE or {flag, SENSITIVE} <= true_flags(went)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("src/a.py", "password = 1\nx = 1\n", "password = 1\nx = 2\n"),
        ("src/a.py", "x = 1\n", "x = 1  # ask for the password\n"),
        ("src/a.py", "x = 1\n", "x = 'the login page'\n"),
        ("src/a.py", "x = 1\n", "author = tokenize(keyboard, key)\n"),
        ("tests/test_a.py", "x = 1\n", "password = 1\n"),
        ("docs/a.py", "x = 1\n", "password = 1\n"),
    ],
)
def test_what_only_stands_near_is_no_sign(path: str, before: str, after: str) -> None:
    found = seen({path: before}, {path: after})
    assert not true_flags(found) & {SENSITIVE, "changes_auth_code", "changes_key_management"}


@pytest.mark.parametrize(
    ("path", "before", "after", "is_changed"),
    [
        ("package.json", {"scripts": {}}, {"scripts": {"a": "b"}}, False),
        ("package.json", {"dependencies": {}}, {"dependencies": {"a": "1"}}, True),
        ("a/package.json", {}, {"devDependencies": {"a": "1"}}, True),
        ("composer.json", {}, {"require": {"a": "1"}}, True),
    ],
)
def test_of_a_manifest_only_what_names_dependencies_counts(
    path: str, before: dict[str, object], after: dict[str, object], *, is_changed: bool
) -> None:
    found = seen({path: json.dumps(before)}, {path: json.dumps(after)})
    assert value(found, "changes_dependencies") is is_changed


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("[tool.ruff]\na = 1\n", "[tool.ruff]\na = 2\n", False),
        ("[project]\nversion = '1'\n", "[project]\nversion = '2'\n", False),
        ("[project]\n", "[project]\ndependencies = ['a']\n", True),
        ("[project]\n", "[project\n", True),
        ("[project]\n", "#" * (1024 * 1024 + 1), None),
    ],
)
def test_a_project_file_is_read_for_its_dependencies(
    before: str, after: str, *, expected: bool | None
) -> None:
    found = seen({"pyproject.toml": before}, {"pyproject.toml": after})
    assert value(found, "changes_dependencies") is expected


def test_tests_at_the_end_of_a_file_of_rust_are_tests() -> None:
    code = "fn f() {}\n#[cfg(test)]\nmod tests { #[test] fn t() { assert!(true); } }\n"
    changed = seen({"src/lib.rs": code}, {"src/lib.rs": code.replace("true", "f() == ()")})
    assert value(changed, "changes_tests") is True
    other = seen({"src/lib.rs": code}, {"src/lib.rs": code.replace("fn f()", "fn g()")})
    assert value(other, "changes_tests") is False


@pytest.mark.parametrize(
    "contents", [b"x = 1\n" * 200_000, b"x = '\0'\n"], ids=["too large", "no text"]
)
def test_what_cannot_be_read_is_unknown_and_never_false(contents: bytes) -> None:
    found = seen({}, {"src/a.py": contents})
    flags = ("changes_auth_code", "changes_payment_code", "changes_encryption", SENSITIVE)
    assert {value(found, flag) for flag in flags} == {None}
    assert files_for(found, "changes_auth_code") == ["src/a.py"]
    assert value(found, "changes_ci") is False


def test_what_speaks_for_a_fact_counts_more_than_what_is_unread() -> None:
    found = seen({}, {"src/a.py": b"\0", "src/auth/b.py": "x = 1\n"})
    assert value(found, "changes_auth_code") is True
    assert value(found, "changes_payment_code") is None


def test_a_picture_is_no_code() -> None:
    assert not true_flags(seen({}, {"logo.png": b"\0" * 100}))
    assert value(seen({}, {"logo.png": b"\0" * 2_000_000}), "changes_auth_code") is False


def test_a_project_has_facts_of_its_own() -> None:
    after: Files = {"db/migrations/1.sql": "x", "src/a.py": "x = 1\n"}
    found = seen({}, after, touches_database=("db/**",), touches_web=("web/*.ts", "ui"))
    assert value(found, "touches_database") is True
    assert value(found, "touches_web") is False
    assert files_for(found, "touches_database") == ["db/migrations/1.sql"]


def test_examples_are_bounded_and_names_are_harmless() -> None:
    after: Files = {f"src/auth/f{number}\x1b[31m.py": "x = 1\n" for number in range(100)}
    found = seen({}, after)
    assert len(files_for(found, "changes_auth_code")) == 20
    assert "\x1b" not in "".join(it.file + it.detail for it in found.evidence)


def test_where_nobody_could_look_nothing_is_known() -> None:
    found = nothing_known(FactsCase(base=BASE, head=HEAD, own={"mine": ("a",)}), "it is too much")
    assert {it.value for it in found.facts} == {None}
    assert "mine" in {it.name for it in found.facts}
    assert {it.detail for it in found.evidence} == {"it is too much"}


def test_words_are_what_names_are_made_of() -> None:
    assert words("signInUser_OAuth2 HTTPServer") == {"sign", "in", "user", "o", "auth"} | {
        "http",
        "server",
    }


def test_every_row_of_the_table_is_about_a_fact() -> None:
    assert {rule.fact for rule in fact_rules()} <= FLAGS
    assert all(rule.reason for rule in fact_rules())


@pytest.mark.parametrize(
    "text",
    [
        "a: b",
        "- x",
        "- {fact: unknown, words: [a]}",
        "- {fact: changes_ci, reason: a}",
        "- {fact: changes_ci, words: [a], other: 1}",
        "- {fact: changes_ci, words: a}",
        "- {fact: changes_ci, pattern: '('}",
        "- {fact: changes_ci, paths: [a], format: xml}",
    ],
)
def test_a_table_that_cannot_be_understood_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_rules(text)
