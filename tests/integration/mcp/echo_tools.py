"""Tools that need no project: each says whose they are."""

from collections.abc import Mapping

from supervisor_ai.domain.errors import Denied
from supervisor_ai.mcp.toolbox import Json, ToolCard

TOKEN = "tok-0123456789"
SCHEMA = {
    "type": "object",
    "properties": {"words": {"type": "string"}},
    "additionalProperties": False,
}


class EchoTools:
    """One tool, which repeats what it hears."""

    def __init__(self, who: str) -> None:
        self._who = who
        self.heard = 0

    def patience(self, name: str, arguments: Mapping[str, object]) -> float:
        return 30.0 if arguments.get("words") == "wait" else 0.0

    def is_ready(self, name: str) -> bool:
        """Be ready when something else was said."""
        return self.heard > 0

    def cards(self) -> list[ToolCard]:
        return [ToolCard(name="echo", description="Repeat", schema=SCHEMA)]

    def call(self, name: str, arguments: Mapping[str, object]) -> Json:
        if name != "echo":
            raise Denied(f"{self._who} may not call {name!r}.")
        self.heard += 1
        return {"who": self._who, **arguments}


def identify(token: str) -> EchoTools:
    if token != TOKEN:
        raise Denied("The token is nobody's in this session.")
    return EchoTools("ann")
