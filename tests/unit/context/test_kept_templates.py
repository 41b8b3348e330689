"""Templates that are kept as they were compiled."""

from pathlib import Path
from types import CodeType

import pytest
from jinja2 import Environment

from supervisor_ai.context.prompts.kept_templates import KeptTemplates


class Counting(Environment):
    """Counts what it has to compile."""

    count = 0

    def compile(self, source: str) -> CodeType:  # type: ignore[explicit-override, override]
        self.count += 1
        return super().compile(source)


def rendered(code: CodeType) -> str:
    environment = Environment(autoescape=True)
    return environment.template_class.from_code(environment, code, {}).render(it="x")


def test_a_template_is_compiled_once_and_is_the_same(tmp_path: Path) -> None:
    environment = Counting(autoescape=True)
    for _ in range(2):
        code = KeptTemplates(tmp_path).compiled("a {{ it }}", environment)
        assert rendered(code) == "a x"
    assert rendered(KeptTemplates(tmp_path).compiled("b", environment)) == "b"
    assert environment.count == 2


@pytest.mark.parametrize("left", [0, 3, 20, 60])
def test_what_is_damaged_counts_as_nothing(tmp_path: Path, left: int) -> None:
    environment = Counting(autoescape=True)
    KeptTemplates(tmp_path).compiled("a", environment)
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:left])
    assert rendered(KeptTemplates(tmp_path).compiled("a", environment)) == "a"
    assert environment.count == 2


def test_no_more_are_kept_than_are_worth_it(tmp_path: Path) -> None:
    for number in range(70):
        KeptTemplates(tmp_path).compiled(str(number), Environment(autoescape=True))
    assert len(list(tmp_path.iterdir())) <= 64


def test_where_nothing_can_be_kept_it_is_compiled_each_time(tmp_path: Path) -> None:
    environment = Counting(autoescape=True)
    for _ in range(2):
        assert rendered(KeptTemplates(tmp_path / "gone").compiled("a", environment)) == "a"
    assert environment.count == 2
