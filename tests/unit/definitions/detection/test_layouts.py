"""What is recognised in projects as people have them."""

from pathlib import Path
from typing import Final, cast

import pytest
from tests.unit.definitions.detection.layouts import NAMES, layout, survey
from tests.unit.definitions.layered import ADAPTERS
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.control.ports.project_survey import ProjectSurvey
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.definitions.detection.config_text import config_text, drafts
from supervisor_ai.definitions.detection.table import builtin_table
from supervisor_ai.definitions.sources.files import BUILTIN_DIRECTORY
from supervisor_ai.engine.ports.workspaces import Repository


def told(found: ProjectSurvey) -> dict[str, object]:
    """Say the survey in a few words."""
    return {
        "languages": [it.name for it in found.languages],
        "frameworks": [it.name for it in found.frameworks],
        "services": [it.name for it in found.services],
        "installers": [it.name for it in found.installers],
        "gates": {gate.name: " ".join(gate.command) for gate in found.gates},
        "packs": [advice.name for advice in found.packs if advice.is_suggested],
    }


EXPECTED: Final[dict[str, dict[str, object]]] = {
    "airflow": {
        "languages": ["Python"],
        "frameworks": ["Airflow", "pandas"],
        "services": ["Redis"],
        "installers": ["pip"],
        "gates": {"test": "python3 -m pytest"},
        "packs": ["data", "trading"],
    },
    "empty": {
        "languages": [],
        "frameworks": [],
        "services": [],
        "installers": [],
        "gates": {},
        "packs": [],
    },
    "foundry": {
        "languages": ["Solidity"],
        "frameworks": ["Foundry"],
        "services": [],
        "installers": [],
        "gates": {
            "test": "forge test",
            "format": "forge fmt --check",
            "coverage": "forge coverage",
            "build": "forge build",
        },
        "packs": ["solidity"],
    },
    "go-service": {
        "languages": ["Go"],
        "frameworks": ["Chi"],
        "services": [],
        "installers": ["go"],
        "gates": {"test": "make test", "lint": "golangci-lint run", "build": "make build"},
        "packs": ["backend", "security", "go"],
    },
    "java-gradle": {
        "languages": ["Java", "Kotlin"],
        "frameworks": ["Spring Boot"],
        "services": [],
        "installers": ["gradle"],
        "gates": {"test": "./gradlew test", "build": "./gradlew assemble"},
        "packs": ["backend", "cli"],
    },
    "java-maven": {
        "languages": ["Java"],
        "frameworks": ["Spring Boot"],
        "services": [],
        "installers": ["maven"],
        "gates": {
            "test": "./mvnw -B test",
            "lint": "mvn -B checkstyle:check",
            "build": "./mvnw -B package -DskipTests",
        },
        "packs": ["backend", "security"],
    },
    "monorepo": {
        "languages": ["Python", "TypeScript"],
        "frameworks": ["FastAPI", "React", "SQLAlchemy", "Vite"],
        "services": ["PostgreSQL", "Redis"],
        "installers": ["uv", "npm"],
        "gates": {
            "test": "sh -c env -C backend python3 -m pytest && env -C frontend npm run test",
            "test_backend": "env -C backend python3 -m pytest",
            "test_frontend": "env -C frontend npm run test",
            "lint_backend": "env -C backend python3 -m ruff check .",
            "lint_frontend": "env -C frontend npm run lint",
            "build": "env -C frontend npm run build",
        },
        "packs": ["backend", "web"],
    },
    "next-prisma": {
        "languages": ["TypeScript"],
        "frameworks": ["Next.js", "Prisma", "React"],
        "services": ["PostgreSQL"],
        "installers": ["npm"],
        "gates": {
            "test": "npm run test",
            "lint": "npm run lint",
            "type_check": "npx --offline --no-install tsc --noEmit",
            "build": "npm run build",
        },
        "packs": ["backend", "web", "security"],
    },
    "node-cli": {
        "languages": ["JavaScript"],
        "frameworks": [],
        "services": [],
        "installers": ["npm without a lock file"],
        "gates": {"test": "npm run test", "lint": "npm run lint"},
        "packs": ["cli"],
    },
    "npm-workspaces": {
        "languages": ["JavaScript", "TypeScript"],
        "frameworks": ["React"],
        "services": [],
        "installers": ["npm"],
        "gates": {
            "test": "npm --workspaces --if-present run test",
            "type_check": "npx --offline --no-install tsc --noEmit",
            "build": "npm --workspaces --if-present run build",
        },
        "packs": ["web"],
    },
    "pnpm-workspace": {
        "languages": ["JavaScript"],
        "frameworks": [],
        "services": [],
        "installers": ["pnpm"],
        "gates": {"test": "pnpm --recursive --if-present run test"},
        "packs": [],
    },
    "uv-workspace": {
        "languages": ["Python"],
        "frameworks": [],
        "services": [],
        "installers": ["uv"],
        "gates": {"test": "python3 -m pytest"},
        "packs": [],
    },
    "poetry-django": {
        "languages": ["Python"],
        "frameworks": ["Django"],
        "services": ["MariaDB"],
        "installers": ["poetry"],
        "gates": {
            "test": "python3 manage.py test",
            "lint": "python3 -m flake8",
            "format": "python3 -m black --check .",
        },
        "packs": ["backend", "security"],
    },
    "python-uv": {
        "languages": ["Python"],
        "frameworks": [],
        "services": [],
        "installers": ["uv"],
        "gates": {
            "test": "python3 -m pytest",
            "lint": "python3 -m ruff check .",
            "type_check": "python3 -m mypy .",
            "format": "python3 -m ruff format --check .",
            "coverage": "python3 -m pytest --cov",
        },
        "packs": ["cli"],
    },
    "react-vite": {
        "languages": ["TypeScript"],
        "frameworks": ["React", "Vite"],
        "services": [],
        "installers": ["pnpm"],
        "gates": {
            "test": "pnpm run test",
            "lint": "pnpm run lint",
            "type_check": "pnpm run typecheck",
            "format": "pnpm exec prettier --check .",
            "coverage": "pnpm run test:coverage",
            "build": "pnpm run build",
        },
        "packs": ["web"],
    },
    "rust-workspace": {
        "languages": ["Rust"],
        "frameworks": [],
        "services": [],
        "installers": ["cargo"],
        "gates": {
            "test": "cargo test --workspace",
            "lint": "cargo clippy --workspace --all-targets -- -D warnings",
            "format": "cargo fmt --all --check",
            "build": "cargo build --workspace",
        },
        "packs": ["cli", "rust"],
    },
    "terraform-k8s": {
        "languages": ["HCL"],
        "frameworks": ["Kubernetes", "Terraform"],
        "services": [],
        "installers": [],
        "gates": {"lint": "just lint", "format": "terraform fmt -check -recursive"},
        "packs": ["infra"],
    },
    "tox-library": {
        "languages": ["Python"],
        "frameworks": [],
        "services": [],
        "installers": ["pip"],
        "gates": {
            "test": "python3 -m tox",
            "lint": "python3 -m tox -e lint",
            "type_check": "python3 -m tox -e types",
        },
        "packs": ["cli"],
    },
    "vue": {
        "languages": ["JavaScript"],
        "frameworks": ["Vite", "Vue"],
        "services": [],
        "installers": ["yarn"],
        "gates": {
            "test": "yarn run test:unit",
            "lint": "yarn run eslint .",
            "type_check": "yarn run vue-tsc --noEmit",
            "format": "yarn run format:check",
            "build": "yarn run build",
        },
        "packs": ["web"],
    },
}


