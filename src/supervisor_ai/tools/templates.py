"""Jinja templates of which nobody knows who wrote them: in its sandbox, with a bound on work.

Whatever can make a small template large is counted: turns of loops, texts that are put together,
what filters and operators return. Whatever cannot be counted is not there: macros and blocks that
keep their output, methods and filters that pad, repeat or format.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from types import CodeType
from typing import Final, TypeAlias, cast

from jinja2 import Environment, StrictUndefined, Template, meta, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

MOST_WORK: Final = 16 * 1024 * 1024
"""Characters and entries that may be made on the way."""
_TURN: Final = 100
"""What a turn of a loop counts, though it may make nothing."""
_LARGEST_NUMBER: Final = 10**12
_FILTERS: Final = frozenset(
    {
        *("capitalize", "count", "d", "default", "first", "int", "last", "length", "list"),
        *("lower", "reverse", "sort", "string", "title", "trim", "truncate", "unique", "upper"),
    }
)
_METHODS: Final = frozenset(
    {
        *("cycle", "endswith", "get", "items", "keys", "lower", "lstrip", "rstrip", "split"),
        *("splitlines", "startswith", "strip", "title", "upper", "values"),
    }
)
_KEEPING: Final = (nodes.Macro, nodes.CallBlock, nodes.FilterBlock, nodes.AssignBlock)
_MOST_KEPT: Final = 32
"""So many templates are kept as they were compiled, which takes longer than to render them."""
_WORDS: Final = {"Macro": "macro", "CallBlock": "call", "FilterBlock": "filter"}

Filters: TypeAlias = Mapping[str, Callable[..., object]]
Compiler: TypeAlias = Callable[[str, Environment], CodeType]
_KEPT: Final[dict[object, CodeType]] = {}


class TooMuchWorkError(SecurityError):
    """The template was made, or happens, to take for ever."""


def refused(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """Find what can never be rendered, with its line."""
    for node in tree.find_all(_KEEPING):
        word = _WORDS.get(type(node).__name__, "set … endset")
        yield node.lineno, f"`{word}` is not understood: what it makes could not be bounded"
    known = {*_FILTERS, "join", "fenced", "label"}
    for filtered in tree.find_all(nodes.Filter):
        if filtered.name not in known:
            yield filtered.lineno, f"the filter {filtered.name!r} is not known"


def given_names(tree: nodes.Template) -> frozenset[str]:
    """Name what a template expects to be given: jinja alone counts what one branch of it sets."""
    own = {node.name for node in tree.find_all(nodes.Name) if node.ctx == "store"}
    return frozenset(meta.find_undeclared_variables(tree) - own)


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """For one rendering: what it may do is used up by it."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, filters: Filters) -> None:
        super().__init__(
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._left = MOST_WORK
        self._given = filters
        self.globals.clear()
        safe = {name: self._charged(found) for name, found in self.filters.items()
                if name in _FILTERS}  # fmt: skip
        self.filters.clear()
        self.filters |= safe | {name: self._charged(found) for name, found in filters.items()}
        self.filters |= {"join": self._joined, "_counted": self._counted}

    def template(self, source: str, compiler: Compiler | None = None) -> Template:
        """Return what renders a text; it is compiled once for all renderings of the process."""
        # What filters make of constants becomes a part of the code.
        key = (source, frozenset(self._given.items()))
        if key not in _KEPT:
            if len(_KEPT) >= _MOST_KEPT:
                _KEPT.clear()
            own = BoundedEnvironment(self._given)
            _KEPT[key] = compiler(source, own) if compiler else own.compile(source)
        return self.template_class.from_code(self, _KEPT[key], self.make_globals(None))

    # The ignored code asks for typing.override, which Python 3.11 does not have.
    def _parse(  # type: ignore[explicit-override]
        self, source: str, name: str | None, filename: str | None
    ) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        for line, problem in refused(tree):
            raise TooMuchWorkError(f"line {line}: {problem}")
        return cast("nodes.Template", _Counting().visit(tree))

    def call_binop(  # type: ignore[explicit-override]
        self, context: Context, operator: str, left: object, right: object
    ) -> object:
        """Reckon with small numbers only, and count the texts that are put together."""
        sizes = [abs(side) for side in (left, right) if isinstance(side, int | float)]
        is_number = len(sizes) == 2  # noqa: PLR2004 - both sides
        if is_number and max(sizes) > (64 if operator == "**" else _LARGEST_NUMBER):
            raise TooMuchWorkError(f"the numbers beside {operator!r} are too large")
        if not is_number and operator != "+":
            raise TooMuchWorkError(f"{operator!r} works on numbers only")
        if not is_number:
            self._charge(_size(left) + _size(right))
        return super().call_binop(context, operator, left, right)

    def call(  # type: ignore[explicit-override]
        self, context: Context, obj: object, *args: object, **kwargs: object
    ) -> object:
        """Call the few methods whose work is bounded."""
        if getattr(obj, "__name__", "") not in _METHODS:
            raise SecurityError(f"{obj!r} is not safely callable")
        result: object = super().call(context, obj, *args, **kwargs)
        self._charge(_size(result))
        return result

    def _charged(self, plain: Callable[..., object]) -> Callable[..., object]:
        """Count what a filter returns; those that are left return no more than they are given."""

        @wraps(plain)
        def charged(*given: object, **named: object) -> object:
            result = plain(*given, **named)
            self._charge(_size(result))
            return result

        return charged

    def _joined(self, values: Iterable[object], between: str = "") -> str:
        texts = []
        for value in values:
            texts.append(str(value))
            self._charge(len(texts[-1]) + len(between) + 1)
        return str(between).join(texts)

    def _counted(self, values: Iterable[object]) -> Iterator[object]:
        for value in values:
            self._charge(_TURN)
            yield value

    def _charge(self, work: int) -> None:
        self._left -= work
        if self._left < 0:
            raise TooMuchWorkError(f"it takes more than {MOST_WORK} units of work")


class _Counting(NodeTransformer):
    """Lets loops and texts that are put together pass through what counts."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - as jinja calls it
        self.generic_visit(node)
        node.iter = _filtered(cast("nodes.Expr", node.iter), "_counted")
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - as jinja calls it
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), "join")


def _filtered(node: nodes.Expr, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _size(value: object) -> int:
    return len(value) if isinstance(value, str | list | tuple | dict) else 1


def line_of(error: BaseException) -> int | None:
    """Find the line of the template in which it went wrong."""
    found, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == "<template>":
            found = step.tb_lineno
        step = step.tb_next
    return found


def plain_environment(filters: Filters) -> Environment:
    """Return what can parse a template and never renders one."""
    environment = ImmutableSandboxedEnvironment()
    environment.globals.clear()
    environment.filters.update(filters)
    return environment
