# Needs only python3 (3.11 or newer), make and a package index.
# Every target sets up what it needs; nothing is done twice.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
RUN_STAMP := $(VENV)/.runs
STAMP  := $(VENV)/.installed
PIP    := $(BIN)/pip install --disable-pip-version-check
NODE   := tests/console/node
CODE    = $(wildcard src systems/src tests systems/tests examples benchmarks conftest.py)
COMPILE = build/lock/bin/uv pip compile pyproject.toml systems/pyproject.toml --no-emit-package tablewright \
	--universal --python-version 3.11 --generate-hashes --no-header --quiet

.DEFAULT_GOAL := help
.PHONY: help setup run demo test check format bench bench-peers peers mutants soak lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## Create .venv with everything in it

run: $(RUN_STAMP) ## Start the five systems on a local data file, with sample data
	@echo "Starting the systems; the first start adds sample data"
	@exec $(BIN)/tablewright-systems up --on tablewright.db $(ARGS)

demo: $(RUN_STAMP) ## Create, write, query and reopen a table in one process
	$(BIN)/python examples/quickstart.py

test: $(STAMP) ## Run the tests (ARGS="-k name" narrows them)
	@# Hundreds of tests start a process; each would compile the package again where PYTHONDONTWRITEBYTECODE is set,
	@# and each run would rewrite a thousand test modules again.
	@$(BIN)/python -m compileall -q -j 0 src systems/src
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n auto --dist worksteal $(ARGS)

check: $(STAMP) ## Formatting, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy $(CODE)
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports --no-cache

format: $(STAMP) ## Format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP) ## Measure, side by side with peers
	$(BIN)/python -m benchmarks $(ARGS)

bench-peers: $(STAMP) ## Install the peers to measure against, outside the repository
	$(BIN)/python -m benchmarks.wire.peers

peers: $(STAMP) ## Run the tests of access and the life cycle on DynamoDB Local, dynoxide and moto (after bench-peers)
	$(BIN)/python -m tests.peers

mutants: $(STAMP) ## Seed faults in copies of the systems; verify or a test catches each (ARGS="boards" narrows it)
	$(BIN)/python -m systems.tests.mutants $(ARGS)

soak: $(STAMP) ## Show every guarantee at full size, one after the other; takes hours (ARGS="path" narrows it)
	$(BIN)/pytest -m "soak or figure or hypothesis" --hypothesis-profile=full -o faulthandler_timeout=0 $(ARGS)

lock: ## Resolve both pyproject.toml into the lock files (ARGS=--upgrade takes newer versions)
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install -q uv
	$(COMPILE) --all-extras --group dev $(ARGS) --output-file requirements.lock
	$(COMPILE) --extra console --extra server --group build --constraints requirements.lock --output-file requirements-run.lock

clean: ## Remove the environment and every cache
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What `make run` needs: 44 packages, without those of the developers. Modules are compiled when they are first imported.
$(RUN_STAMP): requirements-run.lock pyproject.toml systems/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tablewright needs Python 3.11 or newer; try: make PYTHON=python3.11")'
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@rm -f $(VENV)/.packages
	@echo "Installing $$(grep -c == requirements-run.lock) packages:"
	@{ $(PIP) --no-compile --no-deps --progress-bar off --require-hashes -r requirements-run.lock && touch $(VENV)/.packages; } \
		| sed -n -e 's/^Collecting \([^ ]*\).*/  \1/p' -e 's/^Processing .*\/\([^ ]*\).*/  \1/p'
	@test -e $(VENV)/.packages
	@echo "Installing Tablewright and the systems"
	@$(PIP) -qq --no-deps --no-build-isolation --editable . --editable systems
	@touch $@

# What all other targets need.
$(STAMP): $(RUN_STAMP) requirements.lock $(NODE)/package-lock.json
	@echo "Installing the packages of the tests and tools; this takes about a minute"
	@$(PIP) -qq --no-deps --require-hashes -r requirements.lock
	@mkdir -p $(VENV)/node && cp $(NODE)/package.json $(NODE)/package-lock.json $(VENV)/node
	@if command -v npm > /dev/null; then npm ci --silent --prefix $(VENV)/node; \
	else echo "npm is missing: the types and the accessibility of the console's page are not tested"; fi
	@touch $@
