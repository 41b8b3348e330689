"""An assertion that gives way to a better one is no loss; one that gives way to less is."""

import pytest
from tests.unit.gates.integrity.python_findings import errors, examined

PATH = "tests/test_shop.py"
HEAD = "import pytest\nimport re\nimport time\nimport shop\nfrom shop import *\n\n"
CASES = "@pytest.mark.parametrize(('a', 'b'), [(1, 2), (2, 3), {row}])\ndef test_a(a, b):\n"


def rules(before: str, after: str) -> set[str]:
    return errors(*examined({PATH: HEAD + before}, {PATH: HEAD + after}))


def body(*lines: str, name: str = "test_a", given: str = "") -> str:
    return "\n".join([f"def {name}({given}):", *(f"    {line}" for line in lines), ""])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (body("names = tags('b a')", "assert len(names) >= 2", "assert names[0] == 'a'"),
         body("assert tags('b a') == ['a', 'b']")),
        (body("page = load('x')", "assert isinstance(page, Page)", "assert page.title == 'X'"),
         body("assert load('x') == Page(title='X')")),
        (body("assert load('x') == {'size': 3, 'kind': 'page'}"),
         body("page = load('x')", "assert page['size'] == 3", "assert page['kind'] == 'page'")),
        (body("bell = Mock()", "ring(bell, 'noon')", "bell.strike.assert_called_once_with('noon')"),
         body("bell = FakeBell()", "ring(bell, 'noon')", "assert bell.strikes == ['noon']")),
        (body("with pytest.raises(ValueError, match='empty'):", "    load('')"),
         body("with pytest.raises(ValueError) as caught:", "    load('')",
              "assert str(caught.value) == 'empty name'")),
        (body("door = open_door()", "assert door.closed.wait(2)"),
         body("door = open_door()", "assert door.closed.wait(timeout=9)")),
        (body("for attempt in range(5):", "    try:", "        assert knock() == 'who'",
              "        break",
              "    except AssertionError:", "        if attempt == 4:", "            raise"),
         body("assert knock() == 'who'")),
        (body("begun = time.monotonic()", "fetch()", "assert time.monotonic() - begun >= 3"),
         body("clock = FakeClock()", "fetch(clock)", "clock.advance(3)", "assert clock.now == 3")),
        (body("shelf = Shelf()", "assert shelf.count() == 0", "assert len(shelf) == 2"),
         body("assert box.count() == 0", "assert len(box) == 2", given="box")),
        (body("for book in shelf():", "    assert book.read == 1"),
         body("assert all(book.read == 1 for book in shelf())")),
        (body("assert rate('a') == 1") + body("assert rate('b')['eur'] == 2", name="test_b"),
         "@pytest.mark.parametrize(('a', 'b'), [('a', 1), ('b', {'eur': 2})])\n"
         + body("assert rate(a) == b", name="test_rates", given="a, b")),
        (body("page = asyncio.run(load('x'))", "assert page.size == 3"),
         "async " + body("page = await load('x')", "assert page.size == 3")),
    ],
)  # fmt: skip
def test_another_way_to_say_it_is_no_loss(before: str, after: str) -> None:
    assert rules(before, after) == set()


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (body("assert load('x') == {'size': 3, 'kind': 'page'}"),
         body("assert load('x')['size'] == 3"), "assertion_weakened"),
        (body("assert tags('a b') == ['a', 'b']"), body("assert tags('a b')[:1] == ['a']"),
         "assertion_weakened"),
        (body("assert cost() <= 10"), body("assert cost() <= 900"), "assertion_weakened"),
        (body("assert speed() > 50"), body("assert speed() > 0"), "assertion_weakened"),
        (body("assert load('x') == 3"), body("assert load('x') == mock.ANY"),
         "assertion_tautological"),
        (body("assert log() == [('x', 1)]"), body("assert log() == [('x', mock.ANY)]"),
         "assertion_weakened"),
        (body("assert env()['a'] == 'b'"), body("assert env().get('a', 'b') == 'b'"),
         "assertion_removed"),
        (body("assert tags('a') == ['a']"), body("assert all(tag == 'a' for tag in tags('a'))"),
         "assertion_removed"),
        (body("assert re.fullmatch('[a-f]+', key())"), body("assert re.match('.*', key())"),
         "assertion_tautological"),
        (body("for n in (1, 2):", "    assert load(n) == n"),
         body("for n in (1, 2):", "    assert load(n) == n", "    break"), "cases_removed"),
        (CASES.format(row="(3, 4)") + "    assert rate(a) == b\n",
         CASES.format(row="(2, 3)") + "    assert rate(a) == b\n", "cases_removed"),
        (body("page = load('x')", "assert page.size == 3"),
         body("try:", "    page = load('x')", "except Exception:", "    return",
              "assert page.size == 3"), "failure_swallowed"),
        (body("with pytest.raises(KeyError):", "    drop('x')", "assert size() == 3"),
         body("with pytest.raises(KeyError):", "    drop('x')", "    assert size() == 3"),
         "failure_swallowed"),
        (body("assert load('x') == 3"), body("yield", "assert load('x') == 3"), "test_skipped"),
        (body("assert load('x') == 3"), "async " + body("assert load('x') == 3"), "test_skipped"),
        (body("assert load('x') == 3"),
         "@pytest.fixture\ndef no():\n    pytest.skip('x')\n\n@pytest.mark.usefixtures('no')\n"
         + body("assert load('x') == 3"), "test_skipped"),
        (body("assert load('x') == 3"), "pytest.importorskip('nowhere')\n"
         + body("assert load('x') == 3"), "test_skipped"),
        (body("assert load('x') == 3"), "@pytest.mark.flaky(reruns=9)\n"
         + body("assert load('x') == 3"), "failure_retried"),
        (body("assert load('x') == 3"),
         "class Same:\n    def __eq__(self, other):\n        return True\n\n"
         + body("assert load('x') == Same()"), "assertion_tautological"),
        (body("assert shop.load('x') == 3"),
         "@pytest.fixture(autouse=True)\ndef quick(monkeypatch):\n"
         "    monkeypatch.setattr(shop, 'load', lambda name: 3)\n\n"
         + body("assert shop.load('x') == 3"), "subject_patched"),
        (body("shelf = Shelf()", "shelf.add('Emma')", "shelf.add('Dune')",
              "assert shelf.size == 2"),
         body("shelf = Shelf()", "shelf.add('Emma')", "assert shelf.size == 1"), "setup_reduced"),
        ("@pytest.fixture\ndef shelf():\n    shelf = Shelf()\n    shelf.add('Emma')\n"
         "    return shelf\n\n" + body("assert shelf.size == 1", given="shelf"),
         "@pytest.fixture\ndef shelf():\n    shelf = Shelf()\n    return shelf\n\n"
         + body("assert shelf.size == 0", given="shelf"), "setup_reduced"),
    ],
)  # fmt: skip
def test_less_in_the_place_of_more_is_found(before: str, after: str, rule: str) -> None:
    assert rule in rules(before, after)


