.DEFAULT_GOAL := help
.PHONY: help setup chat serve test test-all soak check format lock clean arrays bench bench-start bench-neighbours bench-server bench-understanding screenshots training-tools

PYTHON ?= python3
BIN := .venv/bin
# What was compiled for one run serves the next, and the other workers.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest
# Two for each core: many tests wait for a browser, a database or another process.
WORKERS = $(shell $(PYTHON) -c "import os; print(2 * (os.cpu_count() or 1))")
CONFIG ?= examples/banking/domain

help: ## Show what make can do
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk 'BEGIN {FS = ":.*## "} {printf "  make %-20s %s\n", $$1, $$2}'

setup: .venv/.installed-dev ## Set up the environment for working on Soni

chat: .venv/.installed ## Talk to the banking assistant (CONFIG=folder for another); it goes on where it stopped
	@BANK_BOOKS=$${BANK_BOOKS:-.soni/bank.json} $(BIN)/soni chat --config $(CONFIG) --store sqlite:.soni/$(subst /,-,$(CONFIG)).db

serve: .venv/.installed ## Serve the same assistant at http://127.0.0.1:8000, with a web chat (ARGS=--help)
	@BANK_BOOKS=$${BANK_BOOKS:-.soni/bank.json} $(BIN)/soni serve --config $(CONFIG) --store sqlite:.soni/$(subst /,-,$(CONFIG)).db $(ARGS)

test: .venv/.installed-dev ## Run the tests, in parallel, with coverage: a few minutes
	@$(PYTEST) -m "not long" -n $(WORKERS) --inline-snapshot=disable --dist worksteal --cov --cov-report=term:skip-covered --cov-fail-under=$$(cat .coverage-floor)

test-all: training-tools ## Run what 'make test' leaves out: every case of each sweep, long properties, training
	@SONI_TESTS=all $(PYTEST) -m "long or property" -n $(WORKERS) --inline-snapshot=disable --dist worksteal

soak: .venv/.installed-dev ## Run 30,000 generated conversations with corrections or anything said: an hour or so (ARGS=--help)
	@$(BIN)/python -m tests.conversations.soak $(ARGS)

check: .venv/.installed-dev ## Format, lint, types, import direction and slow patterns: what CI runs before the tests
	@$(BIN)/ruff format --check --quiet . || (echo "Run 'make format'." && exit 1)
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache > .venv/imports.txt || (cat .venv/imports.txt && exit 1)
	@$(BIN)/python -m tools.patterns

format: .venv/.installed-dev ## Format the code and fix what can be fixed
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

lock: .venv/.installed-dev ## Resolve the dependencies anew into the two lock files
	@UV=$(BIN)/uv; FLAGS="--universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links --quiet --upgrade"; \
	$$UV pip compile pyproject.toml --extra server $$FLAGS -o requirements.lock && \
	$$UV pip compile pyproject.toml --all-extras --group dev $$FLAGS -o requirements-dev.lock

bench: bench-start ## Measure starting, what a durable turn costs against LangGraph alone, and how it grows (ARGS=--help)
	@$(BIN)/python -m bench.durability.run $(ARGS)

bench-start: .venv/.installed-dev ## Measure what a start costs: CPU until the first answer, for 5, 50 and 1,000 flows, and memory
	@$(BIN)/python -m bench.start.run

bench-neighbours: .venv/.installed-dev ## Measure what other people notice while somebody sends the worst messages (ARGS=--help)
	@$(BIN)/python -m bench.server.neighbours $(ARGS)

bench-server: .venv/.installed-dev ## Measure what serving costs: 1,000 open conversations, one and two processes (ARGS=--help)
	@$(BIN)/python -m bench.server.run $(ARGS)

screenshots: .venv/.installed-dev ## Take the pictures of the web chat in docs/images anew (needs Chromium)
	@$(BIN)/python -m tools.screenshots

bench-understanding: .venv/.installed-dev ## Measure understanding on public and own data (SONI_DATA=folder)
	@$(BIN)/python -m bench.understanding.run $(PARTS)

arrays: .venv/.installed-dev ## Compute the vectors that are shipped with the package anew (after a change of weights or of fixed phrases)
	@$(BIN)/python -m tools.arrays

training-tools: .venv/.installed-dev ## Install what training the reader takes (torch, onnx); its test is skipped without
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r training/requirements.txt

clean: ## Remove the environment and what tools left behind
	@rm -rf .venv .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis dist

# One environment. uv is much faster where it can be had; plain pip does the same without it.
.venv/.created:
	@echo "Setting up .venv (once) …"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv || echo "uv cannot be had here; going on with pip."
	@touch $@

.venv/.installed: .venv/.created requirements.lock pyproject.toml
	@sh tools/install.sh requirements.lock
	@touch $@

.venv/.installed-dev: .venv/.created requirements-dev.lock pyproject.toml
	@sh tools/install.sh requirements-dev.lock
	@touch .venv/.installed $@
