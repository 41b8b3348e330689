"""Choosing a packer and a counter."""

import asyncio
import base64
from pathlib import Path

import pytest
from tests.unit.context.memory_git import MemoryGit, packer, request

from supervisor_ai.context.exact_tokens import load_encoding
from supervisor_ai.context.pack_cache import PackCache
from supervisor_ai.context.packer_choice import (
    ChosenPacker,
    counting,
    estimating,
    learning,
    rules_version,
)
from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.run.context_plan import Source, SourceKind

ASKED = request(Source(kind=SourceKind.FILES, patterns=("*",)))


def unheard(model: str, prompt: str, tokens: int) -> None:
    raise AssertionError((model, prompt, tokens))


def test_the_plan_chooses_its_packer() -> None:
    native = packer(MemoryGit({"a.py": b"def f(): pass\n"}))
    assert "def f()" in asyncio.run(ChosenPacker({"native": native}, unheard).pack(ASKED)).text


def test_an_unknown_packer_is_named() -> None:
    with pytest.raises(InvalidInput, match="no packer 'native'") as caught:
        asyncio.run(ChosenPacker({"repomix": packer(MemoryGit({}))}, unheard).pack(ASKED))
    assert caught.value.hint == "There are: repomix."


def test_estimates_are_corrected_by_what_was_learnt(tmp_path: Path) -> None:
    cache = PackCache(tmp_path / "context.db", "1")
    cache.learn("gpt-5", estimated=100, reported=150)
    assert estimating(cache)("gpt-5").name == "estimate for o200k, corrected by 1.50"
    assert estimating(cache)("gpt-4o").name == "estimate for o200k"


def test_the_rules_have_a_version() -> None:
    assert len(rules_version()) == 64
    assert rules_version() == rules_version()


def test_a_vocabulary_on_this_machine_counts_exactly(tmp_path: Path) -> None:
    pytest.importorskip("tiktoken")
    words = [bytes([code]) for code in range(256)] + [b"ab", b"abc"]
    lines = [base64.b64encode(word) + b" %d" % rank for rank, word in enumerate(words)]
    vocabulary = tmp_path / "toy.tiktoken"
    vocabulary.write_bytes(b"\n".join(lines))
    counter = counting(vocabulary)("gpt-5")
    assert counter.measure("abc abx") == (4,)
    assert counter.tokens((100,)) == 102
    assert (counter.name, counter.unit) == ("exact, o200k", "o200k")
    other = counting(vocabulary)("claude-opus-5")
    assert other.name == "o200k times 1.64 for claude-4.7"
    assert other.tokens((100,)) == 181


def test_a_vocabulary_that_is_none_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("tiktoken")
    with pytest.raises(Unavailable, match="cannot be read"):
        load_encoding(tmp_path / "absent")
    broken = tmp_path / "broken"
    broken.write_bytes(b"no vocabulary at all\n")
    with pytest.raises(InvalidInput, match="is not a vocabulary"):
        load_encoding(broken)


def test_what_a_model_counted_corrects_the_estimate(tmp_path: Path) -> None:
    cache = PackCache(tmp_path / "context.db", "rules")
    chosen = ChosenPacker({}, learning(cache))
    prompt = "def hello(): return 'hi'\n" * 40
    before = estimating(cache)("claude-opus-4-7")
    wanted = 2 * before.tokens(before.measure(prompt))
    for _ in range(30):
        chosen.learn("claude-opus-4-7", prompt, wanted)
    after = estimating(cache)("claude-opus-4-7")
    assert after.tokens(after.measure(prompt)) > 1.6 * before.tokens(before.measure(prompt))
