"""The server of the protocol: lists a member's tools, and answers each call with JSON."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from supervisor_ai.domain.errors import InternalError, SupervisorError
from supervisor_ai.mcp.toolbox import INSTRUCTIONS, NAME, Json, Report, Toolbox, ToolCard

_PAUSE: Final = 0.5
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")

Context = ServerRequestContext[None, object]
FindToolbox = Callable[[Context], Toolbox]
"""Says whose tools a request is for."""


def make_server(version: str, find: FindToolbox, report: Report) -> Server[None]:
    """Make a server whose every request is answered for the member that makes it."""

    async def list_tools(
        context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        del params
        try:
            return ListToolsResult(tools=[_tool(card) for card in find(context).cards()])
        except Exception as error:  # one request: whatever it is, the next one may be fine
            words = f"This is a bug in supervisor: {type(error).__name__}."
            raise MCPError(INTERNAL_ERROR, f"{words} {report(error)}") from error

    turn = asyncio.Lock()

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        toolbox, arguments = find(context), params.arguments or {}
        loop = asyncio.get_running_loop()
        end, is_ready = loop.time() + toolbox.patience(params.name, arguments), False
        while not is_ready and loop.time() < end:
            async with turn:
                is_ready = await asyncio.to_thread(toolbox.is_ready, params.name)
            # Meanwhile others make their calls.
            await asyncio.sleep(0 if is_ready else _PAUSE)
        async with turn:
            call = partial(answer, toolbox, params.name, arguments, report)
            return await asyncio.to_thread(call)

    return Server(
        NAME,
        version=version,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def answer(toolbox: Toolbox, name: str, arguments: Json, report: Report) -> CallToolResult:
    """Make one call; whatever goes wrong is told as every door tells it."""
    try:
        told = toolbox.call(name, arguments)
        return _result(told, is_error=told.get("accepted") is False)
    except SupervisorError as error:
        return _result(_told(error), is_error=True)
    except Exception as error:  # noqa: BLE001 - one request: the next one may be fine
        words = f"This is a bug in supervisor: {type(error).__name__}."
        bug = InternalError(words, hint=report(error))
        return _result(_told(bug), is_error=True)


def _told(error: SupervisorError) -> Json:
    return {"error": {"kind": error.kind.value, "message": error.message, "hint": error.hint}}


def _result(value: Json, *, is_error: bool) -> CallToolResult:
    text = _ENCODER.encode(value)
    content = TextContent(type="text", text=text.decode())
    return CallToolResult(
        content=[content], structured_content=msgspec.json.decode(text), is_error=is_error
    )


def _tool(card: ToolCard) -> Tool:
    # What is said is never unsaid, and nothing leaves the ledger.
    hints = ToolAnnotations(destructive_hint=False, open_world_hint=False)
    return Tool(
        name=card.name,
        description=card.description,
        input_schema=dict(card.schema),
        annotations=hints,
    )
