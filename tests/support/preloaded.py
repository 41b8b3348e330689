"""The command in a process that has imported everything: a call is a fork and not a start.

A start costs more than most calls do. What a fork spares is the interpreter, the imports, and four
looks at each of some 70,000 files of tools in every run; the call has a process, an environment, a
directory and streams of its own all the same.
"""

import atexit
import gc
import json
import os
import pkgutil
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace
from tests.support.forked_readers import fork_readers
from tests.support.plain_machine import plain_environment
from tests.support.processes import Owned, die_with_parent

ROOT: Final = Path(__file__).parents[2]
PROGRAM: Final = Path(sys.executable).with_name("supervisor")
MEASURING: Final = "COVERAGE_PROCESS_CONFIG"
CLOSED: Final = "closed"
GONE: Final = "gone"
UNREACHED: Final = tuple(
    f"supervisor_ai.{it}" for it in ("__main__", "testing", "langgraph", "mcp")
)
"""What no command imports, and what one alone does: every fork would be larger by a quarter."""

Order = dict[str, Any]


class Preloaded:
    """A process that forks the command for each call."""

    def __init__(self) -> None:
        self._process = self._started()

    def call(
        self,
        arguments: Sequence[str],
        *,
        directory: Path,
        environment: Mapping[str, str],
        seconds: float,
        streams: Mapping[int, str] = MappingProxyType({}),
        module: str | None = None,
    ) -> tuple[int, str, str]:
        """Call the command and wait for its end; return its code and what it printed."""
        code, out, err = self.call_for_bytes(
            arguments,
            directory=directory,
            environment=environment,
            seconds=seconds,
            streams=streams,
            module=module,
        )
        return code, out.decode(), err.decode()

    def call_for_bytes(
        self,
        arguments: Sequence[str],
        *,
        directory: Path,
        environment: Mapping[str, str],
        seconds: float,
        streams: Mapping[int, str] = MappingProxyType({}),
        module: str | None = None,
    ) -> tuple[int, bytes, bytes]:
        """Call the command and wait for its end; return its code and what it wrote.

        `streams` says where a stream leads to instead: to a file, to a pipe that nobody reads
        (`GONE`), or nowhere, because it is closed (`CLOSED`). With a `module`, its `main` is called
        in place of the command, with the arguments.
        """
        with TemporaryDirectory() as place:
            out, err = Path(place, "out"), Path(place, "err")
            usual = {0: os.devnull, 1: str(out), 2: str(err)}
            order = {
                "arguments": list(arguments),
                "directory": str(directory),
                "environment": dict(environment),
                "streams": [streams.get(number, name) for number, name in usual.items()],
                "module": module,
            }
            code = self._obeyed(order, seconds)
            return code, _content(out), _content(err)

    def _obeyed(self, order: Order, seconds: float) -> int:
        if self._process.poll() is not None:
            self._process = self._started()
        orders, answers = self._process.stdin, self._process.stdout
        assert orders is not None
        assert answers is not None
        orders.write(json.dumps(order) + "\n")
        orders.flush()
        ready, _, _ = select.select([answers], [], [], seconds)
        answer = answers.readline() if ready else ""
        if not answer:
            self.end()
            raise AssertionError(f"{order['arguments']} did not end.")
        return int(answer)

    def _started(self) -> Owned:
        kept = {name: it for name, it in os.environ.items() if not name.startswith("COVERAGE_")}
        return Owned(
            [sys.executable, "-m", "tests.support.preloaded"],
            cwd=ROOT,
            env=kept,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def end(self) -> None:
        """End the process at once, and the call that it may be busy with."""
        self._process.kill()
        self._process.communicate()

    def stop(self) -> None:
        """Let the process end."""
        if self._process.poll() is None:
            self._process.communicate()


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def preload() -> None:
    """Import all that the command may need."""
    import supervisor_ai

    for module in pkgutil.iter_modules(supervisor_ai.__path__, "supervisor_ai."):
        if module.name not in UNREACHED:
            _import_all(module)
    import_module("coverage")
    _warm_up()
    _look_at_few_files()
    _know_installed_keys()
    fork_readers()


def _import_all(module: pkgutil.ModuleInfo) -> None:
    package = import_module(module.name)
    below = pkgutil.walk_packages(package.__path__, f"{module.name}.") if module.ispkg else ()
    for inner in below:
        import_module(inner.name)


def _look_at_few_files() -> None:
    """Tell machines apart by where their tools are: a test that changes a tool starts afresh."""
    from supervisor_ai.sandboxes.host_view.package_caches import find_caches
    from supervisor_ai.sandboxes.toolchains import tool_stamps
    from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain

    class FewFiles(tool_stamps.ToolStamps):
        """Stamps of everything but the tools' own files: a look takes no time."""

        worth = 0.0

        def _stamp(  # type: ignore[explicit-override]
            self, caches: tuple[str, ...]
        ) -> tool_stamps.ToolStamp | None:
            tools = find_toolchain(self._environment, self._home)
            cached = find_caches(caches, self._environment, self._home)
            known = replace(tools, roots=(), stores=())
            return tool_stamps.stamp_tools(known, cached, besides=self._besides)

    tool_stamps.ToolStamps = FewFiles  # type: ignore[misc]


def _know_installed_keys() -> None:
    """Look for keys among the tools now; in others, and in what a test installs, a call looks."""
    from supervisor_ai.sandboxes.bwrap import sandbox
    from supervisor_ai.sandboxes.host_view.hidden_secrets import SecretCovers
    from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain

    covers = SecretCovers(ROOT / "build" / "covers")
    tools = find_toolchain(plain_environment(), Path.home())
    places = {os.path.realpath(root) for root in tools.roots if root.is_dir()}
    known = {place: covers._look_through(place) for place in places}

    class KnownTools(SecretCovers):
        """Covers that remember what was found among the tools of the machine."""

        def _look_through(  # type: ignore[explicit-override]
            self, root: str
        ) -> tuple[str, ...] | None:
            return known[root] if root in known else super()._look_through(root)

    sandbox.SecretCovers = KnownTools  # type: ignore[attr-defined]


def _warm_up() -> None:
    """Read the tables that every run needs, and compile the expressions."""
    from supervisor_ai.domain.redaction.redactor import RuleRedactor
    from supervisor_ai.gates.change import auto_run
    from supervisor_ai.gates.integrity.examine import known_languages
    from supervisor_ai.gates.runners import test_results

    auto_run.table()
    test_results.read("1 passed in 0.01s")
    known_languages()
    RuleRedactor().redact("password = sk-ant-1 eyJ ghp_ https://a:b@c -----BEGIN PRIVATE KEY-----")
    _compile_prompts()
    _compile_codecs()
    _know_plug_ins()


def _compile_codecs() -> None:
    """Make what reads and writes facts and definitions, and name the code that folds them."""
    from supervisor_ai.drivers.kanban.definition import KanbanDefinition
    from supervisor_ai.drivers.workflow.driver import WorkflowDriver
    from supervisor_ai.engine.folds import fold_name
    from supervisor_ai.store.codec import EventCodec
    from supervisor_ai.store.shapes import from_json, to_json

    codec = EventCodec()
    codec._learn(codec._more())
    fold_name("")
    fold_name("", WorkflowDriver)
    for recorded in sorted((ROOT / "tests" / "histories").glob("*.definition.json")):
        to_json(from_json(recorded.read_bytes(), KanbanDefinition))


def _know_plug_ins() -> None:
    """Ask installed packages for workers once: where a fork looks for packages, none is added."""
    from supervisor_ai.workers import registry

    known = registry._entry_points()
    registry._entry_points = lambda: known


def _compile_prompts() -> None:
    """Read what comes with the package, and compile the prompts of its roles."""
    from supervisor_ai.context.prompts.prompter import FILTERS
    from supervisor_ai.definitions.catalog.library import Shelves, read_library
    from supervisor_ai.definitions.roles.prompts import template_text
    from supervisor_ai.definitions.sources.files import DirectorySource, Origin, package_source
    from supervisor_ai.definitions.sources.mistakes import FileMistakes
    from supervisor_ai.domain.run.answers import AnswerWord
    from supervisor_ai.tools.templates import BoundedEnvironment

    nowhere = ROOT / "nowhere"
    shelves = Shelves(
        builtin=package_source(),
        user=DirectorySource(Origin.USER, nowhere),
        project=DirectorySource(Origin.PROJECT, nowhere),
    )
    library = read_library(shelves, (), FileMistakes())
    for shape in library.roles.values():
        text = template_text(shape.template, AnswerWord(shape.answer), library.prompts)
        BoundedEnvironment(FILTERS).template(text)


def become(order: Order) -> None:
    """Be the command that was called."""
    from supervisor_ai.cli.main import main as command

    for number, name in enumerate(order["streams"]):
        _redirect(number, name)
    os.chdir(order["directory"])
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    if MEASURING in os.environ:
        import_module("coverage").process_startup()
    sys.argv = [str(PROGRAM), *order["arguments"]]
    sys.addaudithook(refuse_names)
    if module := order["module"]:
        sys.path.insert(0, str(ROOT))
        import_module(module).main(*order["arguments"])
        sys.exit()
    command()


def _redirect(number: int, name: str) -> None:
    if name == CLOSED:
        os.close(number)
        # What the interpreter makes of a stream that is closed when it starts.
        setattr(sys, ("stdin", "stdout", "stderr")[number], None)
        return
    if name == GONE:
        reader, file = os.pipe()
        os.close(reader)
    else:
        file = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    os.dup2(file, number)
    os.close(file)


def refuse_names(event: str, arguments: tuple[Any, ...]) -> None:
    """End a call that starts a program by its name, wherever that name would have led."""
    if event in ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system"):
        program = os.fsdecode(arguments[0])
        assert program.startswith("/"), f"{program!r} is started by name."


def forked(order: Order) -> int:
    """Fork the command and wait for its end."""
    pid = os.fork()
    if pid == 0:
        die_with_parent()
        code: object = 1
        try:
            become(order)
        except SystemExit as end:
            code = end.code or 0
        finally:
            atexit._run_exitfuncs()
            sys.stdout.flush()
            os._exit(code if isinstance(code, int) else 1)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    """Obey one order after the other."""
    preload()
    # A fork that never looks at what stays has it in common with all others.
    gc.collect()
    gc.freeze()
    sys.path.pop(0)
    for line in sys.stdin:
        code = forked(json.loads(line))
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
