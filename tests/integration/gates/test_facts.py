"""Every condition of an approval policy on changes that real git shows to a reader of its own."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from tests.integration.context.real_git import Project
from tests.unit.gates.memory_commits import BASE, HEAD, MemoryCommits

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.approvals.facts import FACTS, FLAGS
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ChangeFacts, FactsCase
from supervisor_ai.gates.commit_reader import LIMITS
from supervisor_ai.gates.examiner import RepositoryExaminer
from supervisor_ai.workspaces.commits.commit_files import CommitFiles

START: Final = {
    "README.md": b"# Shop\n",
    "setup.cfg": b"[metadata]\nname = shop\n",
    "src/shop/__init__.py": b"from shop.cart import total\n\n__all__ = ['total']\n",
    "src/shop/cart.py": b"def total(items, tax=0):\n    return sum(items) + tax\n",
    "src/shop/accounts.py": b"def show(user):\n    return user.name\n",
    "web/package.json": b'{"name": "web", "main": "index.js"}\n',
    "web/index.ts": b"export function show(a?: string): void {}\nexport const limit = 3;\n",
    "go/shop/cart.go": b"package shop\n\nfunc Total(a int) int { return a }\n",
    "rust/Cargo.toml": b'[package]\nname = "shop"\n',
    "rust/src/lib.rs": b"pub fn total(a: u8) {}\n",
    "java/shop/Cart.java": b"package shop;\npublic class Cart {}\n",
    "api/openapi.yaml": b"openapi: 3.0.0\npaths:\n  /carts: {get: {}}\n",
    "tests/test_cart.py": b"def test_total():\n    assert total([1]) == 1\n",
}
SENSITIVE: Final = "changes_security_sensitive_files"
CART: Final = "src/shop/cart.py"
ACCOUNTS: Final = "src/shop/accounts.py"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    made.commit(START)
    return made


def facts_of(project: Project, change: dict[str, bytes | None]) -> ChangeFacts:
    base = project.git("rev-parse", "HEAD")
    head = project.commit(change)
    examiner = RepositoryExaminer(CommitFiles(project.ask), lambda _: True)
    return asyncio.run(examiner.facts(FactsCase(base=type(head)(base), head=head)))


def values(found: ChangeFacts) -> dict[str, int | float | bool | None]:
    return {fact.name: fact.value for fact in found.facts}


@pytest.mark.parametrize(
    ("change", "flags"),
    [
        ({"README.md": b"# The shop\n"}, set()),
        ({"docs/auth.md": b"Log in.\n"}, set()),
        ({CART: b"def total(items, tax=0):\n    return tax + sum(items)\n"}, set()),
        (
            {ACCOUNTS: b"def show(user):\n    return user.name if user.is_authenticated else ''\n"},
            {"changes_auth_code", SENSITIVE},
        ),
        ({"src/shop/login/form.py": b"FIELDS = 2\n"}, {"changes_auth_code", SENSITIVE}),
        (
            {"src/shop/pay.py": b"import stripe\n\n\ndef pay(amount): ...\n"},
            {"changes_payment_code", SENSITIVE},
        ),
        (
            {"src/shop/box.py": b"from cryptography.fernet import Fernet\n"},
            {"changes_encryption", SENSITIVE},
        ),
        (
            {"src/shop/store.py": b"def keep(signing_key): ...\n"},
            {"changes_key_management", SENSITIVE},
        ),
        ({"etc/server.key": b"x\n"}, {"changes_key_management", SENSITIVE}),
        (
            {"deploy/values.yaml": b"replicas: 3\n"},
            {"production_config_changes", "changes_configuration"},
        ),
        (
            {"config/production.json": b"{}\n"},
            {"production_config_changes", "changes_configuration"},
        ),
        ({"requirements.txt": b"left-pad\n"}, {"changes_dependencies"}),
        ({"uv.lock": b"x\n"}, {"changes_dependencies"}),
        ({"tox.ini": b"[tox]\n"}, {"changes_configuration"}),
        ({"tests/test_cart.py": None}, {"changes_tests"}),
        ({".gitlab-ci.yml": b"a: {}\n"}, {"changes_ci", "changes_configuration"}),
        (
            {".supervisor/approval_policy.yaml": b"a: 1\n"},
            {"changes_supervisor_settings", "changes_configuration"},
        ),
        (
            {"src/shop/session.py": b"import os\n\nos.system(command)\n"},
            {SENSITIVE},
        ),
        ({CART: b"def total(items):\n    return sum(items)\n"}, {"breaking_api_changes"}),
        ({CART: b"def _total(items, tax=0):\n    return 0\n"}, {"breaking_api_changes"}),
        ({ACCOUNTS: None}, {"breaking_api_changes"}),
        ({"src/shop/__init__.py": b""}, {"breaking_api_changes"}),
        ({CART: b"def total(items, tax=0, tip=0):\n    return sum(items)\n"}, set()),
        (
            {
                "src/shop/_sums.py": b"def total(items, tax=0):\n    return 1\n",
                CART: b"from shop._sums import total as total\n",
            },
            set(),
        ),
        ({"web/index.ts": b"export function show(): void {}\n"}, {"breaking_api_changes"}),
        ({"go/shop/cart.go": b"package shop\n"}, {"breaking_api_changes"}),
        ({"rust/src/lib.rs": b"pub fn total(a: u16) {}\n"}, {"breaking_api_changes"}),
        (
            {"java/shop/Cart.java": b"package shop;\nclass Cart {}\n"},
            {"breaking_api_changes"},
        ),
        (
            {"api/openapi.yaml": b"openapi: 3.0.0\npaths: {}\n"},
            {"breaking_api_changes", "changes_configuration"},
        ),
    ],
)
def test_every_flag_is_true_for_the_change_that_it_names(
    project: Project, change: dict[str, bytes | None], flags: set[str]
) -> None:
    found = values(facts_of(project, change))
    assert {name for name in FLAGS if found[name] is True} == flags


def test_files_and_lines_are_those_of_git(project: Project) -> None:
    found = values(
        facts_of(
            project,
            {
                CART: b"def total(items, tax=0):\n    return 0\n",
                "logo.png": b"\0\n" * 8,
                "README.md": None,
            },
        )
    )
    stat = project.git("diff", "--numstat", "--no-renames", "HEAD~1", "HEAD")
    counts = [line.split("\t")[:2] for line in stat.splitlines()]
    assert counts == [["0", "1"], ["-", "-"], ["1", "1"]]
    # What git calls no text has lines as well.
    assert (found["lines_added"], found["lines_deleted"]) == (9, 2)
    assert (found["file_count"], found["lines_changed"]) == (3, 11)


def test_breaks_are_told_with_what_was_and_what_is(project: Project) -> None:
    found = facts_of(project, {CART: b"def total(items):\n    return sum(items)\n"})
    assert [(it.file, it.symbol, it.change.value, it.detail) for it in found.breaks] == [
        (CART, "shop.cart.total", "narrowed", "the parameter 'tax' is gone"),
        (CART, "shop.total", "narrowed", "the parameter 'tax' is gone"),
    ]
    assert {it.file for it in found.evidence if it.fact == "breaking_api_changes"} == {CART}


def test_code_that_cannot_be_parsed_is_unknown(project: Project) -> None:
    found = values(facts_of(project, {CART: b"def total(items, tax=0):\n    return (\n"}))
    assert found["breaking_api_changes"] is None


def test_a_file_that_moves_out_of_sight_is_seen_at_both_names(project: Project) -> None:
    project.commit({"src/auth/check.py": b"def check(x):\n    return x\n"})
    moved = {"src/auth/check.py": None, "src/shop/check.py": b"def check(x):\n    return x\n"}
    found = values(facts_of(project, moved))
    assert found["file_count"] == 2
    assert found["changes_auth_code"] is True


def test_odd_files_are_counted(project: Project) -> None:
    (project.root / "link").symlink_to("/etc/passwd")
    (project.root / ".supervisor").symlink_to("elsewhere")
    found = values(facts_of(project, {"a\tb\n.txt": b"x\n", "b/\udcff.txt": b"x"}))
    assert found["file_count"] == 4
    assert found["changes_supervisor_settings"] is True


@pytest.mark.parametrize(
    "limits",
    [
        replace(LIMITS, memory=32 << 20),
        replace(LIMITS, wall=0.01),
        replace(LIMITS, speech=20),
    ],
    ids=["memory", "too long", "too much to say"],
)
def test_a_change_that_is_too_much_for_its_reader_is_unknown(limits: object) -> None:
    code = "".join(f"def f{number}(a, b): ...\n" for number in range(6_000))
    commits = MemoryCommits(base={"a.py": code}, head={"a.py": code.replace("a, b", "a")})
    examiner = RepositoryExaminer(commits, lambda _: False, limits)  # type: ignore[arg-type]
    found = asyncio.run(examiner.facts(FactsCase(base=BASE, head=HEAD, own={"mine": ("*",)})))
    assert {fact.value for fact in found.facts} == {None}
    assert {fact.name for fact in found.facts} == {*FACTS, "mine"} - {"test_coverage"}
    assert all("could not be looked at" in it.detail for it in found.evidence)


UNREAD: Final = ("changes_auth_code", "changes_encryption", SENSITIVE, "breaking_api_changes")


def linked(project: Project, *commands: tuple[str, ...]) -> ChangeFacts:
    """Commit what git is told to put into its index, and find out what that changes."""
    base = project.git("rev-parse", "HEAD")
    for command in commands:
        project.git(*command)
    project.git("commit", "--quiet", "--message", "change")
    head = project.git("rev-parse", "HEAD")
    examiner = RepositoryExaminer(CommitFiles(project.ask), lambda _: True)
    case = FactsCase(base=CommitSha(base), head=CommitSha(head))
    return asyncio.run(examiner.facts(case))


def test_a_submodule_that_moves_brings_code_that_nobody_has_read(project: Project) -> None:
    first = project.git("rev-parse", "HEAD")
    entry = ("update-index", "--add", "--cacheinfo")
    came = values(linked(project, (*entry, f"160000,{first},libs/login")))
    assert came["changes_dependencies"] is True
    second = project.git("rev-parse", "HEAD")
    moved = values(linked(project, (*entry, f"160000,{second},libs/login")))
    gone = values(linked(project, ("rm", "--quiet", "--cached", "libs/login")))
    for found in (came, moved, gone):
        assert found["changes_dependencies"] is True
        assert found["file_count"] == 1
        assert all(found[name] is not False for name in UNREAD), found


def test_a_link_that_leads_elsewhere_brings_code_that_nobody_has_read(project: Project) -> None:
    blobs = [
        project.ask("hash-object", "-w", "--stdin", stdin=target).strip().decode()
        for target in (b"../shop", b"/tmp/elsewhere")
    ]
    entry = ("update-index", "--add", "--cacheinfo")
    linked(project, (*entry, f"120000,{blobs[0]},src/plugins"))
    moved = values(linked(project, (*entry, f"120000,{blobs[1]},src/plugins")))
    assert all(moved[name] is None for name in UNREAD), moved
    assert moved["changes_dependencies"] is False
    document = values(linked(project, (*entry, f"120000,{blobs[0]},docs/newest")))
    assert all(document[name] is False for name in UNREAD), document


@pytest.mark.parametrize(
    "folder",
    [".supervisor", ".SuperVisor", ".\u017fupervisor", ".super\u200dvisor", ".\uff53upervisor"],
)
def test_settings_of_supervisor_are_known_by_every_name(project: Project, folder: str) -> None:
    found = values(facts_of(project, {f"{folder}/config.yaml": b"cli: mine\n"}))
    assert found["changes_supervisor_settings"] is True


def test_settings_that_are_renamed_or_only_made_executable_have_changed(project: Project) -> None:
    project.commit({".supervisor/config.yaml": b"cli: mine\n"})
    mode = linked(project, ("update-index", "--chmod=+x", ".supervisor/config.yaml"))
    assert values(mode)["changes_supervisor_settings"] is True
    renamed = linked(project, ("mv", ".supervisor/config.yaml", "notes.txt"))
    assert values(renamed)["changes_supervisor_settings"] is True
    assert values(renamed)["file_count"] == 2


def test_a_name_with_a_newline_hides_nothing(project: Project) -> None:
    found = facts_of(project, {"src/shop/auth\n.py": b"x = 1\n", ".supervisor/a\nb": b"x\n"})
    assert values(found)["changes_auth_code"] is True
    assert values(found)["changes_supervisor_settings"] is True
    assert all("\n" not in it.file for it in found.evidence)
