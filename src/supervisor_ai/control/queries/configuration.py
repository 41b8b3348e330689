"""The effective configuration for faces: every value, where it comes from, without secrets."""

from collections.abc import Mapping, Sequence

from supervisor_ai.control.ports.definitions import ConfigValue
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.redaction import Redactor


def show_config(
    preflight: Preflight, key: str | None = None, *, ref: str | None = None
) -> tuple[ConfigValue, ...]:
    """List the values that hold, each with its file and line; what looks like a secret is cut.

    With a key it is those of the key and below.
    """
    values = preflight.catalog.config(preflight.repository.resolve(ref).sha)
    found = [it for it in values if key is None or f"{it.key}.".startswith((f"{key}.", f"{key}["))]
    if not found:
        top = ", ".join(dict.fromkeys(str(it.path[0]) for it in values))
        raise NotFound(f"Nothing is configured at {key!r}.", hint=f"There are: {top}.")
    return tuple(
        replace(it, value=_redacted(str(it.path[-1]), it.value, preflight.redactor)) for it in found
    )


def config_tree(values: Sequence[ConfigValue]) -> dict[str, object]:
    """Put values together again as one config file would say them."""
    tree: dict[str, object] = {}
    for it in values:
        keys = [str(key) for key in it.path if isinstance(key, str)]
        holder = tree
        for key in keys[:-1]:
            inner = holder.setdefault(key, {})
            holder = inner if isinstance(inner, dict) else {}
        if len(keys) == len(it.path):
            holder[keys[-1]] = it.value
        else:
            listed = holder.setdefault(keys[-1], [])
            if isinstance(listed, list):
                listed.append(it.value)
    return tree


def _redacted(key: str, value: object, redactor: Redactor) -> object:
    """Cut secrets out of texts; what a key is called tells some of them."""
    if isinstance(value, Mapping):
        return {name: _redacted(str(name), it, redactor) for name, it in value.items()}
    if isinstance(value, list):
        return [_redacted(key, it, redactor) for it in value]
    if not isinstance(value, str):
        return value
    start = f"{key}: "
    named = redactor.redact(f"{start}{value}").text
    return named.removeprefix(start) if named.startswith(start) else redactor.redact(value).text
