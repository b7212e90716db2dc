.DEFAULT_GOAL := help
.PHONY: help chat serve test check format lock clean bench bench-server bench-understanding screenshots training-tools

PYTHON ?= python3
BIN := .venv/bin
CONFIG ?= examples/banking/domain

help: ## Show what make can do
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk 'BEGIN {FS = ":.*## "} {printf "  make %-20s %s\n", $$1, $$2}'

chat: .venv/.installed ## Talk to the banking assistant (CONFIG=folder for another); it goes on where it stopped
	@BANK_BOOKS=$${BANK_BOOKS:-.soni/bank.json} $(BIN)/soni chat --config $(CONFIG) --store sqlite:.soni/$(subst /,-,$(CONFIG)).db

serve: .venv/.installed ## Serve the same assistant at http://127.0.0.1:8000, with a web chat (ARGS=--help)
	@BANK_BOOKS=$${BANK_BOOKS:-.soni/bank.json} $(BIN)/soni serve --config $(CONFIG) --store sqlite:.soni/$(subst /,-,$(CONFIG)).db $(ARGS)

test: .venv/.installed-dev ## Run every test, in parallel, with coverage
	@$(BIN)/python -m pytest -n auto --inline-snapshot=disable --dist worksteal --cov --cov-report=term:skip-covered --cov-fail-under=$$(cat .coverage-floor)

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

bench: .venv/.installed-dev ## Measure what a durable turn costs against LangGraph alone, and how it grows (ARGS=--help)
	@$(BIN)/python -m bench.durability.run $(ARGS)

bench-server: .venv/.installed-dev ## Measure what serving costs: 1,000 open conversations, one and two processes (ARGS=--help)
	@$(BIN)/python -m bench.server.run $(ARGS)

screenshots: .venv/.installed-dev ## Take the pictures of the web chat in docs/images anew (needs Chromium)
	@$(BIN)/python -m tools.screenshots

bench-understanding: .venv/.installed-dev ## Measure understanding on public and own data (SONI_DATA=folder)
	@$(BIN)/python -m bench.understanding.run $(PARTS)

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
