"""What every store of artifacts must do, as tests that a subclass for pytest runs.

The subclass gives each test its `artifacts`, as an autouse fixture does.
"""
# ruff: noqa: D102, S101 - a test's name is its sentence; it asserts

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.engine.ports.artifacts import Artifacts
from supervisor_ai.testing.ledger_harness import refused


class ArtifactsSuite:
    """The store of large things."""

    artifacts: Artifacts

    def test_a_text_is_found_by_its_name(self) -> None:
        for text in ("", "one", "zwei\r\nLinien\n", "\u2603 \U0001f600 \x00"):
            assert self.artifacts.get(self.artifacts.put(text)) == text

    def test_the_name_is_the_hash_of_the_content(self) -> None:
        expected = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        assert self.artifacts.put("hello") == expected
        assert self.artifacts.put("hello") == expected

    def test_many_texts_are_kept_as_each_of_them_would_be(self) -> None:
        before = self.artifacts.put("one")
        names = self.artifacts.put_all(["one", "two", "", "two", "a\ud800b"])
        assert [self.artifacts.get(name) for name in names] == [
            "one",
            "two",
            "",
            "two",
            "a\\ud800b",
        ]
        assert names == (before, *map(self.artifacts.put, ["two", "", "two", "a\ud800b"]))
        assert self.artifacts.put_all([]) == ()

    def test_what_was_erased_stays_so_among_many(self) -> None:
        artifact = self.artifacts.put("secret")
        self.artifacts.erase(artifact)
        assert self.artifacts.put_all(["plain", "secret"])[1] == artifact
        with refused(NotFound, "was erased"):
            self.artifacts.get(artifact)

    def test_a_lone_surrogate_is_written_visibly(self) -> None:
        assert self.artifacts.get(self.artifacts.put("a\ud800b")) == "a\\ud800b"

    def test_pieces_make_the_same_artifact_as_the_whole(self) -> None:
        writer = self.artifacts.writer()
        for piece in ("he", "", "llo"):
            writer.write(piece)
        artifact = writer.finish()
        writer.abandon()
        assert artifact == self.artifacts.put("hello")
        assert self.artifacts.get(artifact) == "hello"

    def test_what_is_abandoned_was_never_there(self) -> None:
        kept = self.artifacts.put("kept")
        writer = self.artifacts.writer()
        writer.write("hello")
        writer.abandon()
        writer.abandon()
        with refused(NotFound, "There is no artifact"):
            name = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
            self.artifacts.get(ArtifactHash(name))
        assert self.artifacts.get(kept) == "kept"

    def test_an_unknown_name_is_refused(self) -> None:
        for name in ("0" * 64, "../../etc/passwd", "", "ABC"):
            with refused(NotFound, "There is no artifact", repr(name)):
                self.artifacts.get(ArtifactHash(name))
            with refused(NotFound, "There is no artifact", repr(name)):
                self.artifacts.erase(ArtifactHash(name))

    def test_an_erased_text_is_gone_and_stays_gone(self) -> None:
        artifact = self.artifacts.put("secret")
        self.artifacts.erase(artifact)
        self.artifacts.erase(artifact)
        with refused(NotFound, "was erased"):
            self.artifacts.get(artifact)
        assert self.artifacts.put("secret") == artifact
        with refused(NotFound, "was erased"):
            self.artifacts.get(artifact)