@pytest.mark.parametrize("name", NAMES)
def test_a_layout_is_recognised(name: str, tmp_path: Path) -> None:
    assert told(survey(tmp_path, layout(name))) == EXPECTED[name]


AGENTS: Final = ((), ("claude",), ("codex", "gemini"))


@pytest.mark.parametrize(("number", "name"), list(enumerate(NAMES)))
def test_what_is_written_loads_without_a_mistake(number: int, name: str, tmp_path: Path) -> None:
    agents = AGENTS[number % len(AGENTS)]
    found = survey(tmp_path, layout(name), *agents)
    packs = [advice.name for advice in found.packs if advice.is_suggested]
    text = config_text(found, packs)
    repository = cast("Repository", ProjectFiles({CONFIG: text}))
    catalog = FileCatalog(repository, tmp_path / "user", ADAPTERS)
    loaded = catalog.load(COMMIT, workflow=None, cli=None)
    expected = [gate.command for gate in found.gates if gate.name == "test"]
    assert loaded.definition.gates["test"].command == (*expected, ("make", "test"))[0]
    assert {role.cli for role in loaded.definition.roles.values()} == {(*agents, "claude")[0]}


@pytest.mark.parametrize("name", NAMES)
def test_the_offered_workspace_loads_too(name: str, tmp_path: Path) -> None:
    text = config_text(survey(tmp_path, layout(name), "claude"), [])
    head, found, offered = text.partition("# workspace:\n")
    uncommented = "\n".join(line.removeprefix("# ") for line in offered.splitlines())
    config = f"{head}workspace:\n{uncommented}\n" if found else head
    repository = cast("Repository", ProjectFiles({CONFIG: config}))
    loaded = FileCatalog(repository, tmp_path / "user", ADAPTERS).load(
        COMMIT, workflow=None, cli=None
    )
    assert bool(loaded.definition.workspace.setup) == bool(found)


