"""Reads Python with the parser of the running interpreter."""

import ast
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from supervisor_ai.context.code.entry import (
    MAX_MEMBERS,
    MAX_VALUE,
    CodeEntry,
    EntryKind,
    first_sentence,
    one_line,
)

_SHORT_LINES: Final = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


def parsed_python(text: str) -> ast.Module | None:
    """Parse Python, or return None where this interpreter cannot read the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def statements(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """Yield every statement, also the nested ones, in the order of the source."""
    pending = list(body)[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        pending.extend(reversed([part for part in _parts(node) if not isinstance(part, ast.expr)]))


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    for field in ("body", "handlers", "cases", "orelse", "finalbody"):
        parts = getattr(node, field, ())
        if isinstance(parts, list):
            yield from parts


def python_entries(module: ast.Module, *, is_package: bool) -> tuple[CodeEntry, ...] | None:
    """Return what a module declares, or None where an expression is too deep to print."""
    try:
        reader = _Reader(exported=_exported(module), is_package=is_package)
        return tuple(reader.entries(module.body, inside=False))
    except RecursionError:
        return None


def is_public_name(name: str) -> bool:
    """Tell whether a name is for others: special names like `__init__` are."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


class _Reader:
    """Turns statements into entries; a module's own list of public names has the last word."""

    def __init__(self, *, exported: frozenset[str] | None, is_package: bool) -> None:
        self._exported = exported
        self._is_package = is_package

    def entries(self, body: Iterable[ast.stmt], *, inside: bool) -> Iterator[CodeEntry]:
        for statement in islice(body, MAX_MEMBERS):
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield self._function(statement, inside=inside)
                case ast.ClassDef():
                    yield self._class(statement, inside=inside)
                case ast.Import() | ast.ImportFrom():
                    yield self._import(statement)
                case ast.Assign() | ast.AnnAssign():
                    yield from self._value(statement, inside=inside)
                case ast.If() | ast.Try() | ast.With():
                    nested = [part for part in _flat(statement) if isinstance(part, ast.stmt)]
                    yield from self.entries(nested, inside=inside)
                case _:
                    pass

    def _function(self, node: Function, *, inside: bool) -> CodeEntry:
        word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        head = f"{word} {node.name}({ast.unparse(node.args)}){returns}: ..."
        return self._definition(node, head, inside=inside)

    def _class(self, node: ast.ClassDef, *, inside: bool) -> CodeEntry:
        bases = ", ".join(ast.unparse(base) for base in (*node.bases, *node.keywords))
        head = f"class {node.name}({bases}):" if bases else f"class {node.name}:"
        return self._definition(node, head, inside=inside)

    def _definition(self, node: Definition, head: str, *, inside: bool) -> CodeEntry:
        marks = "".join(f"@{ast.unparse(mark)} " for mark in node.decorator_list)
        members = self.entries(node.body, inside=True) if isinstance(node, ast.ClassDef) else ()
        return CodeEntry(
            kind=EntryKind.DEFINITION,
            text=one_line(marks + head),
            doc=first_sentence(ast.get_docstring(node, clean=False) or ""),
            is_public=self._is_public(node.name, inside=inside),
            members=tuple(members),
        )

    def _import(self, node: ast.Import | ast.ImportFrom) -> CodeEntry:
        names = [alias.asname or alias.name for alias in node.names]
        return CodeEntry(
            kind=EntryKind.IMPORT,
            text=one_line(ast.unparse(node)),
            is_public=any(self._passes_on(node, alias) for alias in node.names)
            and any(is_public_name(name) for name in names),
        )

    def _passes_on(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
        if self._exported is not None:
            return (alias.asname or alias.name) in self._exported
        again = alias.asname is not None and alias.asname == alias.name
        own = isinstance(node, ast.ImportFrom) and node.level > 0
        return again or (self._is_package and own)

    def _value(self, node: ast.Assign | ast.AnnAssign, *, inside: bool) -> Iterator[CodeEntry]:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if names and (names != ["__all__"] or inside):
            yield CodeEntry(
                kind=EntryKind.VALUE,
                text=_value_text(node),
                is_public=any(self._is_public(name, inside=inside) for name in names),
            )

    def _is_public(self, name: str, *, inside: bool) -> bool:
        if self._exported is not None and not inside:
            return name in self._exported
        return is_public_name(name)


def _flat(node: ast.If | ast.Try | ast.With) -> Iterator[ast.AST]:
    for part in _parts(node):
        yield from part.body if isinstance(part, ast.ExceptHandler) else (part,)


def _value_text(node: ast.Assign | ast.AnnAssign) -> str:
    is_short = (node.end_lineno or node.lineno) - node.lineno <= _SHORT_LINES
    text = ast.unparse(node) if is_short else "\n"
    if len(text) <= MAX_VALUE and "\n" not in text:
        return text
    if isinstance(node, ast.AnnAssign):
        return one_line(f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)} = ...")
    return one_line(" = ".join(ast.unparse(target) for target in node.targets) + " = ...")


def _exported(module: ast.Module) -> frozenset[str] | None:
    """Read `__all__` where it is one plain list of names."""
    found: frozenset[str] | None = None
    for node in module.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                | ast.AnnAssign(target=ast.Name(id="__all__"), value=value)
            ) if isinstance(value, ast.List | ast.Tuple):
                names = [part.value for part in value.elts if isinstance(part, ast.Constant)]
                complete = len(names) == len(value.elts)
                found = frozenset(str(name) for name in names) if complete else None
            case ast.AugAssign(target=ast.Name(id="__all__")):
                return None
            case _:
                pass
    return found
