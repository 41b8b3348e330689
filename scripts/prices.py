"""Writes the rows of prices.yaml anew from the data of the package genai-prices.

The families, their order and the comments stay as they are; of steps and times the highest price
counts. `make lock` calls it, in an environment that holds nothing but that package.
"""

import re
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Final

from genai_prices.data import providers
from genai_prices.types import ModelPrice, TieredPrices

FILE: Final = Path(__file__).parent.parent / "src/supervisor_ai/definitions/builtin/prices.yaml"
ROW: Final = re.compile(r"  (?P<family>[a-z0-9.:-]+): \{input: .*\}")
# A family that is no model's name stands for its dearest present model.
STANDS_FOR: Final = {
    "claude-fable": "claude-fable-5",
    "claude-opus": "claude-opus-4-8",
    "claude-sonnet": "claude-sonnet-4-6",
    "claude-haiku": "claude-haiku-4-5",
    "opus": "claude-opus-4-8",
    "sonnet": "claude-sonnet-4-6",
    "haiku": "claude-haiku-4-5",
    "gemini-3-pro": "gemini-3-pro-preview",
    "gemini-3-flash": "gemini-3-flash-preview",
}
FIELDS: Final = ("input", "output", "cache_read", "cache_write")
ASKED: Final = tuple(it for it in providers if it.id in {"anthropic", "openai", "google"})


def prices(model: str) -> Iterator[ModelPrice]:
    """Find everything that a model costs or will cost."""
    for provider in ASKED:
        found = provider.find_model(model)
        if found is not None:
            steps = found.prices
            yield from [it.prices for it in steps] if isinstance(steps, list) else [steps]
            return


def highest(steps: list[ModelPrice], field: str) -> Decimal | None:
    """Return the highest price of a kind of token; None where there is none."""
    found: list[Decimal] = []
    for step in steps:
        price = getattr(step, f"{field}_mtok", None)
        if isinstance(price, TieredPrices):
            found += [price.base, *(tier.price for tier in price.tiers)]
        elif price is not None:
            found.append(price)
    return max(found, default=None)


def row(line: str) -> str:
    """Write a family's row anew; a line that is none, or of which nothing is known, stays."""
    match = ROW.fullmatch(line)
    if match is None:
        return line
    family = match["family"]
    steps = list(prices(STANDS_FOR.get(family, family)))
    named = {field: highest(steps, field) for field in FIELDS}
    if named["input"] is None or named["output"] is None:
        print(f"prices: the data knows no price of {family!r}; its row stays.", file=sys.stderr)
        return line
    shown = ", ".join(
        f"{field}: {price.normalize():f}" for field, price in named.items() if price is not None
    )
    return f"  {family}: {{{shown}}}"


if __name__ == "__main__":
    FILE.write_text("".join(f"{row(line)}\n" for line in FILE.read_text().splitlines()))
