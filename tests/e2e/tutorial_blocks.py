"""The commands of a page of the documentation, and a newcomer who types them."""

import os
import pty
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support.plain_machine import plain_path

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


class Newcomer:
    """Types commands at a terminal and writes files in an editor."""

    def __init__(self, directory: Path, home: Path, *, path: str | None = None) -> None:
        self.directory = directory
        self._home = home
        self._path = path or plain_path()

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
            ["bash", "-c", script], stdin=slave, stdout=slave, stderr=slave, env=self.environment()
        )
        os.close(slave)
        output = _everything(master)
        code = process.wait()
        assert code == block.exit_code, output
        if place.exists():
            self.directory = Path(place.read_text().strip())
        return output

    def environment(self) -> dict[str, str]:
        """Return what the newcomer's programs see."""
        return {
            "HOME": str(self._home),
            "PATH": self._path,
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


def outputs_of(outputs: dict[str, str], command: str) -> str:
    return next(output for text, output in outputs.items() if command in text)
