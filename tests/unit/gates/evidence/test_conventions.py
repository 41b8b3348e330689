"""Which half a path belongs to, by convention and by the project's own rules."""

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Half
from supervisor_ai.gates.evidence.conventions import Conventions
from supervisor_ai.gates.evidence.table import parse

NO_RULES = HarnessRules()

HARNESS = """
tests/test_cart.py test/cart.py src/shop/tests/data.json src/shop/testing/assertions.py
conftest.py src/conftest.py tests/__init__.py tests/helpers/deep/x.py cart_test.py pytest.ini
tox.ini noxfile.py .coveragerc ruff.toml mypy.ini sitecustomize.py src/usercustomize.py hook.pth
requirements-test.txt requirements/test.txt src/cart.test.ts src/__tests__/cart.js
src/cart.spec.tsx __mocks__/fs.js src/__snapshots__/a.snap cypress/e2e/a.js jest.config.js
vitest.config.mts .mocharc.yml .babelrc babel.config.cjs tsconfig.json tsconfig.test.json .npmrc
.yarnrc.yml node_modules/jest/index.js .eslintrc.json vite.config.ts setupTests.ts .env.test
cart_test.go testdata/in.golden internal/mocks/store.go mock_store.go go.work
vendor/github.com/stretchr/testify/assert/a.go tests/it.rs src/cart/tests.rs src/cart_test.rs
src/test_cart.rs .cargo/config.toml .config/nextest.toml rust-toolchain.toml
src/test/java/CartTest.java src/test/resources/a.xml app/src/androidTest/A.kt
src/main/java/org/junit/Assert.java CartTest.kt gradle.properties .mvn/jvm.config gradlew
src/integrationTest/java/A.java Shop.Tests/CartTests.cs Directory.Build.props spec/cart_spec.rb
spec/spec_helper.rb lib/cart_spec.rb Rakefile .rspec test/cart_test.rb features/steps/a.rb
shop.feature tests/CartTest.php src/CartTest.php phpunit.xml.dist test/cart.bats run_tests.sh
scripts/test scripts/check-style.sh t/cart.t test/cart.cpp src/cart_test.cc test_cart.c
CTestCustom.cmake include/gtest/gtest.h assert.h include/assert.h .github/workflows/ci.yml
.gitlab-ci.yml Jenkinsfile .supervisor/config.yaml .pre-commit-config.yaml codecov.yml
fixtures/cart.json tests src/shop.egg-info/entry_points.txt jest-setup.js src/Tests/Cart.swift
"""
AT_THE_TOP = (
    *("assert.h", "include/assert.h", ".github/workflows/ci.yml", ".gitlab-ci.yml"),
    *(".supervisor/config.yaml", ".pre-commit-config.yaml"),
)
PRODUCT = """
src/shop/cart.py shop/latest.py shop/contest.py src/attest.py src/shop/spec/parser.py app/karma.py
src/protest/x.py setup.py src/cart.ts src/inspect.ts index.js package-lock.json
src/features/cart/index.tsx webpack.config.js cart.go internal/spec/spec.go go.sum src/latest.rs
src/attestation.rs src/contest/mod.rs build.rs Cargo.lock benches/a.rs
src/main/java/shop/Testimonial.java src/main/java/shop/Cart.java src/main/kotlin/TestBed.kt
lib/cart.rb app/models/cart.rb Gemfile src/Cart.php src/cart.c include/cart.h bin/shop README.md
docs/index.rst LICENSE Dockerfile templates/index.html schema.sql .gitignore CHANGELOG.md
code/cart.py email/send.py platform/linux.py
"""


def half(path: str, rules: HarnessRules = NO_RULES, base: tuple[str, ...] = ()) -> Half:
    found = Conventions(rules, base, (path,)).of(path)
    assert found.path == path
    assert found.why
    return found.half


@pytest.mark.parametrize("path", HARNESS.split())
def test_a_path_of_the_harness_is_known(path: str) -> None:
    assert half(path) == Half.HARNESS
    assert half(f"packages/one/{path}") == Half.HARNESS or path in AT_THE_TOP


@pytest.mark.parametrize("path", PRODUCT.split())
def test_a_path_of_the_product_is_left_alone(path: str) -> None:
    assert half(path) == Half.PRODUCT


@pytest.mark.parametrize(
    "path",
    ["pytest.py", "doctest/__init__.py", "src/json.py", "lib/_pytest/__init__.py", "mock.py"],
)
def test_a_new_module_that_python_would_take_for_another_is_harness(path: str) -> None:
    assert half(path) == Half.HARNESS
    assert half(path, base=(path,)) == Half.PRODUCT


def test_all_of_a_new_package_that_shadows_another_is_harness() -> None:
    head = ("unittest/__init__.py", "unittest/case.py")
    known = Conventions(NO_RULES, (), head)
    assert {known.of(path).half for path in head} == {Half.HARNESS}


def test_the_project_knows_better() -> None:
    rules = HarnessRules(
        harness=("tools/judge.py", "qa", "*.case"), product=("src/shop/testing/**", "qa/shipped/")
    )
    said = {path: half(path, rules) for path in ("src/shop/testing/a.py", "qa/shipped/a.py")}
    assert set(said.values()) == {Half.PRODUCT}
    for path in ("tools/judge.py", "qa/a.py", "deep/er/a.case"):
        assert half(path, rules) == Half.HARNESS
    assert half("src/shop/tests/a.py", rules) == Half.HARNESS
    assert "'qa'" in Conventions(rules, (), ()).of("qa/a.py").why


@pytest.mark.parametrize("text", ["{}", "- {names: [a]}", "- {why: a, name: [b]}"])
def test_a_table_with_a_mistake_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="harness files"):
        parse(text)
