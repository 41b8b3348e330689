"""Files that hold both halves, and what becomes of them where the base's harness judges."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.engine.ports.evidence import Half
from supervisor_ai.gates.evidence.build_lists import BUILD_FILE, graft_build
from supervisor_ai.gates.evidence.settings_graft import settings_graft
from supervisor_ai.gates.evidence.source_graft import graft_source, may_hold_tests
from supervisor_ai.gates.evidence.toml_graft import NoGraft
from supervisor_ai.gates.integrity.languages.go.table import GO
from supervisor_ai.gates.integrity.languages.java.table import JAVA

_DOCUMENT: Final = re.compile(r".*\.(?:md|markdown|rst|txt|adoc)$", re.IGNORECASE | re.DOTALL)
_EXAMPLES: Final = re.compile(rb"(?m)^\s*>>> |^\s*```\s*rust|^\s*iex> ")
_BY_LIBRARY: Final = {".go": GO, ".java": JAVA}
_PLUGIN: Final = b"pytest11"
_TEST_ONLY: Final = re.compile(rb"(?m)^\s*#!\[cfg\(test\)\]")


class MixedFile(Struct, frozen=True, kw_only=True):
    """What a file turned out to be; a harness as a whole, or what is replayed of it."""

    half: Half
    why: str
    replayed: bytes | None = None
    """None where all of it is on one side, or nobody can tell the sides apart."""
    fault: str | None = None


def may_be_mixed(path: str) -> bool:
    """Tell whether only a look into a file can say to which half it belongs."""
    return bool(
        may_hold_tests(path)
        or PurePosixPath(path).suffix in _BY_LIBRARY
        or is_build_file(path)
        or settings_graft(path)
        or _DOCUMENT.match(path)
    )


def is_build_file(path: str) -> bool:
    """Tell whether a file says how the product and its tests are built."""
    return BUILD_FILE.match(path.rpartition("/")[2]) is not None


def tell(
    path: str, before: bytes | None, after: bytes | None, listed: Sequence[str]
) -> MixedFile | None:
    """Take a file apart; None where all of it is the product.

    What the change adds to the product and takes from it is listed.
    """
    try:
        if _DOCUMENT.match(path):
            return _of_document(before)
        if is_build_file(path):
            return _of_build(before, after, listed)
        if settings_graft(path) is not None:
            return _of_settings(path, before, after)
        return _of_source(path, before, after)
    except NoGraft as error:
        why = "tests stand in it, or settings of tests, beside the product"
        return MixedFile(half=Half.MIXED, why=why, fault=str(error))


def _of_document(before: bytes | None) -> MixedFile | None:
    if before is None or not _EXAMPLES.search(before):
        return None
    return MixedFile(half=Half.HARNESS, why="it has examples that can be run as tests")


def _of_build(before: bytes | None, after: bytes | None, listed: Sequence[str]) -> MixedFile:
    why = "it says how tests are built and run"
    if before is None or after is None:
        return MixedFile(half=Half.HARNESS, why=why)
    made = graft_build(_text(before), _text(after), listed).encode()
    if made == before:
        return MixedFile(half=Half.HARNESS, why=why)
    return MixedFile(half=Half.MIXED, why=f"{why}, and which files the product has", replayed=made)


def _of_settings(path: str, before: bytes | None, after: bytes | None) -> MixedFile | None:
    graft = settings_graft(path)
    made = graft(_text(before), _text(after)).encode() if graft else b""
    if not made.strip():
        return MixedFile(half=Half.HARNESS, why="it sets up tests") if before is None else None
    why = "it sets up tests, and says what the product is and needs"
    return MixedFile(half=Half.MIXED, why=why, replayed=made)


def _of_source(path: str, before: bytes | None, after: bytes | None) -> MixedFile | None:
    if path.endswith(".rs") and before is not None and _TEST_ONLY.search(before):
        return MixedFile(half=Half.HARNESS, why="all of it is there in test builds only")
    if before is not None and _serves_tests(path, before):
        return MixedFile(half=Half.HARNESS, why="it is written for tests that share it")
    if path.endswith("setup.py") and _PLUGIN in (after or b"") and _PLUGIN not in (before or b""):
        raise NoGraft("it makes the product a plugin of pytest")
    if after is None or not may_hold_tests(path):
        return None
    made = graft_source(path, before or b"", after)
    if made is None:
        return None
    return MixedFile(half=Half.MIXED, why="tests stand in it beside the product", replayed=made)


def _serves_tests(path: str, before: bytes) -> bool:
    """Tell by what it was at the base whether a source has a library of tests.

    What it is at the head must not count: it could ask not to be judged.
    """
    table = _BY_LIBRARY.get(PurePosixPath(path).suffix)
    return table is not None and "src/main/" not in path and table.is_test(path, before)


def _text(contents: bytes | None) -> str:
    try:
        return (contents or b"").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NoGraft("it is no text that we can read") from None
