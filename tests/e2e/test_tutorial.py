"""The tutorial, followed by a newcomer at a terminal who answers yes to every question."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(
    r"^```(?P<kind>\w+)(?: (?P<rest>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    kind: str
    rest: str | None
    text: str

    @property
    def exit_code(self) -> int:
        return int(self.rest.removeprefix("exit=")) if self.rest else 0


def blocks() -> Iterator[Block]:
    for match in BLOCK.finditer(PAGE.read_text().replace('print("```', 'print("\\x60\\x60\\x60')):
        text = match["text"].replace("\\x60\\x60\\x60", "```")
        yield Block(kind=match["kind"], rest=match["rest"], text=text)


class Newcomer:
    """Types commands at a terminal and writes files in an editor."""

    def __init__(self, directory: Path, home: Path) -> None:
        self.directory = directory
        self._home = home

    def follow(self, block: Block) -> str:
        if block.kind == "sh":
            return self._type(block)
        path = self.directory / str(block.rest)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
        return ""

    def _type(self, block: Block) -> str:
        place = self._home / "place"
        script = f"set -e\ncd {self.directory}\n{block.text}\npwd > {place}\n"
        master, slave = pty.openpty()
        os.write(master, b"y\n" * 3)
        process = subprocess.Popen(
            ["bash", "-c", script], stdin=slave, stdout=slave, stderr=slave, env=self._environment()
        )
        os.close(slave)
        output = _everything(master)
        code = process.wait()
        assert code == block.exit_code, output
        if place.exists():
            self.directory = Path(place.read_text().strip())
        return output

    def _environment(self) -> dict[str, str]:
        commands = Path(sys.executable).parent
        return {
            "HOME": str(self._home),
            "PATH": f"{commands}:{os.environ['PATH']}",
            "TERM": "xterm",
            "COLUMNS": "100",
            "SUPERVISOR_STATE": str(self._home / "state"),
        }


def _everything(master: int) -> str:
    output = bytearray()
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:
            break
        if not chunk:
            break
        output += chunk
    os.close(master)
    return output.decode(errors="replace")


def test_a_newcomer_can_follow_the_tutorial(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    newcomer = Newcomer(work, home)
    outputs = {block.text: newcomer.follow(block) for block in blocks()}
    said = "\n".join(outputs.values())
    assert len(outputs) > 15
    assert "Goodbye" in (newcomer.directory / "tools" / "agent.py").read_text()
    assert "AssertionError" in said
    assert "sign_off" in said
    assert "ai/" in outputs_of(outputs, "git branch")
    assert outputs_of(outputs, "git status").splitlines()[0].strip().startswith("ai/") is False


def outputs_of(outputs: dict[str, str], command: str) -> str:
    return next(output for text, output in outputs.items() if command in text)