def test_every_finding_names_its_place(tmp_path: Path) -> None:
    found = survey(tmp_path, layout("monorepo"))
    assert {it.name: it.evidence[0].text for it in found.services} == {
        "PostgreSQL": "docker-compose.yml:3: services.db.image",
        "Redis": "docker-compose.yml:5: services.cache.image",
    }
    [react] = [it for it in found.frameworks if it.name == "React"]
    assert react.evidence[0].text == "frontend/package.json: dependencies.react"
    assert [(it.name, it.files) for it in found.languages] == [("Python", 2), ("TypeScript", 1)]


def test_a_pack_says_why_it_is_suggested_or_not(tmp_path: Path) -> None:
    packs = {advice.name: advice.reason for advice in survey(tmp_path, layout("vue")).packs}
    assert packs["web"] == "Vue in package.json: dependencies.vue"
    assert packs["data"] == "no pandas/airflow detected"


def test_the_config_explains_itself(tmp_path: Path) -> None:
    text = config_text(survey(tmp_path, layout("monorepo"), "codex", "gemini"), ["backend"])
    assert "cli: codex" in text
    assert '# fallback: ["gemini"]' in text
    assert (
        "# backend: backend_dev, api_dev, db_optimizer (PostgreSQL in docker-compose.yml:3" in text
    )
    assert "    # found in frontend/package.json: scripts.lint\n" in text
    assert (
        '#   setup: ["sh", "-c", "env -C backend uv sync --all-extras --frozen && env -C ' in text
    )
    assert 'paths: ["backend/.venv", "frontend/node_modules"]}' in text


def test_the_table_and_the_packs_of_the_package_agree() -> None:
    packs = {name: set(rule.roles) for name, rule in builtin_table().packs.items()}
    shipped = {
        file.parent.name: {role.stem for role in (file.parent / "roles").glob("*.yaml")}
        for file in (BUILTIN_DIRECTORY / "packs").glob("*/pack.yaml")
    }
    assert packs == shipped


def test_the_state_of_a_project_is_ignored_and_its_definitions_are_not(tmp_path: Path) -> None:
    files = drafts(survey(tmp_path, layout("empty")), [])
    assert list(files) == [".supervisor/config.yaml", ".supervisor/.gitignore"]
    assert "/state.db*\n/artifacts/\n/locks/\n/logs/\n" in files[".supervisor/.gitignore"]


@pytest.mark.parametrize("scripts", ['"test": "jest"', '"format:check": "prettier --check src"'])
def test_a_formatter_of_the_project_leaves_our_files_as_they_are(
    tmp_path: Path, scripts: str
) -> None:
    package = f'{{"scripts": {{{scripts}}}, "devDependencies": {{"prettier": "^3"}}}}'
    files = drafts(survey(tmp_path, {"package.json": package, "a.js": "1"}), [])
    assert files[".supervisor/.prettierrc.yaml"].endswith("\nrequirePragma: true\n")
