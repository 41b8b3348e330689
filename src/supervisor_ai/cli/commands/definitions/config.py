"""`supervisor config`.

What `supervisor config show --origin --json` prints, by example:
{"values": [{"key": "limits.step_timeout", "path": ["limits", "step_timeout"], "value": "30m",
"origin": "project", "file": ".supervisor/config.yaml", "line": 4}]}
"""

import json
from collections.abc import Sequence
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import base_option, json_option
from supervisor_ai.cli.output import write, write_json
from supervisor_ai.cli.tables import columns
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.definitions import ConfigValue
from supervisor_ai.control.queries.configuration import config_tree, show_config


class _ShowOptions(TypedDict):
    key: str | None
    origin: bool
    base: str | None
    as_json: bool


@click.group(help="See the settings that hold, and which file says so")
def config() -> None:
    """See the settings that hold, and which file says so."""


@verb(example="supervisor config show limits --origin", group=config)
@click.argument("key", required=False)
@click.option("--origin", is_flag=True, help="Say which file and line each value comes from.")
@base_option
@json_option
@click.pass_obj
def show(invocation: Invocation, **options: Unpack[_ShowOptions]) -> int:
    """Show the effective configuration.

    That is what the package, your own config and the project's say together, as YAML; the
    project's is read from the commit. What looks like a secret is cut out. KEY, as in
    `limits.step_timeout`, shows what is there and below.
    """
    found = show_config(invocation.preflight(), options["key"], ref=options["base"])
    if options["as_json"]:
        write_json({"values": found} if options["origin"] else {"config": config_tree(found)})
    elif options["origin"]:
        write("\n".join(columns([("KEY", "FROM", "VALUE"), *map(_row, found)])))
    else:
        write(_yaml(found))
    return DONE


def _row(it: ConfigValue) -> tuple[str, str, str]:
    value = it.value if isinstance(it.value, str) else json.dumps(it.value, ensure_ascii=False)
    return (one_line(it.key), one_line(_place(it)), one_line(value))


def _place(it: ConfigValue) -> str:
    return it.origin if it.file is None else f"{it.file}:{it.line}"


def _yaml(values: Sequence[ConfigValue]) -> str:
    import yaml

    # Whatever a terminal could be tricked by is escaped: no other text leaves as it is.
    return yaml.safe_dump(config_tree(values), sort_keys=False, allow_unicode=False).rstrip()
