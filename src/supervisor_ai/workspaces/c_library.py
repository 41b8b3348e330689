"""System calls that Python has no name for."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctypes import CDLL


@cache
def c_library() -> "CDLL":
    """Return the C library of this process; who calls it reads the error by `ctypes.get_errno`."""
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
