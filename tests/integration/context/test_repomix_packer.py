"""Packing through repomix: a stand-in of the same command line, and the real one where it is."""

import asyncio
import shutil
import stat
import sys
from pathlib import Path

import pytest
from tests.unit.context.memory_git import MemoryGit, packer, request

from supervisor_ai.context.repomix_packer import RepomixPacker
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.context_plan import Detail, Source, SourceKind
from supervisor_ai.engine.ports.context import PackRequest

FILES = {
    "a.py": b"def f():\n    return '</file>'\ntoken = 'key-secret'\n",
    "sub/b.md": b"words\n" * 300,
    ".repomixignore": b"*\n",
    ".env": b"A=1\n",
}
EVERYTHING = Source(kind=SourceKind.FILES, patterns=("*",))
STAND_IN = f"""#!{sys.executable}
import json, os, sys
from pathlib import Path
config, output = sys.argv[sys.argv.index("-c") + 1], sys.argv[sys.argv.index("-o") + 1]
assert json.loads(Path(config).read_text())["security"] == {{"enableSecurityCheck": False}}
assert sorted(os.environ.keys() - {{"LC_CTYPE"}}) == ["HOME", "PATH"], os.environ
root = Path(sys.argv[-1])
files = sorted(path for path in root.rglob("*") if path.is_file())
written = [f"<{{path.relative_to(root)}}>\\n{{path.read_text()}}" for path in files]
Path(output).write_text("wrapped by repomix\\n" * 40 + "".join(written))
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> str:
    program = tmp_path / "repomix"
    program.write_text(STAND_IN)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def repomix(program: str) -> RepomixPacker:
    return RepomixPacker(packer(MemoryGit(FILES)), command=(program,))


def asked(budget: int = 50_000) -> PackRequest:
    return request(EVERYTHING, Source(kind=SourceKind.PLAN), budget=budget, plan_text="Do it.")


def test_files_are_written_by_repomix_and_the_rest_by_us(stand_in: str) -> None:
    packed = asyncio.run(repomix(stand_in).pack(asked()))
    assert "<a.py>\ndef f():\n    return '</file>'\ntoken = '[REDACTED:word]'\n" in packed.text
    assert "<sub/b.md>\nwords\n" in packed.text
    assert '<file path=".env" part="files" shown="name"' in packed.text
    assert '<file path=".repomixignore" part="files">\n*\n</file>' in packed.text
    assert '<plan part="plan">\nDo it.\n</plan>' in packed.text
    assert packed.tokens <= packed.budget


def test_the_budget_holds_for_what_repomix_adds(stand_in: str) -> None:
    whole = asyncio.run(repomix(stand_in).pack(asked()))
    packed = asyncio.run(repomix(stand_in).pack(asked(whole.tokens // 2)))
    assert 0 < packed.tokens <= packed.budget == whole.tokens // 2
    assert {item.name: item.detail for item in packed.items}["sub/b.md"] is not Detail.FULL


def test_a_budget_for_nothing_gives_nothing(stand_in: str) -> None:
    packed = asyncio.run(repomix(stand_in).pack(asked(3)))
    assert (packed.text, packed.tokens) == ("", 0)


def test_without_the_program_a_hint_is_given() -> None:
    with pytest.raises(Unavailable, match="was not found") as caught:
        asyncio.run(repomix("no-such-repomix").pack(asked()))
    assert caught.value.hint is not None
    assert "npm install -g repomix" in caught.value.hint


@pytest.mark.parametrize(
    ("script", "message"),
    [("#!/bin/sh\necho broken >&2; exit 3\n", "ended with 3: broken"), ("#!/gone\n", "could not")],
)
def test_a_failure_is_told(tmp_path: Path, script: str, message: str) -> None:
    program = tmp_path / "repomix"
    program.write_text(script)
    program.chmod(0o755)
    with pytest.raises(Unavailable, match=message):
        asyncio.run(repomix(str(program)).pack(asked()))


@pytest.mark.skipif(shutil.which("repomix") is None, reason="repomix is not installed")
def test_the_real_repomix_keeps_the_contract(tmp_path: Path) -> None:
    canary = tmp_path / "ran"
    script = f"require('fs').writeFileSync({str(canary)!r}, 'x'); module.exports = {{}}\n"
    git = MemoryGit(FILES | {"repomix.config.js": script.encode()})
    packed = asyncio.run(RepomixPacker(packer(git)).pack(asked()))
    assert "key-secret" not in packed.text
    assert '<file path="sub/b.md">' in packed.text
    assert "&lt;/file&gt;" in packed.text
    assert packed.tokens <= packed.budget
    assert not canary.exists()
