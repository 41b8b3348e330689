"""A template can be made to take for ever, and is stopped before it does."""

import tracemalloc

import pytest
from jinja2.exceptions import TemplateError

from supervisor_ai.tools.templates import (
    MOST_WORK,
    BoundedEnvironment,
    TooMuchWorkError,
    line_of,
    plain_environment,
    refused,
)

TEXT = "x" * 100_000
HOSTILE = {
    "nested loops": "{% for a in text %}{% for b in text %}{% endfor %}{% endfor %}",
    "a text times a number": "{{ text * 1000000000 }}",
    "a list times a number": "{{ [1] * 1000000000 }}",
    "a high power": "{{ 9 ** 9 ** 9 }}",
    "a number of many digits": "{% set a = 9999999999999 * 9999999999999 %}",
    "a format": "{{ '%1000000000d' % 1 }}",
    "texts put together": "{{ " + "text ~ " * 500 + "text }}",
    "texts added": "{{ " + "text + " * 500 + "text }}",
    "doubled": "{% set a = text ~ text %}"
    + "".join(f"{{% set a{n} = a ~ a ~ a ~ a %}}" for n in range(40)),
    "a long separator": "{{ text | join(text) }}",
    "sorted again and again": "{{ text" + " | list" * 500 + " }}",
    "methods": "{% for a in text %}{% set b = text.upper() %}{% endfor %}",
    "padding": "{{ 'a'.ljust(1000000000) }}",
    "formatting": "{{ '{:1000000000}'.format(1) }}",
    "centred": "{{ 'a' | center(1000000000) }}",
    "a macro that calls itself": "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
    "a block that is kept": "{% set a %}{% for b in text %}{{ text }}{% endfor %}{% endset %}",
    "a filtered block": "{% filter upper %}{{ text }}{% endfilter %}",
    "a loop that calls itself": "{% for a in [[1]] recursive %}{{ loop([a]) }}{% endfor %}",
    "attributes": "{{ text.__class__.__mro__ }}",
}


def rendered(template: str) -> str:
    environment = BoundedEnvironment({"fenced": str})
    return "".join(environment.template(template).generate(text=TEXT, names=["a", "b"]))


@pytest.mark.parametrize("kind", HOSTILE)
def test_work_is_bounded(kind: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises((TemplateError, RecursionError)):
            rendered(HOSTILE[kind])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 60_000_000


def test_the_line_is_told() -> None:
    with pytest.raises(TooMuchWorkError) as error:
        rendered("a\n\n{{ text * 2 }}\n")
    assert line_of(error.value) == 3
    tree = plain_environment({}).parse("a\n{% macro f() %}{% endmacro %}\n{{ a | center(9) }}")
    assert [line for line, _ in refused(tree)] == [2, 3]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{% for a in names %}{{ loop.index }}{{ a }}{% endfor %}", "1a2b"),
        ("{{ names | join(', ') }}", "a, b"),
        ("{{ 1 + 2 }} {{ 6 * 7 }} {{ 7 % 4 }} {{ 2 ** 3 }}", "3 42 3 8"),
        ("{{ 'a' ~ 1 ~ names[0] }}{{ 'b' + 'c' }}", "a1abc"),
        ("{{ text | length }} {{ names | first | upper }}", "100000 A"),
        ("{{ ' x '.strip() }}{{ names | fenced }}", "x['a', 'b']"),
        ("{% set n = names | length %}{{ n if n > 1 else 'none' }}", "2"),
    ],
)
def test_ordinary_templates_are_rendered(template: str, text: str) -> None:
    assert rendered(template) == text


def test_a_template_is_compiled_once_and_each_rendering_has_its_own_bound() -> None:
    text = "{% for a in names %}{{ text }}{% endfor %}"
    first, second = (BoundedEnvironment({}).template(text) for _ in range(2))
    assert first.root_render_func.__code__ is second.root_render_func.__code__
    names = ["a"] * (MOST_WORK // 100 - 1)
    for template in (first, second):
        assert "".join(template.generate(text="", names=names)) == ""
        with pytest.raises(TooMuchWorkError):
            "".join(template.generate(text="", names=names))


def test_what_a_filter_makes_of_a_constant_is_not_taken_from_another_one() -> None:
    rendered = [
        BoundedEnvironment({"fenced": lambda _, word=word: word}).template("{{ 'a' | fenced }}")
        for word in ("one", "two")
    ]
    assert [template.render() for template in rendered] == ["one", "two"]
