"""Adds what a component depends on to the text of a plan, and leaves everything else as it is."""

import json
import re
from collections.abc import Sequence
from typing import Final

from supervisor_ai.tools.yaml_tree import Value, YamlLimits, YamlTree, read_yaml_tree

_KEY: Final = "depends_on"
_EXTERNAL: Final = "external"
_KNOWN: Final = re.compile(r"(external:\s*\[)([^\]]*)\]")
_FLOW: Final = re.compile(r"(depends_on:\s*\[)([^\]]*)(\])")


def add_need(text: str, phase: str, component: str, word: str) -> str | None:
    """Let a component depend on one more; None where the text is written too unusually."""
    tree = read_yaml_tree(text, limits=YamlLimits())
    path = _path(tree.value, phase, component)
    if path is None:
        return None
    lines = text.splitlines(keepends=True)
    if (*path, _KEY) in tree.lines:
        return _added(lines, tree.line(*path, _KEY) - 1, word)
    return _begun(lines, tree, path, word)


def add_external(text: str, names: Sequence[str]) -> str | None:
    """Remember which imports are packages; None where the text is written too unusually."""
    tree = read_yaml_tree(text, limits=YamlLimits())
    lines, written = text.splitlines(keepends=True), ", ".join(map(json.dumps, names))
    if ("feature", _EXTERNAL) in tree.lines:
        at = tree.line("feature", _EXTERNAL) - 1
        lines[at], count = _KNOWN.subn(lambda it: f"{it[1]}{_joined(it[2], written)}]", lines[at])
        return "".join(lines) if count else None
    if ("feature", "id") not in tree.lines:
        return None
    at = tree.line("feature", "id") - 1
    indent, key, _ = lines[at].partition("id:")
    if not key or indent.strip():
        return None
    lines.insert(at + 1, f"{indent}{_EXTERNAL}: [{written}]\n")
    return "".join(lines)


def _path(value: object, phase: str, component: str) -> tuple[str | int, ...] | None:
    match value:
        case {"feature": {"phases": list(phases)}}:
            for at, found in enumerate(phases):
                if isinstance(found, dict) and found.get("id") == phase:
                    number = _index(found.get("components"), component)
                    if number is not None:
                        return "feature", "phases", at, "components", number
        case _:
            pass
    return None


def _index(components: object, name: str) -> int | None:
    if not isinstance(components, list):
        return None
    ids = [it.get("id") if isinstance(it, dict) else None for it in components]
    return ids.index(name) if name in ids else None


def _added(lines: list[str], at: int, word: str) -> str:
    line = lines[at]
    if _FLOW.search(line):
        lines[at] = _FLOW.sub(lambda it: f"{it[1]}{_joined(it[2], word)}{it[3]}", line, count=1)
    else:
        indent = " " * (len(line) - len(line.lstrip()))
        lines.insert(at + 1, f"{indent}  - {word}\n")
    return "".join(lines)


def _joined(before: str, word: str) -> str:
    return f"{before}, {word}" if before.strip() else word


def _begun(lines: list[str], tree: YamlTree[Value], path: Sequence[str | int], word: str) -> str:
    """Begin a list where the component has none."""
    at = tree.line(*path, "id") - 1
    line = lines[at]
    start = line.find("id:")
    if "{" in line[:start] and "}" in line:
        end = line.rindex("}")
        lines[at] = f"{line[:end]}, {_KEY}: [{word}]{line[end:]}"
    else:
        lines.insert(at + 1, f"{' ' * start}{_KEY}: [{word}]\n")
    return "".join(lines)
