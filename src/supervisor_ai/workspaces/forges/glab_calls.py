"""Calls of GitLab's interface through the user's `glab`, whose login it uses."""

from typing import Final

from msgspec import Struct

from supervisor_ai.engine.ports.forge import NotSeen
from supervisor_ai.tools.json_value import BadJson, Json, json_line, parse_json
from supervisor_ai.workspaces.forges.look_errors import not_read, not_seen
from supervisor_ai.workspaces.forges.user_programs import Ended, UserPrograms

_JSON: Final = ("--header", "Content-Type: application/json")


class GlabCalls(Struct, frozen=True, kw_only=True):
    """Speaks with one GitLab."""

    programs: UserPrograms
    host: str

    async def get(self, endpoint: str, what: str) -> Json | NotSeen:
        """Ask for something that is answered as JSON."""
        ended = await self.ask(endpoint)
        if not ended.is_success:
            return not_seen("glab", ended, what)
        try:
            return parse_json(ended.output)
        except BadJson:
            return not_read("glab", what)

    async def ask(self, endpoint: str) -> Ended:
        """Ask for something, whatever the answer looks like."""
        return await self.programs.run("glab", "api", "--hostname", self.host, endpoint)

    async def post(self, endpoint: str, body: dict[str, Json]) -> Ended:
        """Let something be made."""
        how = ("--method", "POST", *_JSON, "--input", "-")
        where = ("--hostname", self.host, endpoint)
        return await self.programs.run("glab", "api", *how, *where, stdin=json_line(body))
