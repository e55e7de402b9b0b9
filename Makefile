# `make demo` and `make test` do all the set-up that they need. `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# torch lives apart from the service: submitted Python must not find the service's own packages beside it.
TORCH_VENV := .venv-torch
PIP := $(BIN)/pip --disable-pip-version-check --quiet
PROBLEMS := scorer_service/environments/rust_codecontests/problems
LAUNCHER_SOURCES := $(shell find sandboxes/launcher -name target -prune -o -type f \( -name '*.rs' -o -name '*.toml' -o -name '*.lock' -o -name '*.py*' \) -not -path '*/__pycache__/*' -print)
PROBLEM_SOURCES := $(shell find $(PROBLEMS) -type f -not -path '*/__pycache__/*')

.PHONY: help setup demo test exploits fuzz real lint format image bench stubs metrics-page dashboard problems soak clean

help: ## List what can be made.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

setup: $(VENV)/.problems $(TORCH_VENV)/.ready ## Make the virtual environments, build the Rust crate and the problem set.

demo: setup ## Start a server, score sample submissions, stop it.
	@$(BIN)/python scripts/demo.py

test: setup ## Run the tests.
	source scripts/rust_env.sh && $(BIN)/python -m pytest -n auto --dist loadgroup -m "not alone" tests
	source scripts/rust_env.sh && $(BIN)/python -m pytest -m alone tests
	source scripts/rust_env.sh && cargo test --quiet --manifest-path sandboxes/launcher/Cargo.toml

exploits: setup ## Run every attack on running servers, and print a table: docs/design/attacks.md.
	source scripts/rust_env.sh && PYTHONPATH=tests/doubles $(BIN)/python -m tests.exploits \
	  $(if $(ENVIRONMENT),--environment $(ENVIRONMENT)) $(if $(ONLY),--only '$(ONLY)') $(if $(SANDBOX),--sandbox $(SANDBOX)) \
	  $(if $(ADDRESS),--address $(ADDRESS)) $(if $(OUTPUT),--output $(OUTPUT))

soak: setup ## Load and random deaths for MINUTES=60, then a look at what must hold: docs/design/soak.md.
	source scripts/rust_env.sh && PYTHONPATH=tests/doubles $(BIN)/python -m tests.soak --minutes $(or $(MINUTES),60) \
	  --sandbox $(or $(SANDBOX),native) $(if $(SEED),--seed $(SEED)) $(if $(REPORT),--report $(REPORT))

real: setup ## Judge every program of the real contest problems, of which `make test` judges a share.
	SCORER_REAL=all $(BIN)/python -m pytest -n auto tests/real

fuzz: setup ## Fuzz every surface for SECONDS=600 each, or one: SURFACE=rpc; SEED=1 tries the same inputs again.
	source scripts/rust_env.sh && PYTHONPATH=tests/doubles $(BIN)/python -m tests.fuzz \
	  --seconds $(or $(SECONDS),600) $(if $(SURFACE),--surface $(SURFACE)) $(if $(SEED),--seed $(SEED))

lint: setup ## Check style, types, the contract and the stubs.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/buf lint
	scripts/check_breaking.sh $(BIN)/buf
	scripts/generate_stubs.sh --check
	source scripts/rust_env.sh && cd sandboxes/launcher && cargo fmt --check && \
	  cargo clippy --quiet --all-targets --all-features -- --deny warnings

format: setup ## Format Python and Rust.
	$(BIN)/ruff check --fix --quiet || true
	$(BIN)/ruff format
	source scripts/rust_env.sh && cd sandboxes/launcher && cargo fmt

image: $(VENV)/.packages ## Build the image of sandboxes in containers.
	$(BIN)/scorer sandbox build-image

bench: setup ## Measure speed as ratios beside their goals.
	@$(BIN)/python bench/run.py

stubs: ## Generate the client's stubs from proto/.
	scripts/generate_stubs.sh

metrics-page: $(VENV)/.packages ## Write docs/metrics.md from the code.
	$(BIN)/python scripts/metrics_page.py

dashboard: $(VENV)/.packages ## Write deploy/grafana/scorer.json.
	$(BIN)/python scripts/grafana_dashboard.py

problems: $(VENV)/.packages ## Make the embedded problem set, and pin it by new digests.
	$(BIN)/scorer problems build --update

clean: ## Remove everything that was made, but not the state of servers.
	rm -rf $(VENV) $(TORCH_VENV) .venv-stubs .demo sandboxes/launcher/target scorer_service/environments/rust_codecontests/problem_set

# Versions and hashes of everything from outside. The packages of this repository come after it, without
# dependencies and without build isolation, so that nothing unpinned is fetched.
$(VENV)/.requirements: requirements.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed, this is " + sys.version) if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes --requirement requirements.txt
	touch $@

$(TORCH_VENV)/.ready: $(VENV)/.requirements sandboxes/python/requirements.txt
	$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python $(TORCH_VENV)
	$(BIN)/uv pip sync --quiet --compile-bytecode --require-hashes --python $(TORCH_VENV)/bin/python sandboxes/python/requirements.txt
	touch $@

$(VENV)/.launcher: $(VENV)/.requirements $(LAUNCHER_SOURCES)
	source scripts/rust_env.sh && PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --no-deps --no-build-isolation --force-reinstall ./sandboxes/launcher
	touch $@

$(VENV)/.packages: $(VENV)/.launcher pyproject.toml clients/python/pyproject.toml
	$(PIP) install --no-deps --no-build-isolation --editable clients/python --editable .
	touch $@

$(VENV)/.problems: $(VENV)/.packages $(PROBLEM_SOURCES)
	$(BIN)/scorer problems build
	touch $@
