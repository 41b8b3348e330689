"""The services of a compose file."""

from collections.abc import Iterator

from supervisor_ai.control.ports.project_survey import ManifestEvidence
from supervisor_ai.definitions.detection.facts import ProjectFact
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.sources.yaml_document import read_yaml


def compose(file: str, text: str) -> Iterator[ProjectFact]:
    """Find the images of a compose file's services."""
    try:
        # What is wrong in a file of the project is not ours to report.
        document = read_yaml(file, text, FileMistakes())
    except RecursionError:
        return
    if document is None or not isinstance(document.value, dict):
        return
    services = document.value.get("services")
    for name, service in services.items() if isinstance(services, dict) else ():
        image = service.get("image") if isinstance(service, dict) else None
        if isinstance(image, str):
            line = document.place("services", name, "image").line
            evidence = ManifestEvidence(file=file, line=line, key=f"services.{name}.image")
            yield ProjectFact(name=f"image:{_short(image)}", evidence=evidence)


def _short(image: str) -> str:
    """Return an image's own name, without its registry, its tag and its digest."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0]
