"""The sizes, names and habits of the house; every rule is shown to be able to fail."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from statistics import median, quantiles
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PURE_ROOMS: Final = {"domain", "engine"}
VALUES_OF_MSGSPEC: Final = {
    *("msgspec.Struct", "msgspec.field"),
    *("msgspec.structs.asdict", "msgspec.structs.replace"),
}
BANNED_WORDS: Final = {
    *("manager", "managers", "handler", "handlers", "helper", "helpers", "util", "utils"),
    *("processor", "processors", "data", "info", "core", "common", "misc"),
}
# The commit that a run starts from, not a class to inherit from.
ALLOWED_CLASSES: Final = {"Base"}
# The kanban role of that name is called so wherever it is at home.
MANAGERS_PLACES: Final = {"kanban", "mechanical_manager.py"}
TESTS: Final = re.compile(r"^tests\.(\w+\.)*test_")
SLOWER: Final = re.compile(r"tests\.(integration|e2e|simulation|attacks|clis|contract)\b")
PATCHABLE: Final = {"setenv", "delenv", "chdir"}
DATE: Final = re.compile(
    r"\b(19|20)\d\d[-/.]\d|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (19|20)\d\d\b",
    re.IGNORECASE,
)
STARTS: Final = {
    f"subprocess.{name}" for name in ("Popen", "run", "call", "check_call", "check_output")
}
BY_NAME: Final = {
    *("shutil.which", "os.system", "os.popen", "os.posix_spawnp", "pty.spawn", "os.startfile"),
    *(f"os.{form}" for form in ("execlp", "execlpe", "execvp", "execvpe")),
    *(f"os.{form}" for form in ("spawnlp", "spawnlpe", "spawnvp", "spawnvpe")),
    *("asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell"),
    *("subprocess.getoutput", "subprocess.getstatusoutput"),
    # These start programs by name behind the scenes.
    *("ctypes.util.find_library", "click.edit", "click.launch", "click.echo_via_pager"),
    *("webbrowser.open", "platform.platform", "platform.processor", "platform.uname"),
}
THE_ONE_PLACE: Final = "tools/programs.py"
# They run inside a sandbox, where a command means what the sandbox has.
INSIDE: Final = {
    *(
        "sandboxes/egress/shim.py",
        "sandboxes/containers/init_process.py",
        "workers/scripted_agent.py",
    ),
}
# What it starts was found by who calls it.
GIVEN_PROGRAMS: Final = {"sandboxes/bwrap/kept_self_test.py", "sandboxes/bwrap/run_as.py"}
NOQA: Final = re.compile(r"noqa(: *[A-Z0-9, ]+)?")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One source file; the path of product code is relative to its package."""

    path: PurePosixPath
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def comments(self) -> dict[int, str]:
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        return {
            token.start[0]: token.string.lstrip("# ")
            for token in tokens
            if token.type == tokenize.COMMENT
        }

    @property
    def functions(self) -> list[Function]:
        return [node for node in self.nodes if isinstance(node, Function)]

    def at(self, line: int, what: str) -> str:
        return f"{self.path}:{line}: {what}"


@cache
def modules(*folders: str, relative_to: str = "") -> list[Module]:
    """Read the modules below folders; each is read and parsed once, and in no process but those
    that look at it.
    """
    base = ROOT / relative_to
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return [
        Module(PurePosixPath(path.relative_to(base).as_posix()), path.read_text()) for path in paths
    ]


def product() -> list[Module]:
    return modules("src/supervisor_ai", relative_to="src/supervisor_ai")


def everything() -> list[Module]:
    return [*product(), *modules("tests", "scripts", "bench")]


def everything_that_says(words: str) -> Callable[[], list[Module]]:
    """Spare a parser the modules that cannot break a rule about words."""
    return lambda: [module for module in everything() if re.search(words, module.text)]


# Sizes: every measure yields (where, how much).

Sizes = Iterator[tuple[str, int]]


def module_lines(module: Module) -> Sizes:
    yield str(module.path), len(module.text.splitlines())


def function_body_lines(module: Module) -> Sizes:
    for function in module.functions:
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        if body:
            size = (function.end_lineno or function.lineno) - body[0].lineno + 1
            yield module.at(function.lineno, function.name), size


def parameters(module: Module) -> Sizes:
    for function in module.functions:
        of = function.args
        names = [argument.arg for argument in (*of.posonlyargs, *of.args, *of.kwonlyargs)]
        variadic = [argument for argument in (of.vararg, of.kwarg) if argument]
        counted = len(names) + len(variadic) - (names[:1] in (["self"], ["cls"]))
        yield module.at(function.lineno, function.name), counted


