"""Where the names come from that a Python test uses, so that two tests can be told apart."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.gates.integrity.python_ast.files import FoundFunction
from supervisor_ai.gates.integrity.python_ast.scope import walk

_OF_PYTEST: Final = frozenset(
    {"tmp_path", "tmp_path_factory", "monkeypatch", "capsys", "capfd", "caplog", "recwarn"}
    | {"request", "pytestconfig", "self"}
)


@dataclass(slots=True)
class Origins:
    """Names what the names of one file mean."""

    path: str
    tree: ast.Module
    _imported: dict[str, str] = field(default_factory=dict)
    _own: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Find what the file imports and what it defines."""
        self._imported = dict(_imports(self.path, self.tree))
        self._own = frozenset(_defined(self.tree))

    def of(self, found: FoundFunction) -> tuple[str, ...]:
        """Return the origins of all that a function uses; what belongs to it alone has none."""
        function = found.function
        used = {node.id for node in walk(function) if isinstance(node, ast.Name)}
        given = {parameter.arg for parameter in function.args.args} - _OF_PYTEST
        origins = {self._imported[name] for name in used & self._imported.keys()}
        origins |= {f"{self.path}: {name}" for name in (used | given) & self._own}
        folder = PurePosixPath(self.path).parent
        origins |= {f"fixture of {folder}: {name}" for name in given - self._own}
        origins |= {f"{self.path}: {outer.name}" for outer in found.classes if _is_prepared(outer)}
        return tuple(sorted(origins))


def _is_prepared(outer: ast.ClassDef) -> bool:
    """Tell whether a class brings more than tests."""
    named = [getattr(part, "name", "") for part in outer.body]
    return any(not name.startswith("test") for name in named if name) or bool(outer.bases)


def _imports(path: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.split(".")[0]
                yield bound, alias.name if alias.asname else bound
        elif isinstance(node, ast.ImportFrom):
            place = f"{PurePosixPath(path).parent}:{'.' * node.level}" if node.level else ""
            for alias in node.names:
                yield alias.asname or alias.name, f"{place}{node.module or ''}.{alias.name}"


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
