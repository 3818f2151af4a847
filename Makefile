# The commands of this project; each sets up what it needs. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test test-editors train-embedded fuzz lint docs clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("editd needs Python 3.11 or newer, found " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(STAMP) ## rewrite a real file and watch the diff stream
	@$(BIN)/python examples/demo.py

test: $(STAMP) ## run all tests that need no accelerator
	$(BIN)/python -m pytest

test-editors: $(STAMP) ## the clients in real Neovim and real VS Code, installed into .testenv
	PATH="$(CURDIR)/$(BIN):$$PATH" bash clients/nvim/tests/run_tests.sh
	cd clients/vscode && PATH="$(CURDIR)/$(BIN):$$PATH" bash test/run.sh

train-embedded: $(STAMP) ## train the embedded model (needs an accelerator; resumes)
	$(BIN)/python -m editd.nano.train --out build/embedded --minutes 8.5 --resume

fuzz: $(STAMP) ## the long fuzz runs
	$(BIN)/python -m pytest -m slow

lint: $(STAMP) ## formatting, lints, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(STAMP) ## regenerate the reference pages
	$(BIN)/python docs/generate.py

clean: ## remove the environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache build dist
