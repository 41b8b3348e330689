"""The page about LangGraph: its program runs, and prints what the page says."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("langgraph", reason="supervisor-ai[langgraph] is not installed here")

from tests.e2e.tutorial_blocks import BLOCK

PAGE: Final = Path(__file__).parents[3] / "docs" / "howto" / "langgraph.md"


def test_the_program_of_the_page_prints_what_the_page_says(tmp_path: Path) -> None:
    blocks = list(BLOCK.finditer(PAGE.read_text()))
    at = next(number for number, it in enumerate(blocks) if it["rest"] == "review.py")
    program = tmp_path / "review.py"
    program.write_text(blocks[at]["text"])
    ran = subprocess.run(
        [sys.executable, str(program)],
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    assert ran.stdout == blocks[at + 1]["text"]
