"""The shape of strategy files."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from supervisor_ai.definitions.schema.algorithms import AlgorithmShape, algorithm_sources
from supervisor_ai.definitions.schema.base import Name, Text
from supervisor_ai.definitions.schema.context import (
    Excluded,
    Packer,
    SourceShape,
    Tokens,
    short_or_long,
)


class StrategyShape(AlgorithmShape):
    """A strategy file: the parts of a context, the most important first, or how they are found."""

    name: Name | None = None
    description: Text = ""
    sources: (
        Annotated[list[Annotated[SourceShape, BeforeValidator(short_or_long)]], Field(min_length=1)]
        | None
    ) = None
    exclude: list[Excluded] = Field(default_factory=list)
    token_budget: Tokens
    packer: Packer | None = None

    @model_validator(mode="after")
    def _has_one_way(self) -> Self:
        if (self.sources is None) == (not self.algorithm):
            raise ValueError("needs either `sources` or an `algorithm`")
        if self.sources is not None and (self.inputs or self.priority_order):
            raise ValueError("has `sources`, which need no `inputs` and are a `priority_order`")
        algorithm_sources(self)
        return self

    @property
    def parts(self) -> list[SourceShape]:
        """Return the parts of the context, the most important first."""
        if self.sources is not None:
            return self.sources
        return [SourceShape.model_validate({"from": [text]}) for text in algorithm_sources(self)]

    @property
    def left_out(self) -> list[str]:
        """Return the patterns of what is never shown."""
        steps = self.algorithm.values()
        packed = (step.repomix.exclude for step in steps if step.repomix is not None)
        return [*self.exclude, *(pattern for patterns in packed for pattern in patterns)]

    @property
    def used_packer(self) -> Packer:
        """Name what packs: a program that a step names, unless the file says otherwise."""
        is_named = any(step.repomix is not None for step in self.algorithm.values())
        return self.packer or ("repomix" if is_named else "native")
