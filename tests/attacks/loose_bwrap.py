"""Stands in for bubblewrap where a protection is to be missing: changes the options, becomes it.

Beside it lies `loose.json`: the real program, edits of its options, and what it is to inherit.
"""

import json
import os
import sys
from pathlib import Path
from typing import NoReturn, TypedDict


class Loosening(TypedDict):
    """What differs from what the product asked for."""

    executable: str
    edits: list[tuple[list[str], list[str]]]
    rules: str | None
    environment: dict[str, str]
    inherits: str | None
    terminal: str | None
    on_command_line: bool


def main() -> NoReturn:
    """Do what the product asked for, but for one thing."""
    order: Loosening = json.loads(Path(sys.argv[0]).with_name("loose.json").read_text())
    at = sys.argv.index("--args")
    options = _read(int(sys.argv[at + 1])).split("\0")[:-1]
    for wanted, instead in order["edits"]:
        options = _edited(options, wanted, instead)
    if order["rules"] is not None:
        filter_at = options.index("--seccomp") + 1
        options[filter_at] = str(_memory(bytes.fromhex(order["rules"])))
    if order["inherits"]:
        os.dup2(os.open(order["inherits"], os.O_RDONLY), 200)
    if order["terminal"]:
        # The first terminal that the leader of a session opens becomes the session's own.
        os.close(os.open(order["terminal"], os.O_RDWR))
    hidden = "".join(f"{option}\0" for option in options)
    given = ["--args", str(_memory(hidden.encode()))]
    told = options if order["on_command_line"] else given
    argv = [order["executable"], *sys.argv[1:at], *told, *sys.argv[at + 2 :]]
    os.execve(order["executable"], argv, order["environment"])  # noqa: S606 - no shell wanted


def _edited(options: list[str], wanted: list[str], instead: list[str]) -> list[str]:
    for at in range(len(options) - len(wanted) + 1):
        if options[at : at + len(wanted)] == wanted:
            return [*options[:at], *instead, *options[at + len(wanted) :]]
    sys.exit(f"loose: there is no {wanted} in {options}")


def _read(fd: int) -> str:
    with os.fdopen(fd) as file:
        return file.read()


def _memory(content: bytes) -> int:
    fd = os.memfd_create("loose", 0)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


if __name__ == "__main__":
    main()
