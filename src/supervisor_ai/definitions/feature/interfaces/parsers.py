"""Whether an interface is written in its language, and who can tell; only in the reader's process.

Parsers of the extra `interfaces` are used where they are installed; without them some languages
are only looked at as far as what is always there can tell, and others not at all.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from supervisor_ai.definitions.feature.interfaces.extra import FindModule, find_module
from supervisor_ai.definitions.feature.interfaces.openapi_parser import load_schemas, parse_openapi
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm
from supervisor_ai.drivers.feature.plan.model import Interface, InterfaceKind
from supervisor_ai.tools.confined_child import Ask
from supervisor_ai.tools.syntax_tree import PARSERS, Grammar, is_deeper, parse_in_time

if TYPE_CHECKING:
    from tree_sitter import Node

_SECONDS: Final = 5.0
_DEPTH: Final = 300
_SHOWN: Final = 200


LATE_ROOTS: Final = (
    "supervisor_ai",
    *("antlr4", "jsonschema", "openapi_spec_validator", "proto_schema_parser", "sqlglot", "yaml"),
    *PARSERS,
)


def prepare() -> None:
    """Load nothing ahead: which parsers are needed shows only in the interfaces."""


def load(need: bytes) -> None:
    """Load what interfaces of a kind are compared with."""
    if need.decode() == InterfaceKind.OPENAPI:
        load_schemas(find_module)


def serve(task: bytes, ask: Ask) -> bytes:
    """Look at interfaces, one after the other."""
    del ask
    asked = msgspec.convert(json.loads(task), tuple[Interface, ...])
    return json.dumps(msgspec.to_builtins(tuple(map(_looked, asked)))).encode()


def _looked(interface: Interface) -> InterfaceForm:
    try:
        return parse_interface(interface)
    except RecursionError:
        return InterfaceForm(problem="is nested too deeply to be read")


def parse_interface(interface: Interface, find: FindModule = find_module) -> InterfaceForm:
    """Say who looked at an interface, and what is wrong with it."""
    return _PARSERS[interface.kind](interface, find)


def _typescript(interface: Interface, find: FindModule) -> InterfaceForm:
    del find
    grammar = Grammar("tree_sitter_typescript", "language_typescript")
    return _tree(interface.definition, grammar, "TypeScript")


def _python(interface: Interface, find: FindModule) -> InterfaceForm:
    del find
    return _tree(interface.definition, Grammar("tree_sitter_python"), "Python")


def _tree(text: str, grammar: Grammar, language: str) -> InterfaceForm:
    tree, is_late = parse_in_time(grammar, text.encode(), seconds=_SECONDS)
    root = tree.root_node
    if is_late or is_deeper(root, _DEPTH):
        return _form("tree-sitter", f"is no {language} that can be read in time")
    if not root.has_error:
        return _form("tree-sitter")
    line = min((it.start_point[0] + 1 for it in _errors(root)), default=1)
    return _form("tree-sitter", f"is no {language}: its line {line} cannot be read")


def _errors(node: "Node") -> Iterator["Node"]:
    """Find what a parser could make nothing of, in trees that are not deep."""
    if node.is_error or node.is_missing:
        yield node
        return
    for child in node.children:
        if child.has_error:
            yield from _errors(child)


def _json_schema(interface: Interface, find: FindModule) -> InterfaceForm:
    try:
        schema = json.loads(interface.definition)
    except ValueError as error:
        return _form("json", f"is no JSON: {error}")
    except RecursionError:
        return _form("json", "is no JSON that can be read: it is nested too deeply")
    if not isinstance(schema, dict | bool):
        return _form("json", "is no JSON Schema: expected an object")
    validators = find("jsonschema.validators")
    if validators is None:
        return _form("json")
    checker = validators.validator_for(schema)
    try:
        checker.check_schema(schema)
    except find("jsonschema.exceptions").SchemaError as error:
        at = "/".join(map(str, error.absolute_path))
        return _form("jsonschema", f"is no JSON Schema: at '/{at}', {_line(error.message)}")
    return _form("jsonschema")


def _protobuf(interface: Interface, find: FindModule) -> InterfaceForm:
    parser = find("proto_schema_parser.parser")
    if parser is None:
        return _form("")
    found: list[str] = []
    base = find("antlr4.error.ErrorListener").ErrorListener
    listener = type("_Listener", (base,), {"syntaxError": _noted(found)})()

    def listen(recognizer: Any) -> None:  # noqa: ANN401 - a library without types
        recognizer.removeErrorListeners()
        recognizer.addErrorListener(listener)

    parser.Parser(setup_lexer=listen, setup_parser=listen).parse(interface.definition)
    return _form("proto-schema-parser", found[0] if found else None)


def _noted(found: list[str]) -> Callable[..., None]:
    def note(*facts: Any) -> None:  # noqa: ANN401 - likewise
        _, _, _, line, _, message, _ = facts
        found.append(f"is no protobuf: in its line {line}, {_line(message)}")

    return note


def _sql(interface: Interface, find: FindModule) -> InterfaceForm:
    sqlglot = find("sqlglot")
    if sqlglot is None:
        return _form("")
    logging.disable()
    try:
        sqlglot.parse(interface.definition)
    except find("sqlglot.errors").SqlglotError as error:
        places = getattr(error, "errors", None) or [{"line": 1, "description": "it is unknown"}]
        first = places[0]
        return _form(
            "sqlglot", f"is no SQL: in its line {first['line']}, {_line(first['description'])}"
        )
    return _form("sqlglot")


def _form(by: str, problem: str | None = None) -> InterfaceForm:
    return InterfaceForm(by=by, problem=problem)


def _line(text: str) -> str:
    line = " ".join(text[: _SHOWN * 4].split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."


_PARSERS: Final[Mapping[InterfaceKind, Callable[[Interface, FindModule], InterfaceForm]]] = {
    InterfaceKind.TYPESCRIPT: _typescript,
    InterfaceKind.PYTHON: _python,
    InterfaceKind.JSON_SCHEMA: _json_schema,
    InterfaceKind.OPENAPI: parse_openapi,
    InterfaceKind.PROTOBUF: _protobuf,
    InterfaceKind.SQL: _sql,
}
