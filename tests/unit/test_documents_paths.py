"""Paths, modules and rooms that the documents name are there; shown to be able to fail."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src/supervisor_ai"
WHOLE: Final = ("docs/ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md")
INDEX: Final = "docs/README.md"
"""Every path in them is one of this repository; other documents speak of users' files, too."""
DOCUMENTS: Final = (
    *WHOLE,
    *("README.md", INDEX),
    *sorted(
        str(path.relative_to(ROOT))
        for folder in ("docs/howto", "docs/adr")
        for path in (ROOT / folder).glob("*.md")
    ),
)
ROOMS: Final = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
QUOTED: Final = re.compile(r"`([\w./{},<>-]+)`")
ROW: Final = re.compile(r"^\| `(\w+)/` \|")
LINK: Final = re.compile(r"\]\(([\w./-]+)\)")
MOST_LINES: Final = 200
MOST_LINKS: Final = 12
TIME: Final = re.compile(
    r"(?:tests?|`make test`)[^.;\n]{0,40}\b\w+ minutes|\b\w+ minutes on two cores"
)


def is_path(text: str, *, is_whole: bool) -> bool:
    """Tell paths of ours from other words in quotes."""
    first, slash, _ = text.partition("/")
    if slash and first in {*ROOMS, "tests", "scripts", "supervisor_ai"}:
        return True
    return is_whole and (text.endswith((".py", "/")) or text.startswith("src/"))


def spelled_out(text: str) -> list[str]:
    """Write `a/{b,c}/` as two paths, and `<name>` as a pattern."""
    text = re.sub(r"<\w+>", "*", text)
    if found := re.fullmatch(r"(.*)\{(.*)\}(.*)", text):
        return [f"{found[1]}{part}{found[3]}" for part in found[2].split(",")]
    return [text]


def is_there(path: str, room: str | None) -> bool:
    """Look in the room of the row, in the package and in the repository; a bare name has no room
    where the text around it speaks of any driver.
    """
    path = path.rstrip("/")
    places = [PACKAGE / room] if room else []
    if any(any(place.glob(path)) for place in (*places, PACKAGE, ROOT, ROOT / "src")):
        return True
    return room is None and "/" not in path and any((PACKAGE / "drivers").glob(f"*/{path}"))


def missing_paths(text: str, *, is_whole: bool) -> Iterator[str]:
    for line in text.splitlines():
        row = ROW.match(line)
        for quoted in QUOTED.findall(line):
            if is_path(quoted, is_whole=is_whole):
                room = row[1] if row else None
                yield from (it for it in spelled_out(quoted) if not is_there(it, room))


def missing_modules(text: str) -> Iterator[str]:
    """Find dotted names that are neither a module nor in one."""
    for name in re.findall(r"\bsupervisor_ai((?:\.[a-z]\w*)+)", text):
        path = PACKAGE.joinpath(*name[1:].split("."))
        if not (path.is_dir() or path.with_suffix(".py").is_file()):
            parent = path.parent.with_suffix(".py")
            if not parent.is_file() or path.name not in parent.read_text():
                yield f"supervisor_ai{name}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_a_document_names_is_there(document: str) -> None:
    text = (ROOT / document).read_text()
    missing = [*missing_paths(text, is_whole=document in WHOLE), *missing_modules(text)]
    links = [it for it in LINK.findall(text) if not (ROOT / document).parent.joinpath(it).exists()]
    assert not [*missing, *links]


def test_every_page_is_in_the_index() -> None:
    docs = (ROOT / INDEX).parent
    linked = {(docs / it).resolve() for it in LINK.findall((ROOT / INDEX).read_text())}
    pages = {it for it in docs.rglob("*.md") if it.name != "README.md" and "adr" not in it.parts}
    assert sorted(str(it.relative_to(docs)) for it in pages - linked) == []


def test_the_front_page_has_few_links() -> None:
    assert len(set(LINK.findall((ROOT / "README.md").read_text()))) < MOST_LINKS


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("see `engine/drive.py`, `src/supervisor_ai/engine/` and `tests/unit`", []),
        ("see `engine/drives.py`", ["engine/drives.py"]),
        ("see `src/supervisor/`", ["src/supervisor/"]),
        ("| `engine/` | acts | `drive.py`, `effects/` |", []),
        ("| `engine/` | acts | `event_log.py` |", ["event_log.py"]),
        ("see `cli/commands/{runs,walks}/`", ["cli/commands/walks/"]),
        ("`drivers/<name>/slice.py` and its `events.py`", []),
        (
            "`drivers/<name>/slices.py` and its `happenings.py`",
            ["drivers/*/slices.py", "happenings.py"],
        ),
    ],
)
def test_a_path_that_is_not_there_is_found(text: str, missing: list[str]) -> None:
    assert list(missing_paths(text, is_whole=True)) == missing


def test_other_documents_may_name_the_files_of_users() -> None:
    text = "write `src/limits.py` and `roles/`, and see `engine/drives.py`"
    assert list(missing_paths(text, is_whole=False)) == ["engine/drives.py"]


def test_a_module_that_is_not_there_is_found() -> None:
    text = "`supervisor_ai.engine.ports`, `supervisor_ai.cli.main.main`, `supervisor_ai.core.a`"
    assert list(missing_modules(f"{text} and `supervisor_ai.cli.main.no_such`")) == [
        "supervisor_ai.core.a",
        "supervisor_ai.cli.main.no_such",
    ]


def test_the_maps_have_every_room_and_no_other() -> None:
    table = (ROOT / "docs/ARCHITECTURE.md").read_text().splitlines()
    assert sorted(row[1] for line in table if (row := ROW.match(line))) == sorted(ROOMS)
    tree = (ROOT / "AGENTS.md").read_text().partition("```")[2].partition("```")[0]
    assert sorted(re.findall(r"^  (\w+)/ ", tree, re.MULTILINE)) == sorted(ROOMS)


def test_the_architecture_is_read_in_ten_minutes() -> None:
    assert len((ROOT / "docs/ARCHITECTURE.md").read_text().splitlines()) < MOST_LINES


def test_the_time_of_the_tests_is_said_once() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    texts = [
        page.read_text() for page in pages if page.name not in {"CHANGELOG.md", "benchmarks.md"}
    ]
    said = [found for text in texts for found in TIME.findall(text)]
    assert len(said) == 1, said


@pytest.mark.parametrize("text", ["`make test` takes under 15 minutes", "ten minutes on two cores"])
def test_such_a_time_would_be_found(text: str) -> None:
    assert TIME.search(text)
