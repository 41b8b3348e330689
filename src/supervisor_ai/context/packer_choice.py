"""The choice of a context packer and of a token counter for a plan."""

import hashlib
from collections.abc import Callable, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, Protocol

from supervisor_ai.context.code_reader import native_reader
from supervisor_ai.context.exact_tokens import ExactCounter, load_encoding
from supervisor_ai.context.native_packer import NativePacker
from supervisor_ai.context.pack_cache import PackCache
from supervisor_ai.context.repomix_packer import RepomixPacker
from supervisor_ai.context.tokens import Estimator, TokenCounter, family_of
from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run.context_plan import PackedContext
from supervisor_ai.engine.ports.context import PackRequest

_DECIDING: Final = ("supervisor_ai.domain.redaction", "supervisor_ai.context")
"""Packages that decide what becomes of a content."""


class Packing(Protocol):
    """One way to pack."""

    async def pack(self, request: PackRequest) -> PackedContext:
        """Gather, redact, count and prune."""
        ...


Learn = Callable[[str, str, int], None]
"""Takes in a model, a prompt, and how many tokens the model counted."""


class ChosenPacker:
    """Hands a request to the packer that its plan names."""

    def __init__(self, packers: Mapping[str, Packing], learn: Learn) -> None:
        self._packers = packers
        self._learn = learn

    async def pack(self, request: PackRequest) -> PackedContext:
        """Pack with the packer of the plan."""
        name = request.plan.packer
        if name not in self._packers:
            known = ", ".join(sorted(self._packers))
            raise InvalidInput(f"There is no packer {name!r}.", hint=f"There are: {known}.")
        return await self._packers[name].pack(request)

    def learn(self, model: str, prompt: str, tokens: int) -> None:
        """Count better from now on."""
        self._learn(model, prompt, tokens)


def open_packer(files: Commits, *, cache: Path, vocabulary: str | None) -> ChosenPacker:
    """Open what packs contexts; what it remembers is kept in one file."""
    remembered = PackCache(cache, rules_version())
    native = NativePacker(
        files=files,
        redactor=RuleRedactor(),  # without a key: the cache outlives it
        cache=remembered,
        counter=counting(Path(vocabulary)) if vocabulary else estimating(remembered),
        code=native_reader,
    )
    repomix = RepomixPacker(native)
    return ChosenPacker({"native": native, "repomix": repomix}, learning(remembered))


def estimating(cache: PackCache) -> Callable[[str], TokenCounter]:
    """Count by estimate, corrected by what was learnt about each model."""

    def counter(model: str) -> TokenCounter:
        return Estimator(family=family_of(model), correction=cache.correction(model))

    return counter


def learning(cache: PackCache) -> Learn:
    """Compare what was estimated with what a model counted, and remember the difference."""

    def learn(model: str, prompt: str, tokens: int) -> None:
        estimator = Estimator(family=family_of(model))
        cache.learn(model, estimator.raw(estimator.measure(prompt)), tokens)

    return learn


def counting(vocabulary: Path) -> Callable[[str], TokenCounter]:
    """Count with a vocabulary that lies on this machine."""
    encoding = load_encoding(vocabulary)
    return lambda model: ExactCounter(encoding, family_of(model))


def rules_version() -> str:
    """Return a name for everything that decides how a content is shown."""
    digest = hashlib.sha256()
    for package in _DECIDING:
        for source in sorted(_sources(files(package)), key=str):
            digest.update(source.read_bytes())
    return digest.hexdigest()


def _sources(directory: Traversable) -> list[Traversable]:
    found: list[Traversable] = []
    for entry in directory.iterdir():
        if entry.is_dir():
            found += _sources(entry)
        elif entry.name.endswith((".py", ".yaml", ".yml")):
            found.append(entry)
    return found
