"""Contexts of real commits."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from tests.integration.context.real_git import Project
from tests.unit.context.memory_git import ToyRedactor, estimator, toy_reader

from supervisor_ai.context.native_packer import NativePacker
from supervisor_ai.context.pack_cache import PackCache
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.context_plan import (
    ContextPlan,
    Detail,
    PackedContext,
    Source,
    SourceKind,
)
from supervisor_ai.engine.ports.context import PackRequest
from supervisor_ai.workspaces.commits.commit_files import CommitFiles

REVIEW = (Source(kind=SourceKind.DIFF), Source(kind=SourceKind.CHANGED))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def ready(project: Project, cache: Path | None = None) -> NativePacker:
    return NativePacker(
        files=CommitFiles(project.ask),
        redactor=ToyRedactor(),
        cache=PackCache(cache, "1"),
        counter=estimator,
        code=toy_reader,
    )


def asked(
    base: CommitSha,
    head: CommitSha,
    sources: tuple[Source, ...] = REVIEW,
    *,
    budget: int = 50_000,
    hides: tuple[str, ...] = (),
) -> PackRequest:
    plan = ContextPlan(strategy="test", sources=sources, token_budget=budget)
    return PackRequest(plan=plan, commit=head, base=base, task="", hides=hides)


def levels(packed: PackedContext) -> list[tuple[str, str, Detail]]:
    return [(item.source.value, item.name, item.detail) for item in packed.items]


def test_a_review_sees_the_change_and_the_changed_files(project: Project) -> None:
    base = project.commit({"a.py": b"old\n", "same.py": b"same\n", "gone.py": b"bye\n"})
    head = project.commit({"a.py": b"new\n", "gone.py": None})
    packed = asyncio.run(ready(project).pack(asked(base, head)))
    assert levels(packed) == [
        ("diff", "a.py", Detail.FULL),
        ("diff", "gone.py", Detail.FULL),
        ("changed", "a.py", Detail.FULL),
    ]
    assert "-old\n+new\n</diff>" in packed.text
    assert '<file path="a.py" part="changed">\nnew\n</file>' in packed.text
    assert "same" not in packed.text


def test_without_targets_the_rules_and_imports_of_what_has_changed_are_shown(
    project: Project,
) -> None:
    base = project.commit({"lib/AGENTS.md": b"Rules\n", "lib/a.py": b"", "b.py": b"pass\n"})
    head = project.commit({"lib/a.py": b"import b.py\n"})
    sources = (Source(kind=SourceKind.RULES), Source(kind=SourceKind.IMPORTS))
    packed = ready(project).pack_now(asked(base, head, sources))
    assert [item.name for item in packed.items] == ["lib/AGENTS.md", "b.py"]


def test_hidden_changes_do_not_exist(project: Project) -> None:
    base = project.commit({"a.py": b"old\n", "internals/b.py": b"old\n"})
    head = project.commit({"a.py": b"new\n", "internals/b.py": b"hidden\n"})
    packed = ready(project).pack_now(asked(base, head, hides=("internals/",)))
    assert "internals" not in packed.text
    assert {item.name for item in packed.items} == {"a.py"}


def test_the_change_of_a_secret_file_is_only_named(project: Project) -> None:
    base = project.commit({".env": b"A=1\n"})
    head = project.commit({".env": b"A=very-much\n"})
    packed = ready(project).pack_now(asked(base, head))
    assert levels(packed) == [
        ("diff", ".env", Detail.NAME),
        ("changed", ".env", Detail.NAME),
    ]
    assert "very-much" not in packed.text


def test_a_line_inside_a_key_is_taken_out_of_a_diff_that_does_not_show_its_beginning(
    project: Project,
) -> None:
    filler = [b"line%d" % number for number in range(20)]
    before = b"\n".join([b"BEGIN", *filler, b"END", b"rest", b""])
    base = project.commit({"a.txt": before})
    head = project.commit({"a.txt": before.replace(b"line10", b"changed")})
    packed = ready(project).pack_now(asked(base, head, REVIEW[:1]))
    assert "-[REDACTED:secret-line]\n+[REDACTED:secret-line]" in packed.text
    assert "line" not in packed.text.replace("secret-line", "")


def test_a_large_diff_is_reduced_to_where_it_is(project: Project) -> None:
    base = project.commit({"a.py": b"old\n"})
    head = project.commit({"a.py": b"new line of code\n" * 2000})
    packed = ready(project).pack_now(asked(base, head, REVIEW[:1], budget=500))
    assert levels(packed) == [("diff", "a.py", Detail.OUTLINE)]
    assert "@@ -1 +1,2000 @@\n</diff>" in packed.text


def test_a_changed_binary_and_an_empty_file_have_no_headings(project: Project) -> None:
    base = project.commit({"a.bin": b"\0\1"})
    head = project.commit({"a.bin": b"\0\2", "empty": b""})
    source = Source(kind=SourceKind.DIFF, detail=Detail.OUTLINE)
    packed = ready(project).pack_now(asked(base, head, (source,)))
    assert levels(packed) == [("diff", "a.bin", Detail.NAME), ("diff", "empty", Detail.NAME)]


def test_odd_names_can_be_shown(project: Project) -> None:
    head = project.commit({'b/\udcff"\n<file>': b"odd\n"})
    source = Source(kind=SourceKind.FILES, patterns=("*",))
    tree = Source(kind=SourceKind.TREE)
    packed = ready(project).pack_now(asked(head, head, (source, tree)))
    assert '<file path="b/?&quot; &lt;file&gt;" part="files">\nodd\n</file>' in packed.text
    assert packed.text.encode().decode() == packed.text


def pack_elsewhere(root: str, cache: str, head: CommitSha) -> PackedContext:
    project = Project.__new__(Project)
    project.root = Path(root)
    source = Source(kind=SourceKind.FILES, patterns=("*",))
    return ready(project, Path(cache)).pack_now(asked(head, head, (source,)))


def test_processes_share_a_cache(project: Project, tmp_path: Path) -> None:
    head = project.commit(
        {f"f{number}.py": b"def f():\n    pass\n" * number for number in range(40)}
    )
    cache = tmp_path / "context.db"
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        waiting = [
            pool.submit(pack_elsewhere, str(project.root), str(cache), head) for _ in range(6)
        ]
        packed = {done.result() for done in waiting}
    assert len(packed) == 1
    assert cache.exists()


def test_a_file_that_becomes_a_link_is_only_named(project: Project) -> None:
    base = project.commit({"a.py": b"x = 1\n", "b.py": b"y = 1\n"})
    (project.root / "a.py").unlink()
    (project.root / "a.py").symlink_to("b.py")
    head = project.commit({"b.py": b"y = 2\n"})
    packed = ready(project).pack_now(asked(base, head))
    assert ("diff", "a.py", Detail.NAME) in levels(packed)
    assert "+y = 2" in packed.text


@pytest.mark.parametrize("end", ["\r\n", "\f\n"])
def test_a_line_inside_a_key_is_taken_out_whatever_its_end(project: Project, end: str) -> None:
    key = end.join(["BEGIN", *(f"body{number}" for number in range(20)), "END", "a", ""])
    base = project.commit({"key.txt": key.encode()})
    changed = key.replace(f"{end}a{end}", f"{end}b{end}")
    head = project.commit({"key.txt": changed.encode()})
    packed = ready(project).pack_now(asked(base, head, (Source(kind=SourceKind.DIFF),)))
    assert "+b" in packed.text
    assert "body19" not in packed.text


@pytest.mark.parametrize("text", ["\t " * 500_000, "a" * 1_000_000, "\n" * 900_000])
def test_no_text_is_so_regular_that_it_costs_nothing(project: Project, text: str) -> None:
    head = project.commit({"a.txt": text.encode()})
    sources = (Source(kind=SourceKind.FILES, patterns=("*",)),)
    packed = ready(project).pack_now(asked(head, head, sources, budget=500))
    assert len(packed.text) < 5_000


def test_what_does_not_fit_is_counted_in_the_text(project: Project) -> None:
    files = {f"f{number}.txt": b"some words here\n" * 200 for number in range(20)}
    head = project.commit(files)
    sources = (Source(kind=SourceKind.FILES, patterns=("f*",)),)
    packed = ready(project).pack_now(asked(head, head, sources, budget=2_500))
    left_out = [item for item in packed.items if item.detail is Detail.NONE]
    assert packed.tokens <= packed.budget
    note = f'<omitted part="files" count="{len(left_out)}"/>'
    assert (note in packed.text) is bool(left_out)