def too_large(sizes: list[tuple[str, int]], limit: int) -> str:
    """Name what is over the limit, or nothing; with the median and the 90th percentile of all."""
    over = [f"{where} has {size}" for where, size in sizes if size > limit]
    if not over:
        return ""
    numbers = [size for _, size in sizes]
    p90 = quantiles(numbers, n=10)[-1] if len(numbers) > 1 else numbers[0]
    return "\n".join([f"limit {limit}, median {median(numbers):g}, p90 {p90:g}", *over])


LIMITS: Final = [(module_lines, 500), (function_body_lines, 50), (parameters, 6)]


@pytest.mark.parametrize(("measure", "limit"), LIMITS)
def test_sizes_stay_below_their_limits(measure: Callable[[Module], Sizes], limit: int) -> None:
    sizes = [size for module in product() for size in measure(module)]
    assert not too_large(sizes, limit), too_large(sizes, limit)


@pytest.mark.parametrize(
    ("measure", "text", "size"),
    [
        (module_lines, "x = 1\n" * 3, 3),
        (function_body_lines, 'def f():\n    """Say.\n\n    More.\n    """\n    a()\n    b()\n', 2),
        (function_body_lines, "async def f(\n    a,\n):\n    b()\n", 1),
        (parameters, "def f(a, /, b, *c, d=1, **e): ...", 5),
        (parameters, "class A:\n    def f(self, a): ...", 1),
        (parameters, "class A:\n    @classmethod\n    def f(cls, *, a): ...", 1),
    ],
)
def test_a_size_is_measured(measure: Callable[[Module], Sizes], text: str, size: int) -> None:
    assert [found for _, found in measure(Module(PurePosixPath("a.py"), text))] == [size]


def test_a_size_over_its_limit_is_reported_with_median_and_p90() -> None:
    sizes = [(f"m{size}.py", size) for size in range(1, 11)]
    assert too_large(sizes, 10) == ""
    assert too_large(sizes, 9) == "limit 9, median 5.5, p90 9.9\nm10.py has 10"


# Rules: every rule yields one sentence per breach.

Rule = Callable[[Module], Iterator[str]]


def words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def names_say_what_things_are(module: Module) -> Iterator[str]:
    is_the_role = not MANAGERS_PLACES.isdisjoint(module.path.parts)
    banned = BANNED_WORDS - ({"manager"} if is_the_role else set())
    named = [node for node in module.nodes if isinstance(node, Function | ast.ClassDef)]
    places = [
        (1, module.path.with_suffix("").as_posix()),
        *((node.lineno, node.name) for node in named),
    ]
    for line, name in places:
        for word in sorted(words(name) & banned):
            yield module.at(line, f"the name {name!r} contains {word!r}")


def base_classes_are_abstract(module: Module) -> Iterator[str]:
    for node in module.nodes:
        if (
            isinstance(node, ast.ClassDef)
            and "base" in words(node.name)
            and node.name not in ALLOWED_CLASSES
        ):
            bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
            if "ABC" not in bases:
                yield module.at(node.lineno, f"{node.name!r} is a base class but no ABC")


def packages_hold_only_their_docstring(module: Module) -> Iterator[str]:
    if module.path.name == "__init__.py" and module.path.parts[0] != "testing":
        body = module.tree.body
        if len(body) != 1 or ast.get_docstring(module.tree) is None:
            yield module.at(1, "a package's __init__ is its docstring and nothing else")


def imports_are_absolute(module: Module) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, ast.ImportFrom) and node.level:
            yield module.at(node.lineno, "relative import")


def any_is_absent_from_pure_rooms(module: Module) -> Iterator[str]:
    if module.path.parts[0] in PURE_ROOMS:
        yield from uses_of_any(module)


def pure_rooms_take_only_values_of_msgspec(module: Module) -> Iterator[str]:
    """Let events and values be Structs, and leave reading and writing them to the store."""
    if module.path.parts[0] not in PURE_ROOMS:
        return
    for node in module.nodes:
        match node:
            case ast.Import(names=names) if any(it.name.startswith("msgspec") for it in names):
                yield module.at(node.lineno, "all of msgspec")
            case ast.ImportFrom(module=str(source), names=names) if source.startswith("msgspec"):
                taken = {f"{source}.{it.name}" for it in names} - VALUES_OF_MSGSPEC
                yield from (module.at(node.lineno, it) for it in sorted(taken))
            case _:
                continue


def uses_of_any(module: Module) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, ast.Name | ast.Attribute) and dotted(node) in ("Any", "typing.Any"):
            yield module.at(node.lineno, "Any")


