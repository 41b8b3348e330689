"""The packer with everything of our own: real git, real rules, real code."""

from pathlib import Path

from tests.integration.context.real_git import Project

from supervisor_ai.context.code_reader import native_reader
from supervisor_ai.context.native_packer import NativePacker
from supervisor_ai.context.pack_cache import PackCache
from supervisor_ai.context.packer_choice import estimating, rules_version
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run.context_plan import (
    ContextPlan,
    Detail,
    PackedContext,
    Source,
    SourceKind,
)
from supervisor_ai.engine.ports.context import PackRequest
from supervisor_ai.workspaces.commits.commit_files import CommitFiles

TOKEN = "ghp_" + "a1B2c3D4e" * 4
FILES = {
    "shop/__init__.py": b"",
    "shop/cart.py": b"from shop.prices import total\n\n\ndef pay(cart):\n    return total(cart)\n",
    "shop/prices.py": b"def total(cart):\n    rounded = 0\n    return rounded\n\n\n"
    b"def _tax():\n    pass\n",
    "shop/settings.py": f"TOKEN = {TOKEN!r}\n".encode(),
}


def pack(tmp_path: Path, *sources: Source, target: str) -> PackedContext:
    project = Project(tmp_path / "project")
    head = project.commit(FILES)
    cache = PackCache(tmp_path / "context.db", rules_version())
    packer = NativePacker(
        files=CommitFiles(project.ask),
        redactor=RuleRedactor(),
        cache=cache,
        counter=estimating(cache),
        code=native_reader,
    )
    plan = ContextPlan(strategy="test", sources=sources, token_budget=5000)
    request = PackRequest(plan=plan, commit=head, base=head, task="", targets=(target,))
    return packer.pack_now(request)


def test_imports_are_shown_in_outline(tmp_path: Path) -> None:
    imports = Source(kind=SourceKind.IMPORTS, detail=Detail.OUTLINE)
    packed = pack(tmp_path, Source(kind=SourceKind.TARGET), imports, target="shop/cart.py")
    levels = {item.name: item.detail for item in packed.items}
    assert levels["shop/cart.py"] is Detail.FULL
    assert levels["shop/prices.py"] is Detail.OUTLINE
    assert "def total(cart)" in packed.text
    assert "rounded" not in packed.text


def test_the_public_interface_has_neither_bodies_nor_private_names(tmp_path: Path) -> None:
    packed = pack(tmp_path, Source(kind=SourceKind.PUBLIC_API), target="shop/cart.py")
    assert "def pay(cart)" in packed.text
    assert "def total(cart)" in packed.text
    assert "_tax" not in packed.text
    assert "rounded" not in packed.text


def test_secrets_leave_marks_and_are_kept_nowhere(tmp_path: Path) -> None:
    packed = pack(tmp_path, Source(kind=SourceKind.TARGET), target="shop/settings.py")
    assert "[REDACTED:" in packed.text
    assert packed.items[0].redactions == 1
    assert TOKEN not in packed.text
    assert TOKEN.encode() not in (tmp_path / "context.db").read_bytes()
