"""The price table: the package's rows, and the user's over them."""

import re
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Annotated, Final

from pydantic import AfterValidator, Field, PlainValidator

from supervisor_ai.definitions.schema.base import FileShape, Name
from supervisor_ai.definitions.sources.files import BUILTIN_DIRECTORY
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.sources.yaml_document import read_yaml
from supervisor_ai.domain.run.spending.prices import Price, PriceTable

PRICES_FILE: Final = "prices.yaml"
_FAMILY: Final = re.compile(r"[a-z0-9][a-z0-9._:-]{0,63}")
_DEAREST: Final = 100_000


def price(value: object) -> Decimal:
    """Read what a million tokens cost, in USD."""
    problem = f"must be a price in USD for a million tokens, such as 2.50, found {value!r}"
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(problem)  # noqa: TRY004 - pydantic reports values that do not fit
    try:
        # By way of its text 0.1 stays 0.1.
        found = Decimal(str(value))
    except InvalidOperation as error:
        raise ValueError(problem) from error
    if not found.is_finite() or not 0 <= found <= _DEAREST:
        raise ValueError(problem)
    return found


def family(value: str) -> str:
    """Accept how the names of some models begin, in small letters."""
    if not _FAMILY.fullmatch(value):
        raise ValueError(f"must be the beginning of a model's name, such as gpt-5, found {value!r}")
    return value


Money = Annotated[Decimal, PlainValidator(price)]
Family = Annotated[str, AfterValidator(family)]


class PriceShape(FileShape):
    """`prices.families.NAME`: what a million tokens cost; a cache without a price is no cheaper."""

    input: Money
    output: Money
    cache_read: Money | None = None
    cache_write: Money | None = None


class PricesShape(FileShape):
    """`prices`: rows by family of models, and the family that an adapter uses by default."""

    families: dict[Family, PriceShape] = Field(default_factory=dict)
    defaults: dict[Name, Family] = Field(default_factory=dict)


@cache
def builtin_prices() -> PriceTable:
    """Read the package's own rows."""
    return read_prices((BUILTIN_DIRECTORY / PRICES_FILE).read_text(encoding="utf-8"))


def read_prices(text: str) -> PriceTable:
    """Read a table that stands in a file of its own."""
    mistakes = FileMistakes()
    document = read_yaml(PRICES_FILE, text, mistakes)
    if document is None or len(mistakes):
        raise mistakes.error()
    return with_prices(PriceTable(), PricesShape.model_validate(document.value))


def with_prices(below: PriceTable, shape: PricesShape) -> PriceTable:
    """Lay rows over others; a row is replaced as a whole."""
    rows = {name: _price(row) for name, row in shape.families.items()}
    return PriceTable(
        families={**below.families, **rows}, defaults={**below.defaults, **shape.defaults}
    )


def unknown_defaults(table: PriceTable) -> tuple[str, ...]:
    """Name the adapters whose default family has no row."""
    return tuple(name for name, row in table.defaults.items() if row not in table.families)


def _price(row: PriceShape) -> Price:
    return Price(
        input=row.input,
        output=row.output,
        cache_read=row.input if row.cache_read is None else row.cache_read,
        cache_write=row.input if row.cache_write is None else row.cache_write,
    )
