"""Reader process of imports: reads hostile code in five languages, and may be broken by it."""

import json
import re
import sys
from functools import partial
from typing import Final

from supervisor_ai.context.code.imports import ImportIndex
from supervisor_ai.context.code.language import SourceLanguage, language
from supervisor_ai.tools.confined_child import Ask
from supervisor_ai.tools.syntax_tree import PARSERS

MANIFESTS: Final = (
    *("package.json", "pyproject.toml", "requirements.txt", "setup.cfg", "setup.py"),
    *("go.mod", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts"),
)
"""The files at the top of a project that name the packages which it uses."""
_NODE: Final = frozenset(
    {"assert", "buffer", "child_process", "crypto", "events", "fs", "http", "https", "net", "os"}
    | {"path", "process", "querystring", "readline", "stream", "string_decoder", "timers", "tls"}
    | {"url", "util", "v8", "vm", "worker_threads", "zlib"}
)
_RUST: Final = frozenset({"std", "core", "alloc", "crate", "self", "super"})
_MOST: Final = 200
"""So many imports of one file are told at most."""


LATE_ROOTS: Final = ("supervisor_ai", *PARSERS)


def prepare() -> None:
    """Load nothing ahead: which languages are needed shows only in the files."""


def serve(task: bytes, ask: Ask) -> bytes:
    """Find what some files import, among all files that there are or will be."""
    asked = json.loads(task)
    texts = {path: partial(_text, ask, path) for path in asked["paths"]}
    index = ImportIndex(texts)
    named = " ".join(texts[it]() for it in MANIFESTS if it in texts).lower().replace("_", "-")
    found = {}
    for path in asked["wanted"]:
        imports = [
            (it.name[:_MOST], it.files, not it.files and is_external(path, it.name, named))
            for it in index.imports(path)[:_MOST]
        ]
        found[path] = imports
    return json.dumps(found).encode()


def _text(ask: Ask, path: str) -> str:
    return ask(json.dumps(path).encode()).decode()


def is_external(path: str, name: str, named: str) -> bool:
    """Tell whether a language or a package that the project names has what is imported."""
    spoken = language(path)
    module = name.partition(" ")[0]
    match spoken:
        case SourceLanguage.PYTHON:
            first = module.partition(".")[0]
            is_known = first in sys.stdlib_module_names or module.startswith(".")
        case SourceLanguage.GO:
            first = module
            is_known = "." not in module.partition("/")[0]
        case SourceLanguage.JAVA:
            first = ".".join(module.split(".")[:2])
            is_known = module.startswith(("java.", "javax.", "jdk."))
        case SourceLanguage.RUST:
            first = module.partition("::")[0]
            is_known = first in _RUST
        case _:
            parts = module.split("/")
            first = "/".join(parts[:2]) if module.startswith("@") else parts[0]
            is_known = module.startswith("node:") or parts[0] in _NODE
    return is_known or _is_named(first.lower().replace("_", "-"), named)


def _is_named(package: str, named: str) -> bool:
    pattern = rf"(?<![\w@-]){re.escape(package)}(?![\w-])"
    return bool(package) and re.search(pattern, named) is not None
