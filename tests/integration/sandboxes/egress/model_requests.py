"""Requests to models, and whether a broker lets them through: a table for each dialect."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

RECORDED: Final = Path(__file__).parents[3] / "fixtures" / "clis" / "requests"
URL: Final = "https://elsewhere.example/secret"
DATA: Final = "data:image/png;base64,iVBORw0KGgo="
SEARCH: Final = ("web_search",)
FETCH: Final = ("web_fetch",)
BOTH: Final = ("web_fetch", "web_search")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request, and the reason for which it is refused."""

    dialect: str
    what: str
    path: str
    body: bytes
    refused: str = ""
    allowed: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})

    @property
    def name(self) -> str:
        """Name it for the list of tests."""
        verdict = self.refused or "passes"
        return f"{self.dialect}-{self.what}-{verdict}".replace(" ", "_")


def _tool(dialect: str, tool: object) -> dict[str, object]:
    return {**_PLAIN[dialect], "tools": [tool]}


def _said(dialect: str, *parts: object) -> dict[str, object]:
    """Say parts of content as the user."""
    if dialect == "gemini":
        return {"contents": [{"role": "user", "parts": list(parts)}]}
    key = "input" if dialect == "responses" else "messages"
    return {**_PLAIN[dialect], key: [{"role": "user", "content": list(parts)}]}


def _items(*items: object) -> dict[str, object]:
    return {"model": "gpt-5.5", "input": [{"role": "user", "content": "go"}, *items]}


_TEXT: Final = {
    "role": "user",
    "content": "Look at https://elsewhere.example and say what is there.",
}
_PLAIN: Final[Mapping[str, dict[str, object]]] = {
    "anthropic": {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [_TEXT]},
    "responses": {"model": "gpt-5.5", "input": "go", "store": False, "stream": False},
    "chat": {"model": "gpt-5.5", "messages": [_TEXT]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "go to https://a.example"}]}]},
    "ollama": {"model": "qwen3", "messages": [_TEXT], "stream": False},
}
_PATHS: Final = {
    "anthropic": "/v1/messages",
    "responses": "/v1/responses",
    "chat": "/v1/chat/completions",
    "gemini": "/v1beta/models/gemini-2.5-pro:generateContent",
    "ollama": "/api/chat",
}
_SCHEMA: Final = {"type": "object", "properties": {"url": {"type": "string"}, "mcp_servers": {}}}
_RESULT: Final = {"type": "tool_result", "tool_use_id": "toolu_1"}
_FUNCTION: Final = {"type": "function", "name": "web_search", "parameters": _SCHEMA}
_CLIENT_TOOL: Final = {"name": "web_fetch", "description": URL, "input_schema": _SCHEMA}
_SEARCH_TOOL: Final = {"type": "web_search_20250305", "name": "web_search", "max_uses": 8}
_FETCH_TOOL: Final = {"type": "web_fetch_20250910", "name": "web_fetch"}

_Row = tuple[str, object] | tuple[str, object, tuple[str, ...]]
_RefusedRow = tuple[str, object, str] | tuple[str, object, str, tuple[str, ...]]

