"""Names of files, which somebody else chose, made fit to be read."""

from typing import Final

from supervisor_ai.domain.terminal import plain

_LONGEST: Final = 200


def shown_name(path: str, longest: int = _LONGEST) -> str:
    """Return a name on one line, without controls, and shortened in its middle."""
    name = " ".join(plain(path).split())
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[:half]}…{name[-half:]}"
