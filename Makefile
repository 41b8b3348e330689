# Every target is a script; this file gives them names.
.PHONY: help setup setup-for-development setup-for-tests demo wheel test test-long faults check bench lock hooks

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: ## Make .venv from the lock (quick when nothing changed)
	@scripts/setup

setup-for-development:
	@scripts/setup --for-development

setup-for-tests:
	@scripts/setup --for-tests

demo: setup ## Watch a small task go through plan, implement, test, review, commit
	@.venv/bin/supervisor demo

wheel: setup ## Build dist/*.whl, for pip, pipx and uv
	@.venv/bin/python -m hatchling build --target wheel

test: setup-for-tests ## Run every check and every test
	@scripts/test

test-long: setup-for-tests ## Run the slow suites, the coverage of everything, and a fresh Debian
	@scripts/test-long

faults: setup-for-tests ## Kill, stop, starve and soak the product; print what was lost, doubled and leaked
	@.venv/bin/python -m pytest tests/faults -q -n "$${TEST_WORKERS:-2}"

check: setup-for-development ## Run format, lint, types, imports, dependencies and words only
	@scripts/check

bench: ## Measure the overhead against the floor, other engines and other sandboxes (QUICK=1: two minutes)
ifdef QUICK
	@scripts/setup
	@QUICK=1 .venv/bin/python -m bench
else
	@scripts/setup --for-bench
	@test -x .venv-bench/bin/pip || .venv/bin/python -m venv .venv-bench
	@.venv-bench/bin/python -m pip --disable-pip-version-check install --quiet --requirement bench/requirements.txt
	@.venv/bin/python -m bench
endif

lock: ## Refresh uv.lock, the requirements and the table of prices
	@scripts/lock

hooks: setup-for-development ## Run the checks before every commit
	@.venv/bin/prek install
