"""What names stand for in Python code, as far as one can tell without running it."""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

Function = ast.FunctionDef | ast.AsyncFunctionDef

_PURE: Final = frozenset(
    {"abs", "bool", "dict", "float", "int", "isinstance", "len", "list", "max", "min", "range"}
    | {"round", "set", "sorted", "str", "sum", "tuple", "type"}
)
_NAME: Final = re.compile(r"[^\W\d]\w*")
CHANGEABLE: Final = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp)
"""What may hold something else by the time that it is looked at."""
_DEPTH: Final = 4
_LONGEST: Final = 2000
_LINES: Final = 20


class PythonScope(Struct, frozen=True, kw_only=True):
    """Names that are given a value exactly once: those of a module, and those of a function."""

    values: Mapping[str, ast.expr] = field(default_factory=dict)
    imported: frozenset[str] = frozenset()
    """The names that a module takes from elsewhere."""

    def within(self, function: Function) -> "PythonScope":
        """Return the scope of a function's body; its parameters hide what stands outside."""
        inner, several = _assigned(_shallow(function.body))
        given = function.args
        parameters = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        own = {parameter.arg for parameter in parameters if parameter}
        inner = {name: value for name, value in inner.items() if name not in own}
        hidden = several | own
        used = {node.id for node in walk(function) if isinstance(node, ast.Name)}
        there = (used - hidden) & self.values.keys()
        outer = {name: self.values[name] for name in sorted(there)}
        return PythonScope(values=outer | inner, imported=self.imported)

    def given(self, name: str, value: ast.expr) -> "PythonScope":
        """Return the scope after a name was overwritten; only what is written out is known."""
        values = {**self.values, name: value}
        if not isinstance(value, ast.Constant):
            del values[name]
        return PythonScope(values=values, imported=self.imported)

    def expand(self, node: ast.expr) -> ast.expr:
        """Follow a bare name to the expression that it was given."""
        for _ in range(_DEPTH):
            if not (isinstance(node, ast.Name) and node.id in self.values):
                break
            node = self.values[node.id]
        return node.value if isinstance(node, ast.Await) else node

    def resolved(self, code: str) -> str:
        """Write code with what its names stand for; nothing where no name stands for anything."""
        written = code
        for _ in range(_DEPTH):
            known = self.values.keys() & frozenset(_NAME.findall(written))
            step = _substituted(written, self.values) if known else ""
            if not step or step == written or len(step) > _LONGEST:
                break
            written = step
        return "" if written == code else written

    def is_fixed(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Tell whether a value is known before anything was run that could be tested."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                value = self.values.get(name)
                return value is not None and depth > 0 and self._is_frozen(value, depth - 1)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _PURE:
                return all(self.is_fixed(argument, depth) for argument in arguments)
            case ast.Call() | ast.Attribute() | ast.Subscript() | ast.Lambda() | ast.Await():
                return False
            case _:
                parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
                return all(self.is_fixed(part, depth) for part in parts)

    def _is_frozen(self, node: ast.expr, depth: int) -> bool:
        """Tell whether a fixed value cannot have been changed since: no list, no dictionary."""
        called = isinstance(node, ast.Call) and name_of(node.func) in {"list", "dict", "set"}
        return not (isinstance(node, CHANGEABLE) or called) and self.is_fixed(node, depth)


def _value_of(node: ast.AST, values: Mapping[str, ast.expr]) -> ast.AST:
    """Return what a name stands for, or the node itself."""
    value = values.get(node.id) if isinstance(node, ast.Name) else None
    if value is None or isinstance(value, CHANGEABLE) or not is_short(value):
        return node
    return value.value if isinstance(value, ast.Await) else value


def _substitute(root: ast.AST, values: Mapping[str, ast.expr]) -> None:
    """Put values where their names stand, one step deep: what is put there is left alone."""
    for node in tuple(ast.walk(root)):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                parts = [_value_of(part, values) for part in value if isinstance(part, ast.AST)]
                if len(parts) == len(value):
                    value[:] = parts
            elif isinstance(value, ast.AST):
                setattr(node, name, _value_of(value, values))


def _substituted(code: str, values: Mapping[str, ast.expr]) -> str:
    """Take one step from names to what they stand for; nothing where the code is no Python."""
    try:
        tree = ast.parse(code, mode="eval")
        _substitute(tree, values)
        return ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def module_scope(tree: ast.Module) -> PythonScope:
    """Return the scope of a module's functions."""
    values, _ = _assigned(tree.body)
    imports = [node for node in walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}
    return PythonScope(values=values, imported=frozenset(names))


def _shallow(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Go through the statements of a body and its blocks, without those of inner functions."""
    for statement in body:
        yield statement
        if isinstance(statement, Function | ast.ClassDef):
            continue
        for block in ("body", "orelse", "finalbody"):
            yield from _shallow(getattr(statement, block, []))
        for handler in getattr(statement, "handlers", []):
            yield from _shallow(handler.body)


def _assigned(body: Iterable[ast.stmt]) -> tuple[dict[str, ast.expr], set[str]]:
    """Return what names are given exactly once, and the names that change."""
    once: dict[str, ast.expr] = {}
    several: set[str] = set()
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given: dict[str, ast.expr | None] = {name: value}
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                given = {name: value}
            case _:
                given = dict.fromkeys(_bound(statement))
        for name, expression in given.items():
            if expression is None or name in once:
                several.add(name)
            else:
                once[name] = expression
    return {name: value for name, value in once.items() if name not in several}, several


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Find the names that a statement itself binds in other ways than a plain assignment."""
    match statement:
        case ast.For(target=target) | ast.AsyncFor(target=target) | ast.AugAssign(target=target):
            targets: list[ast.expr] = [target]
        case ast.Assign(targets=targets):
            pass
        case ast.With(items=items) | ast.AsyncWith(items=items):
            targets = [item.optional_vars for item in items if item.optional_vars]
        case _:
            targets = []
    for target in targets:
        for node in walk(target):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                yield node.id


def walk(node: ast.AST) -> Sequence[ast.AST]:
    """Return a node with all that stands below it; many ask, so that it is found out once."""
    known = vars(node).get("_walked")
    if isinstance(known, list):
        return known
    found = [node]
    for each in found:
        for name in each._fields:
            value = getattr(each, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [part for part in value if isinstance(part, ast.AST)]
    vars(node)["_walked"] = found
    return found


def name_of(node: ast.AST) -> str:
    """Return a dotted name such as `pytest.mark.skip`; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def last_name(node: ast.AST) -> str:
    """Return the last part of what is called: `skip` of `pytest.mark.skip(...)`."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def text_of(node: ast.AST) -> str:
    """Write code in one form, whatever its blanks, quotes and line breaks were."""
    text = ast.unparse(node)
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}#{hashlib.sha256(text.encode(errors='replace')).hexdigest()}"


def is_short(node: ast.expr) -> bool:
    """Tell whether an expression is small enough to be written out wherever its name stands."""
    last = node.end_lineno or node.lineno
    width = (node.end_col_offset or 0) - node.col_offset
    return last - node.lineno < _LINES and width < _LONGEST


def truth_of(node: ast.expr, scope: PythonScope) -> bool | None:
    """Tell whether a condition always or never holds; None where that depends on something."""
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Name(id="__debug__"):
            return True
        case ast.Name(id=name) if name in scope.values and scope.is_fixed(node):
            return truth_of(scope.values[name], scope)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = truth_of(operand, scope)
            return None if inner is None else not inner
        case ast.BoolOp(op=ast.Or(), values=values):
            return True if any(truth_of(value, scope) is True for value in values) else None
        case ast.BoolOp(op=ast.And(), values=values):
            return False if any(truth_of(value, scope) is False for value in values) else None
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return bool(elements)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return _same(left, right)
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]):
            same = _same(left, right)
            return None if same is None else not same
        case _:
            return None


def _same(left: ast.expr, right: ast.expr) -> bool | None:
    if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
        return bool(left.value == right.value)
    return None