CHECKS = "def assert_tidy(shelf):\n    assert shelf.is_sorted()\n    assert shelf.gaps == 0\n"
TIDY = "from tests.checks import assert_tidy\n\ndef test_a(shelf):\n    assert_tidy(shelf)\n"


def test_a_checker_of_another_file_can_be_put_where_it_is_used() -> None:
    inlined = "def test_a(shelf):\n    assert shelf.is_sorted()\n    assert shelf.gaps == 0\n"
    before = {PATH: TIDY, "tests/checks.py": CHECKS}
    assert errors(*examined(before, {PATH: inlined})) == set()
    half = inlined.replace("    assert shelf.gaps == 0\n", "")
    assert errors(*examined(before, {PATH: half})) == {"assertion_removed"}


@pytest.mark.parametrize(
    ("imported", "kept", "found"),
    [
        ("from shop import load", "    assert load('x') == 3\n", set()),
        ("from shop import load", "    load('y')\n    assert load('x') == 3\n", set()),
        ("from shop import load", "    assert load('x') == 4\n", {"test_deleted"}),
        ("from elsewhere import load", "    assert load('x') == 3\n", {"test_deleted"}),
        ("from shop import load\nimport pytest\n\n@pytest.mark.skip",
         "    assert load('x') == 3\n", {"test_deleted"}),
    ],
)  # fmt: skip
def test_a_deleted_test_may_have_a_twin_in_a_file_that_did_not_change(
    imported: str, kept: str, found: set[str]
) -> None:
    other = {"tests/test_other.py": f"{imported}\ndef test_kept():\n{kept}"}
    gone = "from shop import load\n\ndef test_gone():\n    assert load('x') == 3\n"
    rest = "from shop import load\n\ndef test_rest():\n    assert load('z') == 9\n"
    both = gone + rest.partition("\n")[2]
    assert errors(*examined(other | {PATH: both}, other | {PATH: rest})) == found
