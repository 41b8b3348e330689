"""A round of checks: results, questions, findings, and what a worker is told of older artifacts."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.drivers.checkpoint.session import (
    NOW,
    SCOPES,
    TEXTS,
    checks_of,
    loaded,
    material,
    message,
    result,
)

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.checks.catalogue import CATALOGUE, spec_of
from supervisor_ai.drivers.checkpoint.checks.judgement import exists, weigh
from supervisor_ai.drivers.checkpoint.checks.model import (
    CheckGroup,
    CheckMaterial,
    CheckSpec,
    Kept,
    RoleState,
)
from supervisor_ai.drivers.checkpoint.checks.rounds import (
    findings,
    kept_lines,
    needed,
    run_checks,
)
from supervisor_ai.drivers.checkpoint.facts.reader import read_artifact
from supervisor_ai.drivers.checkpoint.performers.brief import write_brief
from supervisor_ai.drivers.checkpoint.score import CheckVerdict


@pytest.mark.parametrize("checkpoint", SCOPES)
def test_the_shop_passes_what_the_text_decides(checkpoint: str) -> None:
    made = run_checks(material(TEXTS, checkpoint), checks_of(checkpoint))
    assert {it.verdict for it in made.results} == {CheckVerdict.PASS, CheckVerdict.UNDECIDED}
    asked = {
        "CHECKPOINT-001": ["requirements_in_scope", "decisions_agree"],
        "CHECKPOINT-002": ["decision_chain"],
        "CHECKPOINT-003": ["execution_method"],
    }
    assert [it.check for it in made.questions] == asked[checkpoint]
    assert set(made.facts) == set(TEXTS)


def test_with_nothing_at_all_nothing_is_decided_but_that_it_is_missing() -> None:
    nothing = CheckMaterial(checkpoint="CHECKPOINT-001", scope=("DRAFT-001",), now=NOW)
    specs = [spec_of(it.rule) for it in CATALOGUE.values() if it.checkpoints]
    made = run_checks(nothing, specs)
    assert not made.questions
    fine = {it.check for it in made.results if it.verdict is CheckVerdict.PASS}
    assert fine == {"open_questions"}
    (gap,) = (it for it in made.results if it.verdict is CheckVerdict.WARN)
    assert (gap.check, gap.blocks) == ("artifacts_exist", True)


def test_without_a_worker_a_judgement_is_undecided() -> None:
    made = run_checks(material(), checks_of("CHECKPOINT-001"))
    found = weigh(made.questions, None, TEXTS)
    assert {it.verdict for it in found.results} == {CheckVerdict.UNDECIDED}
    assert {it.note for it in found.results} == {"no worker to judge it"}
    failed = weigh(made.questions, None, TEXTS, "Its answer had no form.")
    assert {it.note for it in failed.results} == {"nobody judged it: Its answer had no form."}


def test_findings_say_what_is_wrong_first_and_else_what_is_fine() -> None:
    fine = [result(rule, material()) for rule in ("terminology", "artifacts_exist")]
    assert findings(fine) == ("Terminology aligned", "all artifacts present")
    warned = replace(fine[0], verdict=CheckVerdict.WARN, note="x")
    failed = replace(fine[1], verdict=CheckVerdict.FAIL, note="")
    own = replace(fine[0], check="mine")
    assert findings([own, warned, failed]) == (
        "The artifacts of the scope are there",
        "The same concept has the same term: x",
        "The same concept has the same term",
    )
    unknown = replace(fine[0], verdict=CheckVerdict.UNDECIDED, note="nobody")
    silent = replace(unknown, group=CheckGroup.HEALTH)
    assert findings([silent, fine[1], unknown])[0].endswith("term: nobody")
    assert findings([silent, fine[1]])[0] == "All artifacts present"
    assert findings([result("artifact_exists", material(), path="spec/plan.md")]) == (
        "An artifact is there",
    )


def test_what_is_known_of_older_artifacts_is_told_in_lines() -> None:
    older = {path: read_artifact(path, text) for path, text in TEXTS.items()}
    lines = kept_lines(older)
    assert "spec/product-brief.md:12: goal G-1: A customer pays within a minute" in lines
    assert "spec/product-brief.md:22: term: Customer" in lines
    assert "spec/requirements.md:12: open question: Which font? (minor)" in lines
    assert any(line.startswith("spec/plan.md:13: task TASK-1: ") for line in lines)
    assert sum(map(len, lines)) < sum(map(len, TEXTS.values()))
    assert "spec/plan.md:3: complexity: medium" in lines
    assert "spec/plan.md:7: module: checkout" in lines
    plain = kept_lines({"a.md": read_artifact("a.md", "## Goals\n- Pay\n")})
    assert plain == ("a.md:2: goal: Pay",)


def test_a_worker_is_told_what_its_questions_need_and_no_more() -> None:
    older = {path: read_artifact(path, text) for path, text in TEXTS.items()}
    asked = run_checks(material(TEXTS, "CHECKPOINT-003"), checks_of("CHECKPOINT-003")).questions
    assert needed(asked) == {Kept.TASKS, Kept.MODULES, Kept.COMPLEXITY}
    told = kept_lines(older, needed(asked))
    assert {line.partition(":")[0] for line in told} == {"spec/plan.md"}
    assert kept_lines(older, frozenset()) == ()
    assert needed(()) == frozenset()
    own = CheckSpec(id="own", rule="ask", title="?", group=CheckGroup.PROCESS, question="Well?")
    assert needed(run_checks(material(), [own]).questions) == frozenset(Kept)


def test_what_is_too_much_to_tell_is_counted() -> None:
    many = "".join(f"- G{n}: goal {n}\n" for n in range(900))
    older = {f"{it}.md": read_artifact(f"{it}.md", f"## Goals\n{many}") for it in "abc"}
    lines = kept_lines(older)
    assert (len(lines), lines[-1]) == (2_001, "[700 more lines were left out]")


FACTS = {path: read_artifact(path, it.text, task=it.task) for path, it in loaded(TEXTS).items()}
PATHS = st.sets(st.sampled_from(sorted(TEXTS)))


@pytest.mark.parametrize("checkpoint", SCOPES)
@given(kept=PATHS)
def test_no_verdict_changes_when_older_artifacts_come_as_facts(
    checkpoint: str, kept: set[str]
) -> None:
    whole = material(TEXTS, checkpoint)
    older = {path: FACTS[path] for path in kept}
    new = {path: it for path, it in whole.artifacts.items() if path not in kept}
    specs = checks_of(checkpoint)
    by_text = run_checks(whole, specs)
    by_facts = run_checks(replace(whole, artifacts=new, older=older), specs)
    assert by_facts.results == by_text.results
    assert by_facts.questions == by_text.questions


LINES = st.sampled_from(
    [
        *(
            "## Goals",
            "- G1: pay fast",
            "- G2: store",
            "## Requirements",
            "- REQ-1: pay [must] (G1)",
        ),
        *("- REQ-2: store it", "## Glossary", "- Customer (not: client)", "the client", "customer"),
        *("- T1: REQ-1, needs T2", "- T2: needs T1", "- T3: ADR-1", "## Tasks", "- ADR-1: x"),
        *(
            "Complexity: low",
            "Modules: 5",
            "Self-score: 80",
            "Self-score: 40",
            "- C1: box",
            "- US-1: C1",
        ),
        *("## Open Questions", "- Why? critical", "- Who?", "```", "", "## Components"),
    ]
)
DOCUMENTS = st.lists(st.lists(LINES, max_size=12).map("\n".join), min_size=1, max_size=5)
EVERY_RULE = [spec_of(it.rule) for it in CATALOGUE.values() if it.checkpoints]


@given(DOCUMENTS, st.data())
def test_no_verdict_changes_for_any_documents(texts: list[str], choose: st.DataObject) -> None:
    named = {f"spec/{name}.md": text for name, text in zip("abcde", texts, strict=False)}
    whole = replace(material({}), artifacts=loaded(named))
    kept = choose.draw(st.sets(st.sampled_from(sorted(named))))
    older = {path: read_artifact(path, named[path]) for path in kept}
    new = {path: it for path, it in whole.artifacts.items() if path not in kept}
    by_text = run_checks(whole, EVERY_RULE)
    by_facts = run_checks(replace(whole, artifacts=new, older=older), EVERY_RULE)
    assert by_facts.results == by_text.results
    assert by_facts.questions == by_text.questions
    for it in by_text.results:
        assert all(exists(at, named) for at in it.citations)


@given(DOCUMENTS, st.data())
def test_whatever_a_question_needs_of_older_artifacts_is_told(
    texts: list[str], choose: st.DataObject
) -> None:
    named = {f"spec/{name}.md": text for name, text in zip("abcde", texts, strict=False)}
    kept = choose.draw(st.sets(st.sampled_from(sorted(named))))
    older = {path: read_artifact(path, named[path]) for path in kept}
    new = {path: it for path, it in loaded(named).items() if path not in kept}
    on = replace(material({}), artifacts=new, older=older)
    asked = run_checks(on, EVERY_RULE).questions
    lines = [it.rpartition(": ")[0] for it in write_brief(on, asked).split("\n")]
    stated = {*Kept} - {Kept.WISDOM, Kept.COMPLEXITY, Kept.QUESTIONS, Kept.TERMS}
    for kind in needed(asked) & stated:
        for path, facts in older.items():
            for it in getattr(facts, kind):
                assert any(line.startswith(f"{path}:{it.line}") for line in lines)


def test_a_newer_text_takes_the_place_of_older_facts() -> None:
    older = {"spec/plan.md": read_artifact("spec/plan.md", "## Tasks\n- T1: needs T1\n")}
    assert result("plan_graph", replace(material(), older=older)).verdict is CheckVerdict.PASS


def test_many_statements_and_messages_cost_little_time() -> None:
    goals = "".join(f"- G{n}: a{n} b{n}\n" for n in range(300))
    needs = "".join(f"- REQ-{n}: c{n} d{n} [must]\n" for n in range(300))
    tasks = "".join(f"- T{n}: needs T{n + 1}\n" for n in range(300))
    texts = {"a.md": f"## Goals\n{goals}", "b.md": needs, "c.md": tasks}
    many = tuple(message(n, f"w{n % 7}", "error", task=f"T{n}") for n in range(3_000))
    roles = {f"r{n}": RoleState(task=f"T{n}", status="in_progress") for n in range(500)}
    on = replace(material(texts), messages=many, roles=roles, now=NOW + timedelta(hours=9))
    made = run_checks(on, EVERY_RULE)
    assert any(it.verdict is CheckVerdict.FAIL for it in made.results)
