"""What the page about roles shows is what the files may say."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from supervisor_ai.definitions.roles.packs import PackShape, builtin_packs
from supervisor_ai.definitions.schema.context import INTERNALS, VARIABLES, ContextShape
from supervisor_ai.definitions.schema.gates import RoleGateShape
from supervisor_ai.definitions.schema.roles import RoleConfigShape, RoleFileShape
from supervisor_ai.definitions.schema.strategies import StrategyShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.sources.yaml_document import read_yaml

PAGE = Path(__file__).parents[4] / "docs/howto/write-a-role.md"
KEYS = {
    key
    for shape in (RoleFileShape, ContextShape, RoleGateShape, RoleConfigShape)
    for key in shape.model_fields
}


def test_every_example_fits() -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 6
    for block in blocks:
        mistakes = FileMistakes()
        document = read_yaml("page", block, mistakes)
        assert document is not None
        assert not mistakes
        value = document.value
        assert isinstance(value, dict)
        shape: type[BaseModel] = RoleFileShape
        if not {"sources", "algorithm"}.isdisjoint(value):
            shape = StrategyShape
        elif "version" in value:
            shape = PackShape
        shape.model_validate(value)


@pytest.mark.parametrize("word", sorted({*KEYS, *VARIABLES, INTERNALS, *builtin_packs()}))
def test_every_word_is_explained(word: str) -> None:
    if word == "git diff":
        word = "git diff --cached"
    assert re.search(rf"{re.escape(word)}(?!\w)", PAGE.read_text())


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", PAGE.read_text()):
        assert PAGE.parent.joinpath(link).exists(), link
