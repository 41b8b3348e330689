"""The extra that the Model Context Protocol needs."""

from importlib.util import find_spec

from supervisor_ai.domain.errors import Unavailable


def require_sdk() -> None:
    """Refuse where it is not installed."""
    if not all(map(_is_there, ("mcp", "uvicorn"))):
        raise Unavailable(
            "The Model Context Protocol needs an extra that is not installed.",
            hint="Install it: pip install 'supervisor-ai[mcp]'",
        )


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ImportError:
        return False