def broad_excepts(module: Module) -> Iterator[ast.ExceptHandler]:
    """Find what may swallow any error; a clean-up that ends in a bare raise swallows nothing."""
    for node in module.nodes:
        if isinstance(node, ast.ExceptHandler) and ast.unparse(node.body[-1]) != "raise":
            caught = "BaseException" if node.type is None else ast.unparse(node.type)
            if re.search(r"\b(Base)?Exception\b", caught):
                yield node


def broad_excepts_give_a_reason(module: Module) -> Iterator[str]:
    for node in broad_excepts(module):
        if not NOQA.sub("", module.comments.get(node.lineno, "")).strip(" -:"):
            yield module.at(node.lineno, "a broad except needs its reason as a comment on its line")


def comments_tell_no_history(module: Module) -> Iterator[str]:
    if not DATE.search(module.text):
        return
    for line, comment in module.comments.items():
        if DATE.search(comment):
            yield module.at(line, f"a comment with a date: {comment!r}")


def fakes_not_mocks(module: Module) -> Iterator[str]:
    for node in module.nodes:
        match node:
            case ast.Import(names=names):
                imported = {alias.name for alias in names}
            case ast.ImportFrom(module=source, names=names):
                imported = {f"{source}.{alias.name}" for alias in names}
            case _:
                continue
        if any(f"{name}.".startswith("unittest.mock.") for name in imported):
            yield module.at(node.lineno, "unittest.mock")


def only_environment_and_cwd_are_patched(module: Module) -> Iterator[str]:
    for node in module.nodes:
        match node:
            case ast.Attribute(value=ast.Name(id="monkeypatch"), attr=attr) if (
                attr not in PATCHABLE
            ):
                yield module.at(node.lineno, f"monkeypatch.{attr}")


def imported_modules(module: Module) -> Iterator[tuple[int, str]]:
    for node in module.nodes:
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=str(source)):
                yield node.lineno, source
            case _:
                continue


def no_module_of_tests_is_imported(module: Module) -> Iterator[str]:
    for line, name in imported_modules(module):
        if TESTS.search(name):
            yield module.at(line, f"{name!r} holds tests; what others need is a module of its own")


def unit_tests_use_nothing_of_slower_tests(module: Module) -> Iterator[str]:
    if module.path.is_relative_to("tests/unit"):
        for line, name in imported_modules(module):
            if SLOWER.match(name):
                yield module.at(line, f"{name!r}: what unit tests need is in tests/support")


def full_names(module: Module) -> dict[str, str]:
    """Map what a module calls things to where they come from."""
    found: dict[str, str] = {}
    for node in module.nodes:
        match node:
            case ast.Import(names=names):
                found |= {alias.asname or alias.name: alias.name for alias in names}
            case ast.ImportFrom(module=str(source), names=names):
                found |= {it.asname or it.name: f"{source}.{it.name}" for it in names}
            case _:
                continue
    return found


def full_name(node: ast.AST, names: dict[str, str]) -> str:
    first, dot, rest = dotted(node).partition(".")
    return f"{names.get(first, first)}{dot}{rest}"


