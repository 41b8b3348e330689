"""Git's list of signers, without the lines in which one key stands for whoever fits a pattern."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Unavailable

_MOST_BYTES: Final = 1 << 20
_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_LINE: Final = re.compile(r'(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]+))[ \t]+(?P<rest>\S.*)')
_QUOTED: Final = re.compile(r'"(?:\\.|[^"\\])*"')
_AUTHORITY: Final = re.compile(r"(?:[^\s,]*,)*cert-authority(?:,|\s)", re.IGNORECASE)
_PATTERN: Final = re.compile(r"[*?!]")


def exact_signers(file: Path) -> str:
    """Return the lines that count; raise Unavailable where the list cannot be read.

    A certificate names its principals itself, so the line of an authority may be a pattern.
    """
    return "".join(f"{line}\n" for line in _counted(_read(file)))


def _counted(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        match = _LINE.match(line.strip(" \t"))
        if match is None or line.lstrip(" \t").startswith("#"):
            continue
        names = match["bare"] if match["quoted"] is None else match["quoted"]
        is_authority = _AUTHORITY.match(_QUOTED.sub("", match["rest"])) is not None
        if is_authority or not _PATTERN.search(names):
            yield line


def _read(file: Path) -> str:
    try:
        descriptor = os.open(file, _READ)
        with os.fdopen(descriptor, "rb") as opened:
            is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
            content = opened.read(_MOST_BYTES + 1) if is_file else b""
    except OSError as error:
        raise _unusable(file, str(error.strerror)) from error
    if not is_file or len(content) > _MOST_BYTES:
        raise _unusable(file, "it is too long" if is_file else "it is no file")
    return content.decode("utf-8", errors="surrogateescape")


def _unusable(file: Path, why: str) -> Unavailable:
    return Unavailable(
        f"The list of signers {str(file)!r} cannot be used: {why}.",
        hint="Name another one with `allowed_signers:` in your own config.yaml.",
    )
