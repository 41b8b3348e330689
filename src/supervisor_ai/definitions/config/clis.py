"""The agents that the config files configure: commands, scripted agents, models behind an API."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.definitions.config.merged import Choice, MergedConfig
from supervisor_ai.definitions.config.models import (
    MODEL_ROLES,
    ConfiguredModel,
    broker_to,
    hand_problem,
    model_for,
    model_names,
    pin_models,
)
from supervisor_ai.definitions.config.sandboxes import broker_of
from supervisor_ai.definitions.overlay.tree import ValueNode
from supervisor_ai.definitions.schema.config import CliShape
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown
from supervisor_ai.definitions.sources.slice_words import own_adapters
from supervisor_ai.definitions.sources.yaml_document import read_yaml
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.domain.structs import replace
from supervisor_ai.tools.json_value import BadJson, canonical_json, read_json

_NEEDS: Final = {"command": "command", "scripted": "script", "api": "model"}
"""What an adapter cannot do without."""


class ConfiguredCli(Struct, frozen=True, kw_only=True):
    """An agent, and where its adapter is named."""

    cli: Cli
    place: FilePlace
    model: str | None = None
    """Which of the user's models it works with; None: it has its own."""

    @property
    def has_tools(self) -> bool:
        """Tell whether it can change files."""
        return self.cli.adapter != "api"


def read_clis(
    config: MergedConfig, models: Mapping[str, ConfiguredModel], mistakes: FileMistakes
) -> dict[str, ConfiguredCli]:
    """Make the agents of what the files say, and note what they lack."""
    found = config.root.find("clis")
    nodes = found.entries if found is not None else {}
    clis: dict[str, ConfiguredCli] = {}
    for name, shape in config.shape.clis.items():
        node = nodes[name]
        _check(shape, node, mistakes)
        made = _cli(name, shape, node, mistakes)
        model = config.choice("clis", name, "model")
        if model is not None and shape.adapter == "api":
            made = _with_models(made, model, models, mistakes)
        elif model is not None:
            made = _with_hands(made, model, models, node, mistakes)
        wanted = model.name if model is not None else None
        clis[name] = ConfiguredCli(cli=made, place=node.place("adapter"), model=wanted)
    return {**dict(_of_models(models, mistakes)), **clis}


def _of_models(
    models: Mapping[str, ConfiguredModel], mistakes: FileMistakes
) -> Iterator[tuple[str, ConfiguredCli]]:
    """Make the agents that need no other word than the name of a model."""
    for name in MODEL_ROLES:
        model = model_for(name, models)
        if model is not None:
            chosen = Choice(name=model, place=models[model].place)
            made = _with_models(Cli(name=name, adapter="api"), chosen, models, mistakes)
            yield name, ConfiguredCli(cli=made, place=chosen.place)


def _cli(name: str, shape: CliShape, node: ValueNode, mistakes: FileMistakes) -> Cli:
    return Cli(
        name=name,
        adapter=shape.adapter,
        command=tuple(shape.command or ()),
        environment=dict(shape.env),
        script=None if shape.script is None else _script(shape.script, node, mistakes),
        egress=tuple(shape.egress),
        broker=None if shape.broker is None else broker_of(shape.broker),
    )


def _check(shape: CliShape, node: ValueNode, mistakes: FileMistakes) -> None:
    instead = own_adapters().get(shape.adapter)
    if instead is not None:
        mistakes.add(node.place("adapter"), f"is no agent to choose; {instead}")
    place, needed = node.at.place(), _NEEDS.get(shape.adapter)
    if needed and getattr(shape, needed) is None and not mistakes.any_below(place.file, place.key):
        problem = f"is missing; the adapter {shape.adapter!r} needs it"
        mistakes.add(node.place(needed), problem)


def _with_models(
    cli: Cli, chosen: Choice, models: Mapping[str, ConfiguredModel], mistakes: FileMistakes
) -> Cli:
    """Pin the models of an agent, which any file may have the last word on."""
    script = pin_models(chosen.name, chosen.place, models, mistakes)
    return replace(cli, script=script, models=model_names(chosen.name, models))


def _with_hands(
    cli: Cli,
    chosen: Choice,
    models: Mapping[str, ConfiguredModel],
    node: ValueNode,
    mistakes: FileMistakes,
) -> Cli:
    """Let an agent with tools work with a model of the user's, through a broker of ours."""
    if chosen.name not in models:
        mistakes.add(chosen.place, unknown("model", chosen.name, sorted(models)))
        return cli
    shape = models[chosen.name].shape
    if Origin.PROJECT in node.origins:
        problem = "gives a service of yours to an agent with tools; only your own config may"
        mistakes.add(chosen.place, problem)
        return cli
    if cli.broker is not None:
        mistakes.add(chosen.place, "is named beside `broker`, which says already where to ask")
        return cli
    if problem := hand_problem(cli.adapter, shape):
        mistakes.add(chosen.place, f"names {chosen.name!r}, but {problem}")
        return cli
    return replace(cli, broker=broker_to(cli.adapter, shape), models=(shape.model or "",))


def _script(path: str, cli: ValueNode, mistakes: FileMistakes) -> str | None:
    """Return what the script of a scripted agent says, or None with the mistake noted."""
    place, shelf = cli.place("script"), cli.at.shelf
    text = shelf.read_script(path, mistakes)
    if text is None:
        where = "in the commit" if shelf.origin is Origin.PROJECT else "there"
        mistakes.add(place, f"names {path!r}, but {where} is no such file")
        return None
    if path.endswith(".json"):
        try:
            return canonical_json(read_json(text))
        except BadJson as error:
            mistakes.add(place, f"names {path!r}, which is not valid JSON: {error}")
            return None
    file = path if shelf.origin is Origin.PROJECT else shelf.label(path)
    document = read_yaml(file, text, mistakes)
    return None if document is None else canonical_json(document.value)
