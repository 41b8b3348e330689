"""What the project knows, on the screen: what waits for a person, and the person's word."""

from tests.integration.tui.scene import on, press, screen_text, view_text
from tests.integration.tui.shop import Shop
from tests.support.knowledge_office import office
from textual.pilot import Pilot

from supervisor_ai.control.dashboard.knowledge import show_document
from supervisor_ai.domain.knowledge.documents import KnowledgeStatus
from supervisor_ai.tui.screens.board import BoardScreen
from supervisor_ai.tui.screens.knowledge import KnowledgeScreen


def test_a_person_says_whether_a_document_holds(shop: Shop) -> None:
    shop.office = office()

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "w")
        assert on(pilot, KnowledgeScreen)
        rows = view_text(pilot, "knowledge")
        assert rows[0].startswith("─ Waiting for you (3)")
        assert "? Orders" in rows[1]
        assert any("Orders stay." in row for row in rows)
        assert any("whoever wrote it wants a person to look at it" in row for row in rows)
        await press(pilot, "p")
        assert "docs/knowledge/domain/orders.md: written" in "\n".join(screen_text(pilot))
        assert view_text(pilot, "knowledge")[0].startswith("─ Waiting for you (2)")
        await press(pilot, "home", "x")
        await pilot.resize_terminal(40, 24)
        await pilot.pause()
        assert view_text(pilot, "knowledge")[0].startswith("─ Waiting for you (1)")
        await press(pilot, "escape")
        assert on(pilot, BoardScreen)

    shop.play(story)
    assert show_document(shop.office, "orders").status is KnowledgeStatus.ESTABLISHED
    assert show_document(shop.office, "names").status is KnowledgeStatus.DEPRECATED


def test_an_empty_store_says_how_to_begin(shop: Shop) -> None:
    shop.office = office({})

    async def story(pilot: Pilot[None]) -> None:
        await press(pilot, "w")
        assert "There is no document yet." in "\n".join(view_text(pilot, "knowledge"))
        await press(pilot, "p")
        assert on(pilot, KnowledgeScreen)

    shop.play(story)
