"""What the page about roles shows is what the files may say."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from supervisor_ai.definitions.context_shapes import INTERNALS, VARIABLES, ContextShape
from supervisor_ai.definitions.gate_shapes import RoleGateShape
from supervisor_ai.definitions.mistakes import Mistakes
from supervisor_ai.definitions.role_shapes import RoleConfigShape, RoleFileShape
from supervisor_ai.definitions.roles.packs import PackShape, builtin_packs
from supervisor_ai.definitions.strategy_shapes import StrategyShape
from supervisor_ai.definitions.yaml_source import read_yaml

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
        mistakes = Mistakes()
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
