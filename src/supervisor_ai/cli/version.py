"""The version number, without a look at the installed package."""

from typing import Final

VERSION: Final = "0.1.0"
