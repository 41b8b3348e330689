"""How what several files say becomes one role, with where each value comes from."""

from collections.abc import Iterable, Mapping
from typing import Final

from supervisor_ai.definitions.overlay.tables import CONFIG, ROLE
from supervisor_ai.definitions.overlay.tree import ValueNode, lay
from supervisor_ai.definitions.roles.files import RoleFile
from supervisor_ai.domain.structs import replace

_ASKED: Final[Mapping[str, str]] = {
    "planning.j2": "plan",
    "implement.j2": "implementation",
    "ui_design.j2": "implementation",
    "review_strict.j2": "review",
}
"""What the package's templates ask for."""


def merged(files: Iterable[RoleFile]) -> ValueNode:
    """Merge role files, the last one on top."""
    tree: ValueNode | None = None
    for file in files:
        said = file.written.planted(ROLE)
        tree = lay(tree, said, ROLE) or said
    if tree is None:
        raise ValueError("a role needs a file")
    return tree


def configured(role: ValueNode, name: str, config: ValueNode | None) -> ValueNode:
    """Merge what the config says about a role over its files; its lists replace theirs."""
    said = None if config is None else config.find("roles", name)
    return role if said is None else lay(role, said, CONFIG, ("roles", name)) or role


def with_template_answer(tree: ValueNode) -> ValueNode:
    """Say what a role answers by the template that asks for it, where no file says so."""
    template = tree.child("template")
    asked = _ASKED.get(str(template.value)) if template else None
    if template is None or asked is None or tree.child("answer"):
        return tree
    said = {
        "answer": replace(template, value=asked),
        "writes": replace(template, value=asked == "implementation"),
    }
    return replace(tree, value={**said, **tree.entries})
