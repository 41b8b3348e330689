import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.kanban.board.bounds import (
    ALL_BYTES,
    FILE_BYTES,
    MOST_FILES,
    check_sizes,
    is_markdown,
)


def test_what_a_kanban_can_have_is_read() -> None:
    check_sizes({})
    check_sizes({f"{number}.md": 1 for number in range(MOST_FILES)})
    check_sizes({f"{number}.md": FILE_BYTES for number in range(ALL_BYTES // FILE_BYTES)})


@pytest.mark.parametrize(
    ("sizes", "named"),
    [
        ({f"{number}.md": 1 for number in range(MOST_FILES + 1)}, "1001 markdown files"),
        ({"1-a.md": 1, "2-b.md": FILE_BYTES + 1}, "'2-b.md' has more than 1048576 bytes"),
        ({f"{number}.md": FILE_BYTES for number in range(65)}, "68157440 bytes"),
        ({"1-\udcff.md": 1}, "not UTF-8"),
    ],
)
def test_more_is_refused_with_a_sentence(sizes: dict[str, int], named: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_sizes(sizes)
    assert named in refused.value.message
    assert refused.value.message.endswith(".")


def test_markdown_is_known_by_its_name() -> None:
    assert is_markdown("1-a.md")
    assert not is_markdown("1-a.md.tmp")
    assert not is_markdown("notes.txt")
