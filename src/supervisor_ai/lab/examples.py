"""Scripts that are ready to be played."""

from importlib import resources
from importlib.resources.abc import Traversable

from supervisor_ai.domain.errors import NotFound


def names() -> tuple[str, ...]:
    """Name the examples."""
    files = (entry.name for entry in _shelf().iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml")))


def example(name: str) -> str:
    """Return the text of an example."""
    known = names()
    if name not in known:
        raise NotFound(f"There is no example {name!r}.", hint=f"There are {', '.join(known)}.")
    return (_shelf() / f"{name}.yaml").read_text(encoding="utf-8")


def purpose(name: str) -> str:
    """Return the first line of an example, which says what it is for."""
    return example(name).partition("\n")[0].lstrip("# ")


def _shelf() -> Traversable:
    return resources.files("supervisor_ai.lab") / "builtin"
