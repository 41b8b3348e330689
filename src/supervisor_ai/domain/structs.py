"""Copies of Structs with other values in some fields."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The type checker knows the fields of a Struct here, and takes any for msgspec's function.
    from dataclasses import replace
else:
    from msgspec.structs import replace

__all__ = ["replace"]
