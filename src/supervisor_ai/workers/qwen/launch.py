"""How Qwen Code, which was made from Gemini CLI, is started."""

from typing import Final

from supervisor_ai.domain.run.definition import Broker
from supervisor_ai.workers.gemini.launch import TELLS, TOOLS, only_tools, server_entry
from supervisor_ai.workers.launch.means import (
    model_flag,
    own_names,
    prompt_file,
    server_settings,
    turns_flag,
)
from supervisor_ai.workers.launch.order import LaunchOrder
from supervisor_ai.workers.launch.profile import Addition, Aspect, LaunchProfile, Means

_TOOLS: Final = {
    **TOOLS,
    "edit_file": ("edit",),
    "web_search": ("web_search",),
}


def _tools(order: LaunchOrder) -> Addition:
    return only_tools(own_names(_TOOLS, order.allowed_tools))


QWEN: Final = LaunchProfile(
    adapter="qwen",
    program="qwen",
    words=("--auth-type", "openai", "--approval-mode", "yolo"),
    stream=("-o", "stream-json"),
    settings_file=".qwen/settings.json",
    settings={
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False},
        "advanced": {"ignoreLocalEnv": True},
        # Else every one of its further requests is repeated thrice.
        "model": {"generationConfig": {"maxRetries": 0}},
        # Else a second agent, with all tools, writes memories that nobody keeps.
        "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    },
    covers=(".qwen",),
    retries="`generationConfig.maxRetries` is 0, but 6 repeats of an outage or a limit remain",
    tells=TELLS,
    means={
        Aspect.MODEL: model_flag("-m", otherwise="qwen3-coder-plus"),
        Aspect.TOOLS: Means(how="`tools.core` in its settings", tell=_tools),
        Aspect.SYSTEM_PROMPT: prompt_file(".qwen/QWEN.md"),
        Aspect.MCP: server_settings("mcpServers", server_entry),
        Aspect.MAX_TURNS: turns_flag("--max-session-turns"),
    },
    broker=Broker(
        # The variable is the whole base of its paths, so the version stands upstream.
        upstream="https://api.openai.com/v1",
        paths=("POST /chat/completions",),
        base_url="OPENAI_BASE_URL",
        header="authorization: Bearer ${OPENAI_API_KEY}",
        placeholder="OPENAI_API_KEY",
    ),
    no_login="it is started with keys only",
)
