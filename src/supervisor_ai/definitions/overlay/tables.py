"""The rules by which definition files are merged: what replaces, merges, appends or is whole."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.definitions.overlay.tree import ANY, MergeRule, MergeTable
from supervisor_ai.definitions.sources.mistakes import KeyPath

_RETRIES: Final = ("retry_policies", ANY)
_USUAL: Final = ("retry_policies", "default")
SAME_MEANING: Final[Mapping[KeyPath, KeyPath]] = {
    ("limits", "retry_base_delay"): (*_USUAL, "initial_delay"),
    ("limits", "retry_max_delay"): (*_USUAL, "max_delay"),
    ("limits", "retry_exponential_base"): (*_USUAL, "multiplier"),
}
"""Keys of the config that have another one of the same meaning."""
CONFIG: Final = MergeTable(
    rules={
        # A project's command must not run with the user's environment.
        ("clis", ANY): MergeRule.WHOLE,
        ("trackers", ANY): MergeRule.WHOLE,
        ("workflow",): MergeRule.WHOLE,
        ("roles", ANY, "mcp_servers", ANY): MergeRule.WHOLE,
        ("prices", "families", ANY): MergeRule.WHOLE,
        # Levels of one policy are tried in an order; those of two do not fit together.
        ("approval_gates",): MergeRule.WHOLE,
        ("approval_facts", ANY): MergeRule.WHOLE,
        ("workspace", "cache"): MergeRule.WHOLE,
        ("sandbox", "ro_paths"): MergeRule.APPEND,
        ("sandbox", "caches"): MergeRule.APPEND,
        ("git", "protected_branches"): MergeRule.APPEND,
    },
    displaces={
        # A command that somebody else wrote must not run with an environment meant for mine,
        # and may write another report, or none.
        ("gates", ANY): {
            "command": frozenset({"env", "report"}),
            "policy": frozenset({"on_fail"}),
            "on_fail": frozenset({"policy"}),
        },
        ("workspace",): {"setup": frozenset({"egress", "cache"})},
    },
    same={
        **SAME_MEANING,
        ("limits", "retry_base_delay_seconds"): (*_USUAL, "initial_delay"),
        ("limits", "retry_max_delay_seconds"): (*_USUAL, "max_delay"),
        ("limits", "step_timeout_seconds"): ("limits", "step_timeout"),
        (*_RETRIES, "initial_delay_seconds"): (*_RETRIES, "initial_delay"),
        (*_RETRIES, "max_delay_seconds"): (*_RETRIES, "max_delay"),
        (*_RETRIES, "backoff_multiplier"): (*_RETRIES, "multiplier"),
    },
)
"""`config.yaml` and the files that hold one part of it: lists are replaced."""
ROLE: Final = MergeTable(
    rules={
        ("mcp_servers", ANY): MergeRule.WHOLE,
        ("flags",): MergeRule.REPLACE,
        ("system_prompt",): MergeRule.APPEND,
        ("instructions",): MergeRule.APPEND,
    },
    lists=MergeRule.APPEND,
    same={("system_prompt_additions",): ("system_prompt",)},
    texts=frozenset({("system_prompt",), ("instructions",)}),
    dropped=frozenset({("name",), ("extends",)}),
)
"""Role files: lists are those of the parent, then those of the child; prompts follow each other."""
