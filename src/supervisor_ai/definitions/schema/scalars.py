"""Command lines, sizes and names as people write them in definition files."""

import re
import shlex
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_MODEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_REFERENCE: Final = re.compile(r"\$\{[^}]*\}")
_PERSON: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_PRINCIPAL: Final = re.compile(r"[A-Za-z0-9._%+@=:/-]{1,255}")
_SIZE: Final = re.compile(r"(\d{1,12})(?:([KMGT])(?:iB|i|B)?)?")
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SHELL_WORDS: Final = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1"})


def words(value: object) -> object:
    """Split a command line as a shell would; no shell ever sees it."""
    if not isinstance(value, str):
        return value
    try:
        parts = shlex.split(value.replace("\\\n", ""))
    except ValueError as error:
        raise ValueError(f"cannot be split into words: {error}") from error
    shell = next((part for part in parts if part in _SHELL_WORDS or part.endswith(";")), None)
    if shell is not None:
        raise ValueError(
            f'is run without a shell, where {shell!r} means nothing; write ["sh", "-c", "..."]'
        )
    return parts


def runnable(parts: list[str]) -> list[str]:
    """Accept the words of a command that can be started."""
    if not parts or not parts[0]:
        raise ValueError("is empty")
    if any("\0" in part for part in parts):
        raise ValueError("contains a null character")
    return parts


def name(value: str) -> str:
    """Accept what can also be a part of a git ref and of a path."""
    if not _NAME.fullmatch(value):
        raise ValueError(
            f"{value!r} is no usable name: letters, digits, '-' and '_', beginning with a letter"
        )
    return value


def agent(value: str) -> str:
    """Accept the name of an agent, and after a colon the model that it is to use."""
    base, colon, model = value.partition(":")
    if colon and not _MODEL.fullmatch(model):
        raise ValueError(f"{value!r} is no usable name: a CLI, or a CLI and a model as claude:opus")
    name(base)
    return value


def variable(value: str) -> str:
    """Accept the name of an environment variable that is not ours."""
    if not _VARIABLE.fullmatch(value):
        raise ValueError(f"{value!r} is no name of an environment variable")
    if value.startswith("SUPERVISOR_"):
        raise ValueError("variables that begin with SUPERVISOR_ are set by supervisor itself")
    return value


def person(value: str) -> str:
    """Accept what a person, or a user of a machine, is called."""
    if not _PERSON.fullmatch(value):
        raise ValueError(f"{value!r} is no usable name: letters, digits, '.', '_', '@' and '-'")
    return value


def principal(value: str) -> str:
    """Accept one principal of a list of signers; a pattern would stand for several people."""
    if not _PRINCIPAL.fullmatch(value):
        raise ValueError(f"must be one principal such as bob@example.com, found {value!r}")
    return value


def text(value: str) -> str:
    """Accept text that can be the value of an environment variable."""
    if "\0" in value:
        raise ValueError("contains a null character")
    return value


def host_path(value: str) -> str:
    """Accept a path of the user's machine; `~/` means the user's home."""
    path = Path(value).expanduser() if value.startswith("~/") else Path(value)
    if not path.is_absolute() or ".." in path.parts or "\0" in value:
        raise ValueError(f"must be an absolute path or begin with ~/, found {value!r}")
    return str(path)


def reference(value: str) -> str | None:
    """Return the first `${NAME}` of a text."""
    match = _REFERENCE.search(value)
    return match.group() if match else None


def inner_value(value: str) -> str:
    """Accept the value of a variable inside the sandbox, where none of the user's are."""
    named = reference(text(value))
    if named is not None:
        raise ValueError(f"{named} is not replaced: your variables do not enter the sandbox")
    return value


def size(value: object) -> int:
    """Read `512MiB`, `4GiB` or a number of bytes."""
    written = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    match = _SIZE.fullmatch(written) if isinstance(written, str) else None
    if match is None:
        raise ValueError(f"must be a size such as 512MiB or 4GiB, found {value!r}")
    return int(match[1]) * _UNITS[match[2] or ""]


def inner_path(value: str) -> str:
    """Accept a path inside the workspace."""
    parts = Path(value).parts
    is_inside = parts and not value.startswith("/") and not {"..", ".git"} & set(parts)
    if not is_inside or "\0" in value:
        raise ValueError(f"must be a path inside the workspace, found {value!r}")
    return str(Path(value))


def pattern(value: str) -> str:
    """Accept a pattern of files as .gitignore has them, but none that takes others back."""
    if not value.strip() or value.startswith(("!", "#")) or {"\0", "\n"} & set(value):
        raise ValueError(f"must be a pattern of files such as src/**, found {value!r}")
    return value


def dear(agent: str | None) -> str | None:
    """Return the name of an agent that names its model: some cost many times as much as others."""
    return agent if agent is not None and ":" in agent else None
