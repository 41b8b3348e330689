"""The models behind an API: the user names services and keys, a project chooses among them."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from supervisor_ai.definitions.config.merged import MergedConfig
from supervisor_ai.definitions.overlay.tree import ValueNode
from supervisor_ai.definitions.schema import hosts
from supervisor_ai.definitions.schema.models import ModelShape
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown
from supervisor_ai.domain.run.definition import Broker
from supervisor_ai.domain.run.spending.model_services import SERVICES
from supervisor_ai.tools.json_value import canonical_json

PRIMARY: Final = "primary"
MODEL_ROLES: Final = (PRIMARY, "supervisor", "summarizer", "research")
"""The models that are agents by their names alone."""
_NEEDED: Final = ("provider", "model")
_NEEDS_KEY: Final = frozenset({"anthropic", "openrouter"})


_OPENAI: Final = ("openai_compatible", "openrouter", "ollama")


class Hands(Struct, frozen=True, kw_only=True):
    """An agent with tools that can be given a model of the user's."""

    providers: tuple[str, ...]
    """Whose languages it speaks."""
    version: str = ""
    """What it adds to the address of the service by itself."""


HANDS: Final = {
    "claude": Hands(providers=("anthropic",)),
    "opencode": Hands(providers=_OPENAI, version="/v1"),
    "qwen": Hands(providers=_OPENAI),
}
"""By adapter."""


class ConfiguredModel(Struct, frozen=True, kw_only=True):
    """A model as far as the files describe it, and where they do."""

    place: FilePlace
    shape: ModelShape

    def pinned(self, name: str) -> dict[str, object]:
        """Say what a run pins; the variable of the key, never the key."""
        written = self.shape.model_dump(exclude_none=True, exclude={"fallback"})
        if isinstance(timeout := written.get("timeout"), timedelta):
            written["timeout"] = timeout.total_seconds()
        return {"name": name, **written}


Models = Mapping[str, ConfiguredModel]


def read_models(config: MergedConfig, mistakes: FileMistakes) -> dict[str, ConfiguredModel]:
    """Make the models of what the files say together, and note what they lack."""
    found = config.root.find("models")
    nodes = found.entries if found is not None else {}
    known = sorted(name for name, node in nodes.items() if node.origins != {Origin.PROJECT})
    models: dict[str, ConfiguredModel] = {}
    for name, shape in config.shape.models.items():
        place = nodes[name].at.place()
        is_damaged = mistakes.any_below(place.file, place.key)
        if name in known:
            models[name] = ConfiguredModel(place=place, shape=shape)
        elif not is_damaged:
            problem = unknown("model", name, known)
            mistakes.add(place, f"{problem}; only your own config may add one")
        if name in known and not is_damaged:
            _check_service(models[name], nodes[name], mistakes)
    return models


def check_fallbacks(models: Models, mistakes: FileMistakes) -> None:
    """Note stand-ins that nobody knows."""
    known = sorted(models)
    for configured in models.values():
        for name in configured.shape.fallback or ():
            if name not in models:
                mistakes.add(_fallback_place(configured), unknown("model", name, known))


def pin_models(name: str, place: FilePlace, models: Models, mistakes: FileMistakes) -> str | None:
    """Write down the model that a CLI names and all that stand in for it, in their order."""
    if name not in models:
        mistakes.add(place, unknown("model", name, sorted(models)))
        return None
    return canonical_json([models[link].pinned(link) for link in _chain(name, models)])


def model_names(name: str, models: Models) -> tuple[str, ...]:
    """Name the models themselves that may answer, as their services call them."""
    shapes = (models[link].shape for link in _chain(name, models))
    return tuple(shape.model for shape in shapes if shape.model is not None)


def model_for(name: str, models: Models) -> str | None:
    """Find who plays the part of a model that is an agent by its name: it, or the primary one."""
    return next((it for it in (name, PRIMARY) if it in models), None)


def hand_problem(adapter: str, shape: ModelShape) -> str:
    """Say why an agent cannot work with a model; nothing: it can."""
    hands = HANDS.get(adapter)
    if hands is None:
        able = ", ".join(f"{name} ({', '.join(it.providers)})" for name, it in HANDS.items())
        return f"the adapter {adapter!r} takes no model of yours; these do: {able}"
    if shape.provider not in hands.providers:
        return (
            f"the adapter {adapter!r} does not speak as {shape.provider!r} does, but as "
            f"{', '.join(hands.providers)}"
        )
    if not _service(shape).endswith(hands.version):
        return (
            f"the adapter {adapter!r} asks below {hands.version!r}, with which `base_url` has to "
            "end; the adapter 'qwen' takes any"
        )
    return ""


def broker_to(adapter: str, shape: ModelShape) -> Broker:
    """Make the way of an agent to a model; which paths it asks, the agent itself knows."""
    service = _service(shape)
    key = f"Bearer {shape.key}" if shape.key else "Bearer none"
    header = f"x-api-key: {shape.key}" if shape.provider == "anthropic" else f"authorization: {key}"
    return Broker(
        upstream=service.removesuffix(HANDS[adapter].version),
        paths=(),
        base_url="",
        header=header,
        is_local=hosts.is_local(service),
    )


def _service(shape: ModelShape) -> str:
    """Return the address below which chats are asked for."""
    url = shape.base_url or SERVICES[shape.provider or "openai_compatible"]
    # Its own paths are of its own kind; those that others understand stand beside them.
    return f"{url}/v1" if shape.provider == "ollama" else url


def _chain(name: str, models: Models) -> list[str]:
    """Follow the stand-ins, each before those of the next; who comes twice is asked once."""
    chain: list[str] = []
    waiting = [name]
    while waiting:
        link = waiting.pop(0)
        if link in models and link not in chain:
            chain.append(link)
            waiting = [*(models[link].shape.fallback or ()), *waiting]
    return chain


def _check_service(model: ConfiguredModel, node: ValueNode, mistakes: FileMistakes) -> None:
    shape = model.shape
    for key in _NEEDED:
        if getattr(shape, key) is None:
            mistakes.add(node.at.place(key), "is missing")
    if shape.provider in _NEEDS_KEY and shape.key is None:
        problem = f"is missing; the provider {shape.provider!r} needs it"
        mistakes.add(node.at.place("key"), problem)
    if shape.base_url is not None and not _is_safe(shape.base_url, shape):
        problem = "is not https; say plain_http: true if everybody on the way may read along"
        mistakes.add(node.place("base_url"), problem)


def _is_safe(url: str, shape: ModelShape) -> bool:
    return urlsplit(url).scheme == "https" or hosts.is_local(url) or shape.plain_http is True


def _fallback_place(configured: ConfiguredModel) -> FilePlace:
    place = configured.place
    return FilePlace(file=place.file, line=place.line, key=f"{place.key}.fallback")