def dotted(node: ast.AST) -> str:
    """Write a name or an attribute of names as in the source; anything else has no such name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            return f"{dotted(value)}.{attr}"
        case _:
            return "(...)"


def no_program_is_started_by_name(module: Module) -> Iterator[str]:
    if str(module.path) in {THE_ONE_PLACE, *INSIDE}:
        return
    names = full_names(module)
    for node in module.nodes:
        if isinstance(node, ast.Attribute | ast.Name) and full_name(node, names) in BY_NAME:
            used = full_name(node, names)
            yield module.at(node.lineno, f"{used} looks a program up; ask {THE_ONE_PLACE}")
        if isinstance(node, ast.Call) and full_name(node.func, names) in STARTS:
            yield from faults_of_start(module, node, names)


def faults_of_start(module: Module, call: ast.Call, names: dict[str, str]) -> Iterator[str]:
    given = {keyword.arg for keyword in call.keywords}
    if "env" not in given or "shell" in given:
        yield module.at(call.lineno, "a process is given its environment, and is no shell")
    match call.args[:1]:
        case [ast.List(elts=[ast.Constant(value=str(word)), *_])] if not word.startswith("/"):
            yield module.at(call.lineno, f"{word!r} is started by name")
        case [ast.Tuple(elts=[ast.Constant(value=str(word)), *_])] if not word.startswith("/"):
            yield module.at(call.lineno, f"{word!r} is started by name")
        case [ast.Constant()] | [ast.JoinedStr()] | []:
            yield module.at(call.lineno, "a command is a list of words")
        case _:
            pass
    is_found = "find_program" in names or "sys.executable" in module.text
    if not is_found and str(module.path) not in GIVEN_PROGRAMS:
        yield module.at(call.lineno, f"who starts a process asks {THE_ONE_PLACE} for the program")


PARSERS: Final = re.compile(
    r"(tomllib|xmltodict|lxml|plistlib|pickle|marshal|shelve|zipfile)(\.|$)"
    r"|xml\.(etree|dom|parsers|sax\.(?!saxutils))|html\.parser"
    r"|configparser\.|tarfile\.open|ast\.(parse|literal_eval)|compile$|eval$|exec$"
    r"|yaml\.(\w*load\w*|parse|compose\w*|scan)|tree_sitter\.Parser"
)
BOUNDED: Final = {
    "tools/toml.py": "counts keys before it parses",
    "tools/yaml_tree.py": "bounds on length, depth and number of values",
    "tools/syntax_tree.py": "bounds on depth and time",
    "definitions/detection/table.py": "our own table",
    "gates/own_tables.py": "tables of our own",
    "gates/integrity/": "only in the reader's process",
    "gates/mutation.py": "only in the reader's process; bounds on length",
    "gates/runners/junit_report.py": "only in the reader's process; bounds on size and depth",
    "context/code/readers/python.py": "bounds on length and depth",
    "sandboxes/containers/image.py": "writes an archive",
    "sandboxes/bwrap/drop_privileges.py": "orders of our own",
    "sandboxes/bwrap/privileged_start.py": "orders of our own",
}
READERS_ROOM: Final = re.compile(
    r"supervisor_ai\.gates\."
    r"(reader|integrity|new_tests|mutation|runners\.(junit_report|json_report|report_request|scripts)"
    r"|worker_claims|evidence\.(?!repository_evidence|messages)|facts\.(?!known_facts)|public_api)\b"
)


def names_used(module: Module) -> Iterator[tuple[int, str]]:
    """Find what a module imports or calls, by its full name."""
    names = full_names(module)
    for node in module.nodes:
        match node:
            case ast.Import(names=imported):
                yield from ((node.lineno, f"{alias.name}.") for alias in imported)
            case ast.ImportFrom(module=str(source), names=imported):
                yield from ((node.lineno, f"{source}.{alias.name}") for alias in imported)
            case ast.Attribute() | ast.Name():
                yield node.lineno, full_name(node, names)
            case _:
                continue


def foreign_text_is_parsed_in_bounds(module: Module) -> Iterator[str]:
    if not any(str(module.path).startswith(place) for place in BOUNDED):
        for line, name in names_used(module):
            if PARSERS.match(name):
                yield module.at(line, f"{name!r} reads without bounds what others wrote")


MOST_TOOLS: Final = 12
"""An ADR for the thirteenth."""
LONGEST_TOOL: Final = 200
PRODUCT_WORDS: Final = re.compile(
    r"(?<![a-z])(kanban|ledger|workflow|worker|workspace|reviewer|executor|agent|gate|role)s?"
    r"(?![a-z])",
    re.IGNORECASE,
)


def tools_are_small_and_know_no_product(module: Module) -> Iterator[str]:
    if module.path.parts[0] == "tools":
        if len(module.text.splitlines()) > LONGEST_TOOL:
            yield module.at(LONGEST_TOOL, f"a tool has at most {LONGEST_TOOL} lines")
        for line, text in enumerate(module.text.splitlines(), 1):
            if found := PRODUCT_WORDS.search(text):
                yield module.at(line, f"a tool does not know the word {found[0]!r}")


def hostile_code_is_read_by_a_process_of_its_own(module: Module) -> Iterator[str]:
    at_home = module.path.parts[0] == "gates" and READERS_ROOM.match(
        f"supervisor_ai.{'.'.join(module.path.with_suffix('').parts)}"
    )
    if not at_home:
        for node in module.nodes:
            if isinstance(node, ast.ImportFrom) and READERS_ROOM.match(node.module or ""):
                yield module.at(node.lineno, f"{node.module!r} belongs into the reader's process")


RULES: Final[list[tuple[Rule, Callable[[], list[Module]]]]] = [
    (foreign_text_is_parsed_in_bounds, product),
    (hostile_code_is_read_by_a_process_of_its_own, product),
    (names_say_what_things_are, product),
    (base_classes_are_abstract, product),
    (packages_hold_only_their_docstring, product),
    (imports_are_absolute, product),
    (any_is_absent_from_pure_rooms, product),
    (pure_rooms_take_only_values_of_msgspec, product),
    (broad_excepts_give_a_reason, product),
    (comments_tell_no_history, product),
    (no_program_is_started_by_name, product),
    (tools_are_small_and_know_no_product, product),
    (fakes_not_mocks, everything_that_says("mock")),
    (only_environment_and_cwd_are_patched, everything_that_says("monkeypatch")),
    (no_module_of_tests_is_imported, everything_that_says(r"tests\.(\w+\.)*test_")),
    (unit_tests_use_nothing_of_slower_tests, everything_that_says(SLOWER.pattern)),
]


STARTING: Final = """\
import subprocess
from supervisor_ai.tools.programs import find_program
subprocess.run("""


@pytest.mark.parametrize(("rule", "where"), RULES)
def test_the_code_keeps_the_rule(rule: Rule, where: Callable[[], list[Module]]) -> None:
    breaches = [breach for module in where() for breach in rule(module)]
    assert not breaches, "\n".join(breaches)


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (names_say_what_things_are, "store/log.py", "class RunManager: ..."),
        (names_say_what_things_are, "store/log.py", "async def load_data(): ..."),
        (names_say_what_things_are, "store/log.py", "class HTTPHandler: ..."),
        (names_say_what_things_are, "store/utils.py", ""),
        (names_say_what_things_are, "common/log.py", ""),
        (base_classes_are_abstract, "store/log.py", "class BaseLog(Log): ..."),
        (packages_hold_only_their_docstring, "store/__init__.py", '"""A."""\nfrom a import b'),
        (packages_hold_only_their_docstring, "store/__init__.py", ""),
        (imports_are_absolute, "store/log.py", "from . import codec"),
        (any_is_absent_from_pure_rooms, "domain/run/run.py", "x: list[Any]"),
        (any_is_absent_from_pure_rooms, "engine/drive.py", "x: typing.Any"),
        (pure_rooms_take_only_values_of_msgspec, "domain/flow.py", "import msgspec.json"),
        (pure_rooms_take_only_values_of_msgspec, "engine/drive.py", "from msgspec import json"),
        (broad_excepts_give_a_reason, "store/log.py", "try: ...\nexcept Exception: ..."),
        (broad_excepts_give_a_reason, "store/log.py", "try: ...\nexcept: ...  # noqa: BLE001"),
        (
            broad_excepts_give_a_reason,
            "store/log.py",
            "try: ...\nexcept (OSError, BaseException): ...",
        ),
        (comments_tell_no_history, "store/log.py", "x = 1  # since 2024-05-01"),
        (comments_tell_no_history, "store/log.py", "# changed in March 2025"),
        (foreign_text_is_parsed_in_bounds, "store/a.py", "import tomllib"),
        (foreign_text_is_parsed_in_bounds, "store/a.py", "from tomllib import loads"),
        (foreign_text_is_parsed_in_bounds, "store/a.py", "import yaml as y\ny.safe_load(t)"),
        (foreign_text_is_parsed_in_bounds, "store/a.py", "from yaml import CLoader, load"),
        (foreign_text_is_parsed_in_bounds, "store/a.py", "from ast import parse as p\np(t)"),
        (foreign_text_is_parsed_in_bounds, "store/a.py", "import xml.etree.ElementTree as ET"),
        (foreign_text_is_parsed_in_bounds, "store/a.py", "from tree_sitter import Parser"),
        (foreign_text_is_parsed_in_bounds, "store/a.py", "eval(text)"),
        (
            hostile_code_is_read_by_a_process_of_its_own,
            "bootstrap/adapters.py",
            "from supervisor_ai.gates.reader import look",
        ),
        (
            hostile_code_is_read_by_a_process_of_its_own,
            "gates/runners/a.py",
            "from supervisor_ai.gates.integrity.analysis.syntax_tree import parsed",
        ),
        (
            hostile_code_is_read_by_a_process_of_its_own,
            "gates/examiner.py",
            "from supervisor_ai.gates.facts.change_facts import find_facts",
        ),
        (no_program_is_started_by_name, "store/a.py", "import shutil\nshutil.which('git')"),
        (no_program_is_started_by_name, "store/a.py", "from shutil import which\nwhich('git')"),
        (no_program_is_started_by_name, "store/a.py", "import os as o\no.execvp('a', ['a'])"),
        (
            no_program_is_started_by_name,
            "store/a.py",
            "from ctypes import util\nutil.find_library('c')",
        ),
        (no_program_is_started_by_name, "cli/a.py", "import click\nclick.edit('text')"),
        (no_program_is_started_by_name, "store/a.py", f"{STARTING}['git', 'push'], env={{}})"),
        (no_program_is_started_by_name, "store/a.py", f"{STARTING}('git', 'push'), env={{}})"),
        (no_program_is_started_by_name, "store/a.py", f"{STARTING}['/bin/git'])"),
        (no_program_is_started_by_name, "store/a.py", f"{STARTING}command, env={{}}, shell=True)"),
        (no_program_is_started_by_name, "store/a.py", f"{STARTING}'git push', env={{}})"),
        (
            no_program_is_started_by_name,
            "store/a.py",
            "import subprocess\nsubprocess.run(command, env={})",
        ),
        (tools_are_small_and_know_no_product, "tools/a.py", "x = 1\n" * 201),
        (tools_are_small_and_know_no_product, "tools/a.py", "worker_name = 1"),
        (tools_are_small_and_know_no_product, "tools/a.py", '"""Reads kanbans."""'),
        (fakes_not_mocks, "tests/a.py", "import unittest.mock"),
        (fakes_not_mocks, "tests/a.py", "from unittest import mock"),
        (fakes_not_mocks, "tests/a.py", "from unittest.mock import Mock"),
        (only_environment_and_cwd_are_patched, "tests/a.py", "monkeypatch.setattr(a, 'b', c)"),
        (
            no_module_of_tests_is_imported,
            "tests/unit/a.py",
            "from tests.unit.control.test_board import told",
        ),
        (no_module_of_tests_is_imported, "bench/a.py", "import tests.e2e.test_crash"),
        (
            unit_tests_use_nothing_of_slower_tests,
            "tests/unit/domain/test_a.py",
            "from tests.integration.engine.kernel import Kernel",
        ),
        (unit_tests_use_nothing_of_slower_tests, "tests/unit/a.py", "import tests.e2e.command"),
    ],
)
def test_the_rule_refuses_a_breach(rule: Rule, path: str, text: str) -> None:
    assert list(rule(Module(PurePosixPath(path), text)))


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (
            names_say_what_things_are,
            "store/database.py",
            "class Metadata: ...\ndef dataclass(): ...",
        ),
        (names_say_what_things_are, "domain/kanban/role.py", "class Manager: ..."),
        (names_say_what_things_are, "documents/mechanical_manager.py", "class Manager: ..."),
        (base_classes_are_abstract, "store/log.py", "class BaseLog(abc.ABC): ..."),
        (packages_hold_only_their_docstring, "testing/__init__.py", "from a import b"),
        (any_is_absent_from_pure_rooms, "store/log.py", "x: Any"),
        (pure_rooms_take_only_values_of_msgspec, "store/codec.py", "import msgspec"),
        (pure_rooms_take_only_values_of_msgspec, "domain/a.py", "from msgspec import Struct"),
        (
            broad_excepts_give_a_reason,
            "a.py",
            "try: ...\nexcept Exception: ...  # noqa: BLE001 - an edge",
        ),
        (
            broad_excepts_give_a_reason,
            "a.py",
            "try: ...\nexcept BaseException:\n    undo()\n    raise",
        ),
        (broad_excepts_give_a_reason, "a.py", "try: ...\nexcept OSError: ..."),
        (comments_tell_no_history, "store/log.py", "x = '2024-05-01'  # the first day"),
        (foreign_text_is_parsed_in_bounds, "tools/toml.py", "import tomllib"),
        (foreign_text_is_parsed_in_bounds, "store/a.py", "import yaml\nyaml.dump(a)"),
        (foreign_text_is_parsed_in_bounds, "store/a.py", "re.compile(x).parse(y)"),
        (
            hostile_code_is_read_by_a_process_of_its_own,
            "gates/reader.py",
            "from supervisor_ai.gates.reader import look",
        ),
        (no_program_is_started_by_name, "store/a.py", f"{STARTING}[program, 'push'], env={{}})"),
        (no_program_is_started_by_name, "tools/programs.py", "import shutil\nshutil.which('git')"),
        (
            no_program_is_started_by_name,
            "sandboxes/a.py",
            "import subprocess, sys\nsubprocess.Popen([sys.executable, '-I'], env={})",
        ),
        (tools_are_small_and_know_no_product, "tools/a.py", "investigated = rework\n" * 200),
        (tools_are_small_and_know_no_product, "store/a.py", "worker_name = 1"),
        (fakes_not_mocks, "tests/a.py", "import unittest"),
        (only_environment_and_cwd_are_patched, "tests/a.py", "monkeypatch.setenv('A', 'b')"),
        (
            no_module_of_tests_is_imported,
            "tests/unit/a.py",
            "from tests.unit.cli.board import test_data",
        ),
        (
            unit_tests_use_nothing_of_slower_tests,
            "tests/unit/a.py",
            "from tests.support.kernel import Kernel",
        ),
        (
            unit_tests_use_nothing_of_slower_tests,
            "tests/e2e/test_a.py",
            "from tests.integration.workspaces.recorded_gh import install",
        ),
    ],
)
def test_the_rule_allows_what_is_fine(rule: Rule, path: str, text: str) -> None:
    assert not list(rule(Module(PurePosixPath(path), text)))


# Rules about the whole product: every rule takes all of its modules.

MOST_ENTRIES: Final = 20
NOUNS: Final = {"binding", "forwarding", "spending", "staffing", "testing"}
"""Nouns that end as gerunds do; a module that has no other name than a gerund has none yet."""
SMALLEST: Final = 30
FOUND_BY_NAME: Final = ("cli/commands/",)
"""Nobody imports a verb: the command line finds it by its name."""


def folders_are_small(all_modules: list[Module]) -> Iterator[str]:
    """Count modules and subfolders; the top of the package and the shipped fakes may have more."""
    entries: dict[PurePosixPath, set[str]] = {}
    for module in all_modules:
        parts = module.path.parts
        for depth in range(1, len(parts)):
            folder = PurePosixPath(*parts[:depth])
            entries.setdefault(folder, set()).add(parts[depth])
    for folder, names in entries.items():
        size = len(names - {"__init__.py"})
        if size > MOST_ENTRIES and folder != PurePosixPath("testing"):
            yield f"{folder}/ has {size} entries, at most {MOST_ENTRIES}"


def modules_are_nouns(all_modules: list[Module]) -> Iterator[str]:
    for name in sorted({part for it in all_modules for part in it.path.with_suffix("").parts}):
        word = name.rpartition("_")[2]
        if re.fullmatch(r"[a-z]+ing", word) and word not in NOUNS:
            yield f"{name!r} is a gerund: name the thing, or list a real noun"


def public_classes_mean_one_thing(all_modules: list[Module]) -> Iterator[str]:
    places: dict[str, list[str]] = {}
    for module in all_modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(module.path))
    for name, found in places.items():
        if len(found) > 1:
            yield f"{name!r} is defined in {', '.join(found)}"


def fragments_are_part_of_their_importer(all_modules: list[Module]) -> Iterator[str]:
    """Refuse a small module that one other module uses; a shared one has a reason to be alone."""
    importers: dict[str, set[PurePosixPath]] = {}
    for module in all_modules:
        for name in imported_names(module):
            importers.setdefault(name, set()).add(module.path)
    for module in all_modules:
        size = len(module.text.splitlines())
        name = ".".join(("supervisor_ai", *module.path.with_suffix("").parts))
        if size < SMALLEST and not may_be_small(module) and len(importers.get(name, ())) < 2:
            yield f"{module.path} has {size} lines and no two importers; put it into its importer"


def imported_names(module: Module) -> Iterator[str]:
    for node in module.nodes:
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(source), names=names):
                yield source
                yield from (f"{source}.{alias.name}" for alias in names)
            case _:
                continue


def may_be_small(module: Module) -> bool:
    """Allow packages, entry scripts, ports, shipped fakes, and tables of registered values."""
    path = module.path
    is_table = not any(isinstance(node, Function | ast.ClassDef) for node in module.nodes)
    is_known = path.name in ("__init__.py", "__main__.py") or path.parts[0] == "testing"
    return is_table or is_known or "ports" in path.parts or str(path).startswith(FOUND_BY_NAME)


WholeRule = Callable[[list[Module]], Iterator[str]]
WHOLE_RULES: Final[list[WholeRule]] = [
    folders_are_small,
    modules_are_nouns,
    public_classes_mean_one_thing,
    fragments_are_part_of_their_importer,
]


@pytest.mark.parametrize("rule", WHOLE_RULES)
def test_the_product_keeps_the_rule(rule: WholeRule) -> None:
    breaches = list(rule(product()))
    assert not breaches, "\n".join(breaches)


def tree(files: dict[str, str]) -> list[Module]:
    return [Module(PurePosixPath(path), text) for path, text in files.items()]


def folder(name: str, size: int) -> dict[str, str]:
    return {f"{name}/__init__.py": ""} | {f"{name}/m{number}.py": "" for number in range(size)}


FRAGMENT: Final = {"store/a.py": "def f(): ..."}
USE: Final = "from supervisor_ai.store.a import f\n"


@pytest.mark.parametrize(
    ("rule", "files"),
    [
        (folders_are_small, folder("store", 21)),
        (folders_are_small, folder("store/tables", 21)),
        (folders_are_small, folder("store", 20) | {"store/tables/a.py": ""}),
        (modules_are_nouns, {"store/merging.py": ""}),
        (modules_are_nouns, {"store/kanban_writing.py": ""}),
        (modules_are_nouns, {"store/checking/a.py": ""}),
        (public_classes_mean_one_thing, {"a.py": "class Place: ...", "b.py": "class Place: ..."}),
        (fragments_are_part_of_their_importer, FRAGMENT),
        (fragments_are_part_of_their_importer, FRAGMENT | {"store/b.py": USE}),
    ],
)
def test_the_rule_refuses_a_tree(rule: WholeRule, files: dict[str, str]) -> None:
    assert list(rule(tree(files)))


@pytest.mark.parametrize(
    ("rule", "files"),
    [
        (folders_are_small, folder("store", 20)),
        (folders_are_small, folder("testing", 30)),
        (folders_are_small, {f"m{number}.py": "" for number in range(30)}),
        (modules_are_nouns, {"control/ledger_binding.py": "", "store/string_table.py": ""}),
        (public_classes_mean_one_thing, {"a.py": "class _Read: ...", "b.py": "class _Read: ..."}),
        (
            public_classes_mean_one_thing,
            {"a.py": "class A:\n    class B: ...", "b.py": "class B: ..."},
        ),
        (fragments_are_part_of_their_importer, FRAGMENT | {"store/b.py": USE, "store/c.py": USE}),
        (fragments_are_part_of_their_importer, {"store/a.py": "def f(): ...\n" * 30}),
        (fragments_are_part_of_their_importer, {"workers/claude/agent.py": "AGENT = Agent()"}),
        (fragments_are_part_of_their_importer, {"engine/ports/a.py": "class A: ..."}),
        (fragments_are_part_of_their_importer, {"cli/commands/a.py": "def a(): ..."}),
    ],
)
def test_the_rule_allows_a_fine_tree(rule: WholeRule, files: dict[str, str]) -> None:
    assert not list(rule(tree(files)))


# The glossary: few words, each of them once.

KERNEL_WORDS: Final = 60
SLICE_WORDS: Final = 12
WORD: Final = re.compile(r"^\| \*\*(.+?)\*\* \|", re.MULTILINE)


def glossary_faults(text: str) -> Iterator[str]:
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    if WORD.search(sections[0]) or not text.count("\n## Kernel\n"):
        yield "every word stands in a section: the kernel's or a slice's"
    for section in sections[1:]:
        title, _, body = section.partition("\n")
        words_here = [word for row in WORD.findall(body) for word in row.split(", ")]
        most = KERNEL_WORDS if title == "Kernel" else SLICE_WORDS
        if len(words_here) > most:
            yield f"{title} has {len(words_here)} words, at most {most}"
    everywhere = [word for row in WORD.findall(text) for word in row.split(", ")]
    for word in sorted(set(everywhere)):
        if everywhere.count(word) > 1:
            yield f"{word!r} stands there twice"


def test_the_glossary_is_short() -> None:
    assert list(glossary_faults((ROOT / "docs/glossary.md").read_text())) == []


def entries(size: int, prefix: str = "w") -> str:
    return "".join(f"| **{prefix}{number}** | A word. |\n" for number in range(size))


@pytest.mark.parametrize(
    ("text", "is_fine"),
    [
        (f"\n## Kernel\n{entries(60)}\n## Kanban\n{entries(12, 'k')}", True),
        (f"\n## Kernel\n{entries(61)}", False),
        (f"\n## Kernel\n{entries(59)}| **hard, soft** | Two. |\n", False),
        (f"\n## Kernel\n\n## Kanban\n{entries(13)}", False),
        (f"\n## Kernel\n{entries(1)}\n## Kanban\n{entries(1)}", False),
        (f"{entries(1)}\n## Kernel\n", False),
        (entries(1), False),
    ],
)
def test_a_glossary_is_judged(text: str, is_fine: bool) -> None:  # noqa: FBT001 - a case
    assert (not list(glossary_faults(text))) is is_fine


def test_there_are_few_tools() -> None:
    tools = [str(it.path) for it in product() if it.path.parts[0] == "tools"]
    assert len(tools) - tools.count("tools/__init__.py") <= MOST_TOOLS, "\n".join(tools)


def test_any_and_broad_excepts_are_rare() -> None:
    thousands = sum(len(module.text.splitlines()) for module in product()) / 1000
    found_any = [use for module in product() for use in uses_of_any(module)]
    found_broad = [
        module.at(node.lineno, "") for module in product() for node in broad_excepts(module)
    ]
    assert len(found_any) < 3 * thousands, "\n".join(found_any)
    assert len(found_broad) < thousands, "\n".join(found_broad)
