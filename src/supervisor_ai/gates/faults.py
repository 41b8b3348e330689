"""Small faults that can be put into Python code, each as one replacement of bytes."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_COMPARED: Final = {
    "==": "!=",
    "!=": "==",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "in": "not in",
    "not in": "in",
    "is": "is not",
    "is not": "is",
}
_COUNTED: Final = {"+": "-", "-": "+", "*": "/", "/": "*"}
_JOINED: Final = {"and": "or", "or": "and"}
_SIMPLE_GAP: Final = re.compile(rb"([\s)]*)(\S.*?)([\s(]*)", re.DOTALL)


class SeededFault(Struct, frozen=True, kw_only=True):
    """One replacement in a source."""

    line: int
    start: int
    end: int
    text: bytes
    description: str

    def put_into(self, source: bytes) -> bytes:
        """Return the source with the fault, otherwise the same bytes."""
        return source[: self.start] + self.text + source[self.end :]


class Faults:
    """Finds the places of a source where a fault can be put in."""

    def __init__(self, source: bytes, tree: ast.Module) -> None:
        self._source = source
        self._tree = tree
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(source))]

    def find(self) -> Iterator[SeededFault]:
        """Go through the code."""
        for node in ast.walk(self._tree):
            match node:
                case ast.Compare(left=left, comparators=[right, *_]):
                    if not (isinstance(left, ast.Name) and left.id == "__name__"):
                        yield from self._between(left, right, _COMPARED)
                case ast.BinOp(left=left, right=right):
                    yield from self._between(left, right, _COUNTED)
                case ast.BoolOp(values=[left, right, *_]):
                    yield from self._between(left, right, _JOINED)
                case ast.UnaryOp(op=ast.Not()):
                    yield from self._without_not(node)
                case ast.Constant():
                    yield from self._constant(node)
                case ast.stmt():
                    yield from self._statement(node)
                case _:
                    pass

    def _statement(self, node: ast.stmt) -> Iterator[SeededFault]:
        match node:
            case ast.Return(value=ast.expr() as value):
                if not (isinstance(value, ast.Constant) and value.value is None):
                    yield self._replaced(value, b"None", "returns None")
            case ast.Raise():
                yield self._replaced(node, b"pass", "does not raise")
            case ast.If(test=test, body=[ast.Return() | ast.Raise() | ast.Continue()], orelse=[]):
                yield self._replaced(test, b"False", "never takes the way out")
            case _:
                pass

    def _between(
        self, left: ast.expr, right: ast.expr, operators: dict[str, str]
    ) -> Iterator[SeededFault]:
        """Swap the operator that stands between two expressions."""
        start, end = self._end(left), self._start(right)
        gap = _SIMPLE_GAP.fullmatch(self._source[start:end])
        if gap is None:
            return
        operator = " ".join(gap[2].decode(errors="replace").split())
        if operator in operators:
            swapped = operators[operator]
            yield SeededFault(
                line=self._line(start + gap.start(2)),
                start=start + gap.start(2),
                end=start + gap.end(2),
                text=swapped.encode(),
                description=f"{operator!r} became {swapped!r}",
            )

    def _without_not(self, node: ast.UnaryOp) -> Iterator[SeededFault]:
        start = self._start(node)
        if self._source[start : start + 3] == b"not":
            text = b" " if self._source[start + 3 : start + 4] not in (b" ", b"(") else b""
            yield SeededFault(
                line=node.lineno,
                start=start,
                end=start + 3,
                text=text,
                description="'not' was left out",
            )

    def _constant(self, node: ast.Constant) -> Iterator[SeededFault]:
        value = node.value
        if isinstance(value, bool):
            yield self._replaced(node, str(not value).encode(), f"{value} became {not value}")
        elif isinstance(value, int) and abs(value) < 2**63:
            yield self._replaced(node, str(value + 1).encode(), f"{value} became {value + 1}")

    def _replaced(self, node: ast.expr | ast.stmt, text: bytes, what: str) -> SeededFault:
        return SeededFault(
            line=node.lineno,
            start=self._start(node),
            end=self._end(node),
            text=text,
            description=what,
        )

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        line, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._starts[line - 1] + column

    def _line(self, offset: int) -> int:
        import bisect

        return bisect.bisect_right(self._starts, offset)
