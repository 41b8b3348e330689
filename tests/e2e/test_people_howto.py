"""The how-to page about several people: Alice and Bob type all of it, each on a machine."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.e2e.tutorial_blocks import Block, Newcomer, outputs_of

PAGE: Final = Path(__file__).parents[2] / "docs" / "howto" / "approvals-by-several-people.md"
BLOCK: Final = re.compile(
    r"^```sh (?P<who>alice|bob)(?: (?P<rest>exit=\d+))?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
MAIL: Final = ("id_ed25519.pub", "decision.txt", "change.bundle", "decision.txt.sig")
"""What the two send to each other."""


def blocks() -> Iterator[tuple[str, Block]]:
    for match in BLOCK.finditer(PAGE.read_text()):
        yield match["who"], Block(kind="sh", rest=match["rest"], text=match["text"])


def machine(place: Path) -> Newcomer:
    home = place / "home"
    home.mkdir(parents=True)
    return Newcomer(home, home)


def send(sender: Newcomer, home: Path, receiver: Newcomer) -> None:
    """Copy what one of them has and the other has not."""
    for name in MAIL:
        for found in (sender.directory / name, home / ".ssh" / name):
            if found.exists() and not (receiver.directory / name).exists():
                shutil.copy(found, receiver.directory / name)


def test_two_people_let_a_change_land(tmp_path: Path) -> None:
    people = {who: machine(tmp_path / who) for who in ("alice", "bob")}
    outputs: dict[str, str] = {}
    before = "bob"
    for who, block in blocks():
        if who != before:
            send(people[before], tmp_path / before / "home", people[who])
        outputs[block.text] = people[who].follow(block)
        before = who
    assert len(outputs) == 11
    assert "Nothing proves that it is 'bob' who decides" in outputs_of(outputs, "--as bob")
    assert "Nothing is decided yet" in outputs_of(outputs, "--export decision.txt\nCOMMIT")
    assert "by 'bob'" in outputs_of(outputs, "--import decision.txt")
    assert "ApprovalGiven" in outputs_of(outputs, "supervisor events last")
    assert any("approved by you; 2 people have to agree, tree" in it for it in outputs.values())
    alice = people["alice"].directory
    branches = list((alice / ".git/refs/heads/ai").iterdir())
    assert len(branches) == 1


def test_the_page_names_every_refusal_as_it_is() -> None:
    source = Path(__file__).parents[2] / "src" / "supervisor_ai"
    files = (
        source / "definitions/identities/user_identities.py",
        source / "control/commands/decisions/signed_decisions.py",
    )
    code = " ".join(" ".join(file.read_text().split()) for file in files)
    rows = re.findall(r"^\| `(.+?)` \|", PAGE.read_text(), re.MULTILINE)
    assert len(rows) == 5
    for row in rows:
        for piece in filter(None, (part.strip(" ,") for part in row.split("…"))):
            assert piece in code.replace('" f"', "").replace('" "', ""), piece
