"""The extra that the Model Context Protocol needs."""

from importlib.util import find_spec

from supervisor_ai.domain.errors import Unavailable


def require_sdk() -> None:
    """Refuse where it is not installed."""
    if find_spec("mcp") is None or find_spec("uvicorn") is None:
        raise Unavailable(
            "The Model Context Protocol needs an extra that is not installed.",
            hint="Install it: pip install 'supervisor-ai[mcp]'",
        )
