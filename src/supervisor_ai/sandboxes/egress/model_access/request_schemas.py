"""What a request to a model may contain: a closed list for each dialect.

A key or a type that is not here is refused. What is opaque holds data of the client, which no
provider acts upon: arguments and schemas of tools, sampling parameters, texts.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct


class Requires(Struct, frozen=True):
    """What the provider does by itself, with the tools of which a role must be allowed one."""

    tools: frozenset[str]


Rule = str | Requires | None
"""The name of a shape or of a check of texts; what a role must be allowed; None: opaque."""
Shape = Mapping[str, Rule] | Requires


class RequestDialect(Struct, frozen=True, kw_only=True):
    """The requests of one kind of model service, and how it tells an error."""

    path: re.Pattern[str]
    """The paths at which it is spoken; a group may name the model."""
    shapes: Mapping[str, Shape]
    """By name; `name:type` where the key `type` tells which; the nameless one is the whole."""
    status: int
    """The status of an error that clients do not repeat."""
    error: Callable[[str], object]

    @property
    def has_twins(self) -> bool:
        """Tell whether a key may also be written in snake_case: `fileData` as `file_data`."""
        return self.shapes is _GEMINI


def _shape(opaque: str, **rules: Rule) -> dict[str, Rule]:
    return dict.fromkeys(opaque.split()) | rules


_SEARCH: Final = Requires(frozenset({"web_search"}))
_FETCH: Final = Requires(frozenset({"web_fetch"}))
_EITHER: Final = Requires(_SEARCH.tools | _FETCH.tools)

_ANTHROPIC_TOOL: Final = _shape(
    "type name description input_schema input_examples strict defer_loading cache_control"
    " eager_input_streaming"
)
_CLIENT_TOOL: Final = _shape(
    "type name cache_control max_characters defer_loading strict"
    " display_width_px display_height_px display_number enable_zoom"
)
_ANTHROPIC: Final[dict[str, Shape]] = {
    "": _shape(
        "max_tokens metadata stop_sequences stream temperature top_k top_p tool_choice thinking"
        " service_tier output_config output_format context_management cache_control speed"
        " inference_geo anthropic_version anthropic_beta",
        model="model",
        messages="message",
        system="block",
        tools="tool",
        fallbacks="fallback",
    ),
    "fallback": _shape("max_tokens thinking output_config speed", model="model"),
    "message": _shape("role output_config", content="block"),
    "block:text": _shape("type text citations cache_control"),
    "block:image": _shape("type cache_control", source="source"),
    "block:document": _shape("type title context citations cache_control", source="source"),
    "block:search_result": _shape("type source title citations cache_control", content="block"),
    "block:thinking": _shape("type thinking signature"),
    "block:redacted_thinking": _shape("type data"),
    "block:compaction": _shape("type content cache_control"),
    "block:fallback": _shape("type from to"),
    "block:tool_use": _shape("type id name input cache_control caller"),
    "block:tool_result": _shape("type tool_use_id is_error cache_control", content="block"),
    "block:tool_reference": _shape("type tool_name cache_control"),
    "block:tool_removal": _shape("type tool cache_control"),
    "block:tool_addition": _shape("type cache_control", tool="addition"),
    "block:server_tool_use": _EITHER,
    "block:web_search_tool_result": _SEARCH,
    "block:web_fetch_tool_result": _FETCH,
    "addition:tool_reference": _shape("type name"),
    "addition:tool_definition": _shape("type", definition="tool"),
    "source:base64": _shape("type media_type data"),
    "source:text": _shape("type media_type data"),
    "source:content": _shape("type", content="block"),
    "tool:": _ANTHROPIC_TOOL,
    "tool:custom": _ANTHROPIC_TOOL,
    **dict.fromkeys(
        ("tool:bash", "tool:text_editor", "tool:computer", "tool:memory"), _CLIENT_TOOL
    ),
    # These look only among the tools of the same request.
    **dict.fromkeys(("tool:tool_search_tool_regex", "tool:tool_search_tool_bm25"), _CLIENT_TOOL),
    "tool:web_search": _SEARCH,
    "tool:web_fetch": _FETCH,
}
_BATCH: Final = {
    **_ANTHROPIC,
    "": _shape("", requests="request"),
    "request": _shape("custom_id", params="params"),
    "params": _ANTHROPIC[""],
}

_ITEM: Final = "type id call_id status internal_chat_message_metadata_passthrough"
_MESSAGE_ITEM: Final = _shape(f"{_ITEM} role phase author recipient", content="part")
_COMPACTION: Final = _shape("type id encrypted_content created_by")
_RESPONSES: Final[dict[str, Shape]] = {
    "": _shape(
        "client_metadata include max_output_tokens max_tool_calls metadata parallel_tool_calls"
        " prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store"
        " stream stream_options temperature text tool_choice top_logprobs top_p truncation user"
        " context_management",
        model="model",
        input="item",
        instructions="item",
        tools="tool",
    ),
    # Without a type, an id alone would name an item that the provider keeps.
    "item:": _shape("role phase", content="part"),
    "item:message": _MESSAGE_ITEM,
    "item:agent_message": _MESSAGE_ITEM,
    "item:reasoning": _shape(f"{_ITEM} encrypted_content", summary="part", content="part"),
    "item:function_call": _shape(f"{_ITEM} name namespace arguments encrypted_function_args"),
    "item:function_call_output": _shape(_ITEM, output="part"),
    "item:custom_tool_call": _shape(f"{_ITEM} name namespace input"),
    "item:custom_tool_call_output": _shape(f"{_ITEM} name", output="part"),
    "item:local_shell_call": _shape(f"{_ITEM} action"),
    "item:local_shell_call_output": _shape(f"{_ITEM} output"),
    "item:apply_patch_call": _shape(f"{_ITEM} operation"),
    "item:apply_patch_call_output": _shape(f"{_ITEM} output"),
    "item:computer_call": _shape(f"{_ITEM} action actions pending_safety_checks"),
    "item:computer_call_output": _shape(f"{_ITEM} acknowledged_safety_checks", output="part"),
    "item:tool_search_call": _shape(f"{_ITEM} execution arguments"),
    "item:tool_search_output": _shape(f"{_ITEM} execution", tools="tool"),
    "item:additional_tools": _shape(f"{_ITEM} role", tools="tool"),
    "item:compaction": _COMPACTION,
    "item:compaction_summary": _COMPACTION,
    "item:context_compaction": _COMPACTION,
    "item:compaction_trigger": _shape("type id"),
    "item:web_search_call": _SEARCH,
    "part:text": _shape("type text"),
    "part:input_text": _shape("type text"),
    "part:output_text": _shape("type text annotations logprobs"),
    "part:summary_text": _shape("type text"),
    "part:reasoning_text": _shape("type text"),
    "part:refusal": _shape("type refusal"),
    "part:encrypted_content": _shape("type encrypted_content"),
    "part:input_image": _shape("type detail", image_url="data_url"),
    "part:computer_screenshot": _shape("type", image_url="data_url"),
    "part:input_file": _shape("type filename detail", file_data="inline"),
    "part:input_audio": _shape("type", input_audio="audio"),
    "audio": _shape("format", data="inline"),
    "tool:function": _shape("type name description parameters output_schema strict defer_loading"),
    "tool:custom": _shape("type name description format defer_loading"),
    "tool:namespace": _shape("type name description", tools="tool"),
    "tool:tool_search": _shape("type execution description parameters"),
    "tool:local_shell": _shape("type"),
    "tool:apply_patch": _shape("type"),
    "tool:computer": _shape("type"),
    "tool:computer_use_preview": _shape("type environment display_width display_height"),
    "tool:web_search": _SEARCH,
    "tool:web_search_preview": _SEARCH,
}

_FUNCTION: Final = _shape("type cache_control", function="function")
_CALL: Final = _shape("id type index function custom extra_content")
_CHAT: Final[dict[str, Shape]] = {
    "": _shape(
        "max_tokens max_completion_tokens stream stream_options stop n temperature top_p top_k"
        " min_p presence_penalty frequency_penalty repetition_penalty logit_bias logprobs"
        " top_logprobs seed user response_format tool_choice parallel_tool_calls metadata store"
        " reasoning_effort reasoning thinking verbosity service_tier safety_identifier"
        " prompt_cache_key prompt_cache_retention modalities function_call usage cache_control"
        " enable_thinking thinking_budget preserve_thinking vl_high_resolution_images",
        model="model",
        messages="message",
        tools="tool",
        functions="function",
        prediction="prediction",
        web_search_options=_SEARCH,
    ),
    "message": _shape(
        "role name tool_call_id refusal function_call reasoning reasoning_content"
        " reasoning_details cache_control prefix",
        content="part",
        tool_calls="call",
    ),
    "prediction": _shape("type", content="part"),
    "call:": _CALL,
    "call:function": _CALL,
    "call:custom": _CALL,
    "function": _shape("name description parameters strict cache_control"),
    "part:text": _shape("type text cache_control"),
    "part:refusal": _shape("type refusal"),
    "part:image_url": _shape("type cache_control", image_url="data_url"),
    "part:input_audio": _shape("type cache_control", input_audio="audio"),
    "part:file": _shape("type cache_control", file="file"),
    "data_url": _shape("detail format", url="data_url"),
    "audio": _shape("format", data="inline"),
    "file": _shape("filename", file_data="inline"),
    "tool:function": _FUNCTION,
    "tool:custom": _shape("type custom"),
}
_TEXTS: Final[dict[str, Shape]] = {
    "": _shape(
        "input dimensions encoding_format user prompt suffix max_tokens stream stream_options stop"
        " n temperature top_p presence_penalty frequency_penalty logit_bias logprobs echo best_of"
        " seed",
        model="model",
    ),
}
_OLLAMA: Final[dict[str, Shape]] = {
    "": _shape(
        "stream format options keep_alive think raw template prompt suffix system context logprobs"
        " top_logprobs",
        model="model",
        messages="message",
        tools="tool",
        images="inline",
    ),
    "message": _shape("role content thinking tool_name tool_call_id tool_calls", images="inline"),
    "function": _CHAT["function"],
    "tool:function": _FUNCTION,
}

_GEMINI: Final[dict[str, Shape]] = {
    "": _shape(
        "generationConfig safetySettings toolConfig labels",
        model="model",
        contents="content",
        systemInstruction="content",
        tools="tool",
        generateContentRequest="",
    ),
    "content": _shape("role", parts="part"),
    "part": _shape(
        "text thought thoughtSignature videoMetadata mediaResolution partMetadata",
        inlineData="blob",
        functionCall="call",
        functionResponse="response",
    ),
    "blob": _shape("mimeType displayName", data="inline"),
    "call": _shape("id name args partialArgs willContinue"),
    "response": _shape("id name response willContinue scheduling", parts="attachment"),
    "attachment": _shape("", inlineData="blob"),
    "tool": _shape(
        "functionDeclarations computerUse",
        googleSearch=_SEARCH,
        googleSearchRetrieval=_SEARCH,
        enterpriseWebSearch=_SEARCH,
        urlContext=_FETCH,
    ),
}


def _anthropic_error(why: str) -> object:
    return {"type": "error", "error": {"type": "permission_error", "message": why}}


def _openai_error(why: str) -> object:
    code = "request_refused"
    return {"error": {"message": why, "type": "invalid_request_error", "param": None, "code": code}}


def _gemini_error(why: str) -> object:
    return {"error": {"code": 400, "message": why, "status": "INVALID_ARGUMENT"}}


def _dialect(
    path: str,
    shapes: Mapping[str, Shape],
    error: Callable[[str], object] = _openai_error,
    status: int = 400,
) -> RequestDialect:
    return RequestDialect(
        path=re.compile(rf"(?:/.*)?/{path}"), shapes=shapes, status=status, error=error
    )


DIALECTS: Final = (
    # Claude Code repeats a request that was answered with 400, and none that is forbidden.
    _dialect("messages(?:/count_tokens)?", _ANTHROPIC, _anthropic_error, 403),
    _dialect("messages/batches", _BATCH, _anthropic_error, 403),
    _dialect("publishers/anthropic/models/[^/:]+:(?:streamR|r)awPredict", _ANTHROPIC,
             _anthropic_error, 403),
    _dialect("responses(?:/compact|/input_tokens)?", _RESPONSES),
    _dialect("chat/completions", _CHAT),
    _dialect("(?:completions|embeddings)", _TEXTS),
    _dialect("api/(?:chat|generate)", _OLLAMA),
    _dialect("models/([^/:]+):(?:generateContent|streamGenerateContent|countTokens)", _GEMINI,
             _gemini_error),
)  # fmt: skip
