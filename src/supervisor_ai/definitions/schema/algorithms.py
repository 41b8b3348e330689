"""A strategy written as an algorithm: what its steps take becomes sources in an order."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from supervisor_ai.definitions.schema.base import Command, FileShape, Name
from supervisor_ai.definitions.schema.context import VARIABLES, Excluded, source_text
from supervisor_ai.definitions.sources.mistakes import unknown

_INPUTS: Final[Mapping[str, str]] = {
    "target_file": "$TARGET",
    "git_diff": "$DIFF",
    "changed_files": "$CHANGED_FILES",
    "plan": "$PLAN",
    "knowledge": "$KNOWLEDGE",
    "rules": "$RULES",
    "file_tree": "$FILE_TREE",
    "interfaces": "$INTERFACE_DEFINITIONS",
}
"""What a step may be given, and the variable of the same meaning."""
_RANKS: Final[Mapping[str, str]] = {
    **_INPUTS,
    "imports": "$TARGET_IMPORTS",
    "public_api": "$COMPONENT_PUBLIC_API",
    "tree": "$FILE_TREE",
    "related": "",
}
"""What can be more or less important; `related` are files that are named by patterns."""
_ALWAYS: Final = frozenset({"system_prompt", "task", "task_description"})
"""What every prompt begins with, whatever it costs."""
_DIFFS: Final = (["git", "diff", "--cached"], ["git", "diff"])
_RESOLVER: Final = re.compile(r"supervisor(_ai)?\.tools\.import_resolver")
_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def input_name(value: str) -> str:
    """Accept something that a context can be made of."""
    if value not in _INPUTS:
        raise ValueError(unknown("input", value, sorted(_INPUTS)))
    return value


def rank_name(value: str) -> str:
    """Accept something that can be more or less important."""
    if value not in _RANKS and value not in _ALWAYS:
        raise ValueError(unknown("part of a context", value, sorted({*_RANKS, *_ALWAYS})))
    return value


def known_command(words: list[str]) -> list[str]:
    """Accept a command that stands for something which supervisor finds itself."""
    if words not in _DIFFS and not _is_resolver(words):
        raise ValueError(
            "no command is run for a context; known are 'git diff --cached' and "
            "'python -m supervisor.tools.import_resolver ${target_file}'"
        )
    return words


def included(value: str) -> str:
    """Accept a pattern of files, a variable, or what an earlier step has found."""
    return value if _REFERENCE.fullmatch(value) else source_text(value)


def _is_resolver(words: Sequence[str]) -> bool:
    parts = [_RESOLVER.sub("resolver", word) for word in words]
    return parts in (
        ["python", "-m", "resolver", "${target_file}"],
        ["python3", "-m", "resolver", "${target_file}"],
    )


class RepomixShape(FileShape):
    """`repomix` of a step: the files that are packed."""

    include: Annotated[list[Annotated[str, AfterValidator(included)]], Field(min_length=1)]
    exclude: list[Excluded] = Field(default_factory=list)
    style: Literal["xml"] | None = None


class AlgorithmStepShape(FileShape):
    """A step of an `algorithm`."""

    command: Annotated[Command, AfterValidator(known_command)] | None = None
    output: Name | None = None
    repomix: RepomixShape | None = None
    condition: Name | None = Field(default=None, alias="if")
    prepend: bool | None = None


class AlgorithmShape(FileShape):
    """The part of a strategy file that says in steps what a context is made of."""

    inputs: list[Annotated[str, AfterValidator(input_name)]] = Field(default_factory=list)
    algorithm: dict[str, AlgorithmStepShape] = Field(default_factory=dict)
    priority_order: list[Annotated[str, AfterValidator(rank_name)]] = Field(default_factory=list)


def algorithm_sources(shape: AlgorithmShape) -> list[str]:
    """Return what the steps take, the most important first; raise ValueError where that fails."""
    known = {name: _INPUTS[name] for name in shape.inputs}
    taken: list[str] = []
    for name, step in _in_order(shape.algorithm):
        found = list(_taken(name, step, known))
        taken = [*found, *taken] if step.prepend else [*taken, *found]
    return _ranked(taken, shape.priority_order)


def _in_order(steps: Mapping[str, AlgorithmStepShape]) -> list[tuple[str, AlgorithmStepShape]]:
    """Return the steps by the numbers that their names begin with, where all have one."""
    numbers = [re.match(r"\d{1,9}", name) for name in steps]
    if not all(numbers):
        return list(steps.items())
    return sorted(steps.items(), key=lambda it: int((re.match(r"\d+", it[0]) or [0])[0]))


def _taken(name: str, step: AlgorithmStepShape, known: dict[str, str]) -> Iterator[str]:
    """Return the sources of a step, and remember what later ones may refer to."""
    if (step.command is None) == (step.repomix is None):
        raise ValueError(f"algorithm.{name} needs either a `command` or `repomix`")
    if step.repomix is not None:
        yield from (_meant(name, text, known) for text in step.repomix.include)
        return
    source = "$DIFF" if step.command in _DIFFS else _resolved(name, known)
    if step.condition is not None and known.get(step.condition) != source:
        raise ValueError(f"algorithm.{name}.if must name the input that the step takes")
    if step.output is None:
        yield source
    else:
        known[step.output] = source


def _resolved(name: str, known: Mapping[str, str]) -> str:
    _meant(name, "${target_file}", known)
    return "$TARGET_IMPORTS"


def _meant(name: str, text: str, known: Mapping[str, str]) -> str:
    match = _REFERENCE.fullmatch(text)
    if match is None:
        return text
    if match[1] not in known:
        raise ValueError(f"algorithm.{name}: {unknown('input', match[1], sorted(known))}")
    return known[match[1]]


def _ranked(taken: list[str], order: Sequence[str]) -> list[str]:
    """Put first what is named first; what is not named comes last, in the order of the steps."""
    variables = [_RANKS[name] for name in order if name not in _ALWAYS]
    kinds = {text: "" if VARIABLES.get(text) is None else text for text in taken}
    missing = [name for name in order if name in _RANKS and _RANKS[name] not in kinds.values()]
    if missing:
        raise ValueError(f"priority_order names {missing[0]!r}, which no step takes")
    last = len(variables)
    return sorted(
        dict.fromkeys(taken),
        key=lambda text: variables.index(kinds[text]) if kinds[text] in variables else last,
    )
