"""What each adapter can do, in words for the matrix of the documents."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from supervisor_ai.workers.agents import PROFILES
from supervisor_ai.workers.environment import DOOR
from supervisor_ai.workers.launch.profile import Aspect, LaunchProfile, Telling

YES: Final = "yes"
NO: Final = "no"


class Capability(StrEnum):
    """A row of the matrix."""

    PROMPT = "prompt"
    STREAM = "streaming format"
    MODEL = "model"
    TOOLS = "tools of the role"
    SYSTEM_PROMPT = "system prompt"
    MCP = "MCP servers"
    MAX_TURNS = "most turns"
    FLAGS = "flags of the role"
    SESSION = "session is told"
    MODEL_TOLD = "model is told"
    USAGE = "usage is told"
    COST = "cost is told"
    RESET = "end of a usage limit"
    RETRIES = "its own repeats are turned down"
    SETTINGS = "settings of the repository are off"
    BROKER = "way to the model"
    LOGIN = "subscription"


_ORDERED: Final = {
    Capability.MODEL: Aspect.MODEL,
    Capability.TOOLS: Aspect.TOOLS,
    Capability.SYSTEM_PROMPT: Aspect.SYSTEM_PROMPT,
    Capability.MCP: Aspect.MCP,
    Capability.MAX_TURNS: Aspect.MAX_TURNS,
}
_TOLD: Final = {
    Capability.SESSION: Telling.SESSION,
    Capability.MODEL_TOLD: Telling.MODEL,
    Capability.USAGE: Telling.USAGE,
    Capability.COST: Telling.COST,
}
_RESET: Final = "in its message, or in headers that the broker sees"
_PROGRAM: Final = {
    Capability.PROMPT: "on stdin, closed",
    Capability.STREAM: "none: its output is the answer",
    Capability.MODEL: "no; it is what the command starts",
    Capability.TOOLS: "no; the sandbox bounds it",
    Capability.SYSTEM_PROMPT: NO,
    Capability.MCP: NO,
    Capability.MAX_TURNS: "no; time and tokens bound it",
    Capability.FLAGS: "refused: they belong into its command",
    Capability.SESSION: NO,
    Capability.MODEL_TOLD: NO,
    Capability.USAGE: "what the broker sees",
    Capability.COST: NO,
    Capability.RESET: NO,
    Capability.RETRIES: "no; that is up to the command",
    Capability.SETTINGS: "no; that is up to the command",
    Capability.BROKER: "`broker` of its CLI, if it has one",
    Capability.LOGIN: NO,
}
OTHERS: Final[Mapping[str, Mapping[Capability, str]]] = {
    "api": {
        Capability.PROMPT: "as a message",
        Capability.STREAM: "the API's own",
        Capability.MODEL: "`models` of the configuration",
        Capability.TOOLS: "has none",
        Capability.SYSTEM_PROMPT: "part of the system message",
        Capability.MCP: NO,
        Capability.MAX_TURNS: "always one",
        Capability.FLAGS: "refused: no CLI is started",
        Capability.SESSION: YES,
        Capability.MODEL_TOLD: YES,
        Capability.USAGE: YES,
        Capability.COST: "by OpenRouter",
        Capability.RESET: "in headers and messages",
        Capability.RETRIES: "it has none but for a connection that ends before the first byte",
        Capability.SETTINGS: "reads no file",
        Capability.BROKER: "`models` of the configuration: no process, hence no broker",
        Capability.LOGIN: NO,
    },
    "command": _PROGRAM,
    "scripted": {
        **_PROGRAM,
        Capability.PROMPT: "on stdin, after the script",
        Capability.MODEL: "has none",
        Capability.TOOLS: "has none",
        Capability.MAX_TURNS: "always one",
        Capability.RETRIES: "has none",
        Capability.SETTINGS: "reads no file",
        Capability.BROKER: "needs none",
    },
}
"""The adapters that start no CLI of a vendor's."""


def capabilities() -> Mapping[str, Mapping[Capability, str]]:
    """Tell of every adapter of ours what it can do."""
    return {**{name: _of(profile) for name, profile in PROFILES.items()}, **OTHERS}


def _of(profile: LaunchProfile) -> Mapping[Capability, str]:
    told = {row: YES if it in profile.tells else NO for row, it in _TOLD.items()}
    return {
        Capability.PROMPT: "on stdin, closed",
        Capability.STREAM: _code(*profile.stream),
        **{row: profile.means[aspect].how for row, aspect in _ORDERED.items()},
        Capability.FLAGS: "after our own",
        **told,
        Capability.RESET: _RESET,
        Capability.RETRIES: profile.retries,
        Capability.SETTINGS: _settings(profile),
        Capability.BROKER: _broker(profile),
        Capability.LOGIN: _code("supervisor login", profile.adapter) if profile.login else NO,
    }


def _settings(profile: LaunchProfile) -> str:
    said = [_code(*profile.shields)] if profile.shields else []
    covered = [f"covered: {', '.join(map(_code, profile.covers))}"] if profile.covers else []
    return "; ".join((*said, *covered))


def _broker(profile: LaunchProfile) -> str:
    if profile.broker is None:
        return NO
    is_fixed = any(DOOR in text for text in (*profile.words, json.dumps(profile.settings)))
    return "always the broker" if is_fixed else _code(profile.broker.base_url)


def _code(*words: str) -> str:
    return f"`{' '.join(words)}`"
