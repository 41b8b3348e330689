"""The scripts of scripted agents, pinned as canonical JSON."""

from supervisor_ai.definitions.overlay.layers import WrittenFile
from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.sources.yaml_document import read_yaml
from supervisor_ai.tools.json_value import BadJson, canonical_json, read_json


def read_script(
    config: WrittenFile[ConfigShape], cli: str, path: str, mistakes: FileMistakes
) -> str | None:
    """Return what the script of a CLI says, or None with the mistake noted."""
    place = config.place("clis", cli, "script")
    text = config.shelf.read_script(path, mistakes)
    if text is None:
        where = "in the commit" if config.origin is Origin.PROJECT else "there"
        mistakes.add(place, f"names {path!r}, but {where} is no such file")
        return None
    if path.endswith(".json"):
        try:
            return canonical_json(read_json(text))
        except BadJson as error:
            mistakes.add(place, f"names {path!r}, which is not valid JSON: {error}")
            return None
    file = path if config.origin is Origin.PROJECT else config.shelf.label(path)
    document = read_yaml(file, text, mistakes)
    return None if document is None else canonical_json(document.value)