PASSED: Final[Mapping[str, tuple[_Row, ...]]] = {
    "anthropic": (
        ("text with an address", _PLAIN["anthropic"]),
        ("client tool that is called like the provider's", _tool("anthropic", _CLIENT_TOOL)),
        ("another model in its place", {**_PLAIN["anthropic"], "fallbacks": "default"}),
        ("bash", _tool("anthropic", {"type": "bash_20250124", "name": "bash"})),
        ("editor", _tool("anthropic", {"type": "text_editor_20250728", "name": "e"})),
        ("memory", _tool("anthropic", {"type": "memory_20250818", "name": "memory"})),
        ("computer", _tool("anthropic", {"type": "computer_20250124", "name": "computer",
                                         "display_width_px": 9, "display_height_px": 9})),
        ("image inside", _said("anthropic", {"type": "image", "source": {
            "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}})),
        ("document inside", _said("anthropic", {"type": "document", "source": {
            "type": "text", "media_type": "text/plain", "data": "a"}})),
        ("call with any arguments", _said("anthropic", {"type": "tool_use", "id": "1", "name": "f",
            "input": {"mcp_servers": [{"url": URL}], "type": "url"}})),
        ("result with an image inside", _said("anthropic", {**_RESULT, "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "a/b", "data": "aa"}}]})),
        ("tool that is added on the way", _said("anthropic", {"type": "tool_addition", "tool": {
            "type": "tool_definition", "definition": _CLIENT_TOOL}})),
        ("search that is allowed", _tool("anthropic", _SEARCH_TOOL), SEARCH),
        ("fetch that is allowed", _tool("anthropic", _FETCH_TOOL), FETCH),
        ("search that was made", _said("anthropic", {"type": "server_tool_use", "id": "1",
            "name": "web_search", "input": {"query": "a"}}), SEARCH),
    ),
    "responses": (
        ("text", _PLAIN["responses"]),
        ("function called like a search", _tool("responses", _FUNCTION)),
        ("freeform tool", _tool("responses", {"type": "custom", "name": "apply_patch", "format": {
            "type": "grammar", "syntax": "lark", "definition": "start: /a/"}})),
        ("local shell", _tool("responses", {"type": "local_shell"})),
        ("apply_patch", _tool("responses", {"type": "apply_patch"})),
        ("namespace", _tool("responses", {"type": "namespace", "name": "n", "tools": [_FUNCTION]})),
        ("client's tool search", _tool("responses", {"type": "tool_search",
            "execution": "client", "parameters": _SCHEMA})),
        ("image inside", _said("responses", {"type": "input_image", "image_url": DATA})),
        ("file inside", _said("responses", {"type": "input_file", "filename": "a.pdf",
            "file_data": "data:application/pdf;base64,AA=="})),
        ("calls and results", _items(
            {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "x"},
            {"type": "function_call", "call_id": "1", "name": "f", "arguments": f'{{"u":"{URL}"}}'},
            {"type": "function_call_output", "call_id": "1", "output": URL})),
        ("result with an image inside", _items({"type": "function_call_output", "call_id": "1",
            "output": [{"type": "input_image", "image_url": DATA}]})),
        ("search that is allowed", _tool("responses", {"type": "web_search",
            "external_web_access": True}), SEARCH),
        ("older search that is allowed", _tool("responses",
            {"type": "web_search_preview_2025_03_11"}), SEARCH),
        ("search that was made", _items({"type": "web_search_call", "id": "w",
            "action": {"type": "search", "query": "a"}}), SEARCH),
    ),
    "chat": (
        ("text with an address", _PLAIN["chat"]),
        ("function", _tool("chat", {"type": "function",
            "function": {"name": "web_search", "parameters": _SCHEMA}})),
        ("image inside", _said("chat", {"type": "image_url", "image_url": {"url": DATA}})),
        ("search that is allowed", {**_PLAIN["chat"], "web_search_options": {}}, SEARCH),
        ("model that may search", {**_PLAIN["chat"], "model": "gpt-4o-search-preview"}, SEARCH),
        ("model with research in its name", {**_PLAIN["chat"], "model": "researcher-7b:free"}),
    ),
    "gemini": (
        ("text with an address", _PLAIN["gemini"]),
        ("functions", _tool("gemini", {"functionDeclarations": [
            {"name": "google_web_search", "parametersJsonSchema": _SCHEMA}]})),
        ("functions in snake_case", _tool("gemini", {"function_declarations": [{"name": "f"}]})),
        ("image inside", _said("gemini", {"inlineData": {"mimeType": "a/b", "data": "aaaa"}})),
        ("calls and results", _said("gemini",
            {"functionCall": {"name": "f", "args": {"fileData": {"fileUri": URL}}}},
            {"functionResponse": {"name": "f", "response": {"fileUri": URL}}})),
        ("search that is allowed", _tool("gemini", {"googleSearch": {}}), SEARCH),
        ("fetch that is allowed", _tool("gemini", {"urlContext": {}}), FETCH),
    ),
    "ollama": (
        ("text with an address", _PLAIN["ollama"]),
        ("function", _tool("ollama", {"type": "function", "function": {"name": "f"}})),
    ),
}  # fmt: skip

REFUSED: Final[Mapping[str, tuple[_RefusedRow, ...]]] = {
    "anthropic": (
        ("search", _tool("anthropic", _SEARCH_TOOL), "tool-not-allowed"),
        ("search where only fetching is allowed", _tool("anthropic", _SEARCH_TOOL),
         "tool-not-allowed", FETCH),
        ("fetch", _tool("anthropic", _FETCH_TOOL), "tool-not-allowed", SEARCH),
        ("search of a later version", _tool("anthropic", {"type": "web_search_20990101"}),
         "tool-not-allowed"),
        *((kind, _tool("anthropic", {"type": kind, "name": "x"}), "part-not-listed", BOTH)
          for kind in ("code_execution_20250825", "mcp_toolset", "advisor_20260301",
                       "bash_code_execution_20250825", "Web_Fetch_20250910", "anything_20990101")),
        ("search without a version", _tool("anthropic", {"type": "web_search"}),
         "tool-not-allowed"),
        ("caller", _tool("anthropic", {**_CLIENT_TOOL, "allowed_callers": ["code_execution"]}),
         "part-not-listed", BOTH),
        ("mcp", {**_PLAIN["anthropic"], "mcp_servers": [{"type": "url", "url": URL, "name": "m"}]},
         "part-not-listed", BOTH),
        ("container", {**_PLAIN["anthropic"], "container": {"skills": [{"skill_id": "pdf"}]}},
         "part-not-listed", BOTH),
        ("unknown key", {**_PLAIN["anthropic"], "Mcp_Servers": []}, "part-not-listed", BOTH),
        ("image by address", _said("anthropic", {"type": "image",
            "source": {"type": "url", "url": URL}}), "part-not-listed", BOTH),
        ("document by address", _said("anthropic", {"type": "document",
            "source": {"type": "url", "url": URL}}), "part-not-listed", BOTH),
        ("uploaded file", _said("anthropic", {"type": "document",
            "source": {"type": "file", "file_id": "file_1"}}), "part-not-listed", BOTH),
        ("address beside the data", _said("anthropic", {"type": "image", "source": {
            "type": "base64", "media_type": "a/b", "data": "", "url": URL}}), "part-not-listed"),
        ("image by address in a result", _said("anthropic", {**_RESULT, "content": [
            {"type": "image", "source": {"type": "url", "url": URL}}]}), "part-not-listed", BOTH),
        ("image by address in a document", _said("anthropic", {"type": "document", "source": {
            "type": "content", "content": [{"type": "image", "source": {"type": "url",
            "url": URL}}]}}), "part-not-listed", BOTH),
        ("image by address in the system prompt", {**_PLAIN["anthropic"], "system": [
            {"type": "image", "source": {"type": "url", "url": URL}}]}, "part-not-listed", BOTH),
        ("file for a container", _said("anthropic", {"type": "container_upload", "file_id": "f"}),
         "part-not-listed", BOTH),
        ("call of a remote server", _said("anthropic", {"type": "mcp_tool_use", "id": "1",
            "server_name": "m"}), "part-not-listed", BOTH),
        ("search added on the way", _said("anthropic", {"type": "tool_addition", "tool": {
            "type": "tool_definition", "definition": _SEARCH_TOOL}}), "tool-not-allowed"),
        ("server added on the way", _said("anthropic", {"type": "tool_addition", "tool": {
            "type": "mcp_toolset", "url": URL}}), "part-not-listed", BOTH),
    ),
    "responses": (
        ("search", _tool("responses", {"type": "web_search"}), "tool-not-allowed", FETCH),
        ("older search", _tool("responses", {"type": "web_search_preview"}), "tool-not-allowed"),
        *((kind, _tool("responses", {"type": kind, "server_url": URL}), "part-not-listed", BOTH)
          for kind in ("mcp", "code_interpreter", "file_search", "image_generation", "shell",
                       "web_fetch", "hosted_anything")),
        ("server of a function", _tool("responses", {**_FUNCTION, "server_url": URL}),
         "part-not-listed", BOTH),
        ("search in a namespace", _tool("responses", {"type": "namespace", "name": "n",
            "tools": [{"type": "web_search"}]}), "tool-not-allowed"),
        ("mcp added on the way", _items({"type": "additional_tools", "role": "developer",
            "tools": [{"type": "mcp", "server_url": URL}]}), "part-not-listed", BOTH),
        ("mcp that was searched for", _items({"type": "tool_search_output", "call_id": "1",
            "tools": [{"type": "mcp", "server_url": URL}]}), "part-not-listed", BOTH),
        *((kind, _items({"type": kind, "id": "1", "server_label": "m"}), "part-not-listed", BOTH)
          for kind in ("mcp_list_tools", "mcp_call", "mcp_approval_response", "item_reference",
                       "code_interpreter_call", "file_search_call", "image_generation_call")),
        ("item that the provider keeps", _items({"id": "msg_1"}), "part-not-listed", BOTH),
        ("image by address", _said("responses", {"type": "input_image", "image_url": URL}),
         "part-not-listed", BOTH),
        ("image by address after a blank", _said("responses", {"type": "input_image",
            "image_url": f" {URL}"}), "part-not-listed", BOTH),
        ("uploaded image", _said("responses", {"type": "input_image", "file_id": "f"}),
         "part-not-listed", BOTH),
        ("file by address", _said("responses", {"type": "input_file", "file_url": URL}),
         "part-not-listed", BOTH),
        ("address as a file's data", _said("responses", {"type": "input_file", "file_data": URL}),
         "part-not-listed", BOTH),
        ("image by address in a result", _items({"type": "custom_tool_call_output",
            "call_id": "1", "output": [{"type": "input_image", "image_url": URL}]}),
         "part-not-listed", BOTH),
        ("image by address on a screen", _items({"type": "computer_call_output", "call_id": "1",
            "output": {"type": "computer_screenshot", "image_url": URL}}), "part-not-listed", BOTH),
        *((key, {**_PLAIN["responses"], key: value}, "part-not-listed", BOTH)
          for key, value in (("prompt", {"id": "pmpt_1"}), ("previous_response_id", "resp_1"),
                             ("conversation", "conv_1"), ("background", True),
                             ("plugins", [{"id": "web"}]))),
        ("model that searches", {**_PLAIN["responses"], "model": "o3-deep-research-2025-06-26"},
         "tool-not-allowed"),
    ),
    "chat": (
        ("search", {**_PLAIN["chat"], "web_search_options": {}}, "tool-not-allowed", FETCH),
        *((model, {**_PLAIN["chat"], "model": model}, "tool-not-allowed", FETCH)
          for model in ("gpt-4o-search-preview", "any/model:online", "perplexity/sonar-pro",
                        "groq/compound-mini", "o4-mini-deep-research", "ANY:ONLINE")),
        *((key, {**_PLAIN["chat"], key: value}, "part-not-listed", BOTH)
          for key, value in (("plugins", [{"id": "web"}]), ("search_parameters", {"mode": "on"}),
                             ("enable_search", True), ("models", ["x:online"]),
                             ("extra_body", {"google": {"cached_content": "c"}}),
                             ("mcp_servers", []), ("api_base", URL))),
        ("built-in function", _tool("chat", {"type": "builtin_function",
            "function": {"name": "$web_search"}}), "part-not-listed", BOTH),
        ("tool without a type", _tool("chat", {"web_search": {}}), "part-not-listed", BOTH),
        ("image by address", _said("chat", {"type": "image_url", "image_url": {"url": URL}}),
         "part-not-listed", BOTH),
        ("image by address as a text", _said("chat", {"type": "image_url", "image_url": URL}),
         "part-not-listed", BOTH),
        ("video by address", _said("chat", {"type": "video_url", "video_url": {"url": URL}}),
         "part-not-listed", BOTH),
        ("sound by address", _said("chat", {"type": "input_audio", "input_audio": {"data": URL}}),
         "part-not-listed", BOTH),
        ("uploaded file", _said("chat", {"type": "file", "file": {"file_id": "f"}}),
         "part-not-listed", BOTH),
        ("file by address", _said("chat", {"type": "file", "file": {"file_data": URL}}),
         "part-not-listed", BOTH),
    ),
    "gemini": (
        *((key, _tool("gemini", {key: {}}), "tool-not-allowed", FETCH)
          for key in ("googleSearch", "google_search", "googleSearchRetrieval",
                      "google_search_retrieval", "enterpriseWebSearch")),
        *((key, _tool("gemini", {key: {}}), "tool-not-allowed", SEARCH)
          for key in ("urlContext", "url_context")),
        *((key, _tool("gemini", {key: {}}), "part-not-listed", BOTH)
          for key in ("codeExecution", "code_execution", "fileSearch", "googleMaps", "mcpServers",
                      "retrieval", "GoogleSearch")),
        ("search beside functions", _tool("gemini", {"functionDeclarations": [],
            "google_search": {}}), "tool-not-allowed"),
        *((key, _said("gemini", {key: {uri: URL}}), "part-not-listed", BOTH)
          for key, uri in (("fileData", "fileUri"), ("file_data", "file_uri"))),
        ("file in a result", _said("gemini", {"functionResponse": {"name": "f", "response": {},
            "parts": [{"fileData": {"fileUri": URL}}]}}), "part-not-listed", BOTH),
        ("file in the instruction", {**_PLAIN["gemini"], "system_instruction": {
            "parts": [{"file_data": {"file_uri": URL}}]}}, "part-not-listed", BOTH),
        ("cached content", {**_PLAIN["gemini"], "cachedContent": "cachedContents/1"},
         "part-not-listed", BOTH),
        ("cached content in snake_case", {**_PLAIN["gemini"], "cached_content": "cachedContents/1"},
         "part-not-listed", BOTH),
        ("code that ran", _said("gemini", {"executableCode": {"code": "1"}}),
         "part-not-listed", BOTH),
        ("search in a nested request", {"generateContentRequest": _tool("gemini",
            {"googleSearch": {}})}, "tool-not-allowed"),
        ("twins", {**_PLAIN["gemini"], "tools": [], "systemInstruction": {},
                   "system_instruction": {}}, "unreadable-body"),
    ),
    "ollama": (
        ("image by address", {**_PLAIN["ollama"], "messages": [{"role": "user", "content": "a",
            "images": [URL]}]}, "part-not-listed", BOTH),
        ("key in another case", {**_PLAIN["ollama"], "Tools": []}, "part-not-listed", BOTH),
        ("web search", _tool("ollama", {"type": "web_search"}), "part-not-listed", BOTH),
    ),
}  # fmt: skip

_STRICT: Final = (
    ("nothing but text", b"hello"),
    ("a list", b"[]"),
    ("a key twice", b'{"model":"m","tools":[{"type":"mcp"}],"tools":[]}'),
    ("a key twice, once in escapes", b'{"tools":[{"type":"mcp"}],"t\\u006fols":[]}'),
    ("a key twice deep inside", b'{"messages":[{"role":"user","content":"a","content":"b"}]}'),
    ("a byte-order mark", b'\xef\xbb\xbf{"model":"m"}'),
    ("UTF-16", '{"model":"m"}'.encode("utf-16")),
    ("bytes that are no UTF-8", b'{"model":"\xff"}'),
    ("no number", b'{"temperature":NaN}'),
    ("no end of a number", b'{"temperature":-Infinity}'),
    ("words after the end", b'{"model":"m"}{"tools":[]}'),
    ("a comment", b'{"model":"m"/* */}'),
    ("single quotes", b"{'model':'m'}"),
    ("a comma too many", b'{"model":"m",}'),
    ("cut off", b'{"model":"m"'),
    ("too deep", b'{"metadata":' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    ("too many parts", b'{"metadata":[' + b"0," * (1 << 20) + b"0]}"),
)
_HEADS: Final = (
    ("gzip", {"content-type": "application/json", "content-encoding": "gzip"}),
    ("zstd", {"content-type": "application/json", "content-encoding": "zstd"}),
    ("encoded twice", {"content-type": "application/json", "Content-Encoding": "identity, br"}),
    ("a form", {"content-type": "multipart/form-data; boundary=x"}),
    ("two types", {"content-type": "application/json", "Content-type": "text/plain"}),
    ("a type in another spelling", {"content-type": "application/json", "content_type": "a/b"}),
    ("gzip in another spelling", {"content_encoding": "gzip"}),
    ("a text", {"content-type": "text/plain"}),
    ("another charset", {"content-type": "application/json; charset=utf-7"}),
    ("another kind of JSON", {"content-type": "application/json+protobuf"}),
)
_ELSEWHERE: Final = (
    *("/v1/files", "/v1/batches", "/v1/containers", "/v1/vector_stores", "/v1/realtime/sessions"),
    *("/v1/assistants", "/v1/conversations", "/v1/images/edits", "/upload/v1beta/files"),
    *("/v1beta/cachedContents", "/v1beta/models/gemini-2.5-pro:batchGenerateContent"),
    *("/v1/skills", "/api/pull", "/api/web_search", "/v1/messages/", "/v1beta/interactions"),
)


def _bytes(body: object) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def _recorded() -> Iterator[ModelRequest]:
    dialects = {"claude": "anthropic", "codex": "responses", "gemini": "gemini"}
    for file in sorted(RECORDED.glob("*.json")):
        seen = json.loads(file.read_text(encoding="utf-8"))
        yield ModelRequest(
            dialect=dialects.get(file.stem, "chat"),
            what=f"as {file.stem} asks",
            path=seen["path"],
            body=_bytes(seen["body"]),
        )


def _tables() -> Iterator[ModelRequest]:
    for dialect, rows in PASSED.items():
        for what, body, *allowed in rows:
            yield ModelRequest(
                dialect=dialect, what=what, path=_PATHS[dialect], body=_bytes(body),
                allowed=allowed[0] if allowed else (),
            )  # fmt: skip
    for dialect, refusals in REFUSED.items():
        for what, body, reason, *allowed in refusals:
            yield ModelRequest(
                dialect=dialect, what=what, path=_PATHS[dialect], body=_bytes(body),
                refused=reason, allowed=allowed[0] if allowed else (),
            )  # fmt: skip


def _others() -> Iterator[ModelRequest]:
    message = _bytes(_PLAIN["anthropic"])
    for what, body in _STRICT:
        yield ModelRequest(
            dialect="any", what=what, path="/v1/messages", body=body, refused="unreadable-body"
        )
    for what, headers in _HEADS:
        yield ModelRequest(
            dialect="any", what=what, path="/v1/messages", body=message, headers=headers,
            refused="unreadable-body", allowed=BOTH,
        )  # fmt: skip
    for path in _ELSEWHERE:
        yield ModelRequest(
            dialect="any", what=path, path=path, body=b"{}", refused="unknown-api", allowed=BOTH
        )
    counted = "/v1/messages/count_tokens"
    yield ModelRequest(
        dialect="anthropic", what="search that is counted", path=counted,
        body=_bytes(_tool("anthropic", _SEARCH_TOOL)), refused="tool-not-allowed",
    )  # fmt: skip
    yield ModelRequest(dialect="anthropic", what="counted", path=counted, body=message)
    batch = {"requests": [{"custom_id": "1", "params": _tool("anthropic", _SEARCH_TOOL)}]}
    yield ModelRequest(
        dialect="anthropic", what="search in a batch", path="/v1/messages/batches",
        body=_bytes(batch), refused="tool-not-allowed",
    )  # fmt: skip
    yield ModelRequest(
        dialect="gemini", what="model that searches", body=_bytes(_PLAIN["gemini"]),
        path="/v1beta/models/deep-research-pro:generateContent", refused="tool-not-allowed",
    )  # fmt: skip
    for what, headers in (
        ("JSON that nobody declares", {}),
        ("JSON as curl declares it", {"Content-Type": "application/x-www-form-urlencoded"}),
        ("JSON in UTF-8", {"content-type": "application/json; charset=UTF-8"}),
    ):
        yield ModelRequest(
            dialect="any", what=what, path="/v1/messages", body=message, headers=headers
        )


MODEL_REQUESTS: Final = (*_recorded(), *_tables(), *_others())
