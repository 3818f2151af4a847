# The commands of this project; each sets up what it needs. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO := .venv-demo
NEW_ENOUGH = $(PYTHON) -c 'import sys; sys.exit("editd needs Python 3.11 or newer, found " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
COMPARE := .venv-compare
DOORS := .venv-doors
VLLM := .venv-vllm
# The project's own environment where there is one, else the Python that is there.
GPU_PYTHON ?= $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON))
EDITD_TEST_DEVICE ?= cuda
# For `make compare`: REPEATS at most, none begun that would end after MINUTES; LIMIT edits, 0 for all.
REPEATS ?= 3
MINUTES ?= 10
LIMIT ?= 0

.DEFAULT_GOAL := help
.PHONY: help editors release demo demo-real test test-again test-real test-doors test-vulkan test-vllm bench-vllm test-editors test-editors-again test-gpu train-embedded bench-gpu compare stalls fuzz lint docs clean

help: ## list these commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

$(STAMP): pyproject.toml constraints.txt
	@$(NEW_ENOUGH)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

# What the demo needs, where the development environment is not there: no torch.
$(DEMO)/.installed: packages/core/pyproject.toml
	@$(NEW_ENOUGH)
	@echo "Installing what the demo needs into $(DEMO)."
	@$(PYTHON) -m venv $(DEMO)
	@$(DEMO)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check \
		--constraint constraints.txt './packages/core[llama]'
	@touch $@

demo: $(if $(wildcard $(STAMP)),,$(DEMO)/.installed) ## rewrite an example file and show the diff (FILE=… INSTRUCTION=… for your own)
	@PYTHONPATH=$(CURDIR) $(if $(wildcard $(STAMP)),$(BIN),$(DEMO)/bin)/python examples/demo.py

# Node 20 or newer. `editd setup` installs both, from an environment of your own.
editors: ## build the VS Code extension and the Neovim plugin into dist/
	@mkdir -p dist
	cd clients/vscode && npm ci --silent --no-audit --no-fund && npm run --silent package
	cp clients/vscode/editd.vsix dist/editd.vsix
	tar -czf dist/editd-nvim.tar.gz -C clients/nvim doc lsp lua plugin
	@ls -l dist/editd.vsix dist/editd-nvim.tar.gz

# Needs Node; a test then installs each file where no checkout is.
release: $(STAMP) editors ## make a release's files in dist/release, and test them in fresh environments
	$(BIN)/python packages/release.py
	EDITD_RELEASE=$(CURDIR)/dist/release $(BIN)/python -m pytest -q -p no:xdist tests/release

# Files go to workers whole, because what a file sets up once is dear. Two are enough: each loads torch.
test: $(STAMP) ## run all tests that need no GPU
	$(BIN)/python -m pytest -n 2 --dist loadfile

# For CI, where two suites share two cores; ends at the first test that fails again.
test-again: $(STAMP) ## run the tests that failed last once more, one at a time
	$(BIN)/python -m pytest -p no:xdist -v --last-failed --last-failed-no-failures none --maxfail 1

# A trained model is the user's: a folder, a GGUF file or a pulled id, and a smaller one that drafts for it.
test-real: $(STAMP) ## run the tests that need a trained model: EDITD_REAL_MODEL=… EDITD_REAL_DRAFT=…
	$(BIN)/python -m pytest -q -p no:xdist tests/real

demo-real: $(STAMP) ## rewrite FILE with EDITD_REAL_MODEL and INSTRUCTION; the file is not written
	@if [ -z "$$EDITD_REAL_MODEL" ]; then \
		echo "EDITD_REAL_MODEL names no model: set it to a folder, a GGUF file or a pulled id."; \
	else \
		$(BIN)/python -m editd edit "$$FILE" -i "$$INSTRUCTION" --model "$$EDITD_REAL_MODEL" \
			$${EDITD_REAL_DRAFT:+--draft-model "$$EDITD_REAL_DRAFT"}; \
	fi

# Clients that others wrote bring hundreds of packages, so they get environments of their own; those of
# npm are left out without it.
$(DOORS)/.installed: tests/doors/requirements.txt
	$(PYTHON) -m venv $(DOORS)
	$(DOORS)/bin/python -m pip install --quiet --requirement tests/doors/requirements.txt
	-npm install --silent --no-audit --no-fund --prefix .testenv/doors \
		@modelcontextprotocol/inspector@0.15.0 @continuedev/openai-adapters@1.37.0
	@touch $@

test-doors: $(STAMP) $(DOORS)/.installed ## test third-party clients with editd serve and editd mcp
	$(BIN)/python -m pytest tests/doors

# A driver that computes on the CPU stands for a GPU; on a machine with one, the first card is taken. The build and
# compiled shaders stay in .testenv. Where the driver or the build cannot be had, one sentence says so.
test-vulkan: $(STAMP) ## test llama.cpp on a GPU with Vulkan, or on Mesa's software driver
	@bash tests/vulkan/run.sh $(BIN)

# vLLM's CPU build brings some of CUDA's libraries, whose import a CPU's torch does not survive.
$(VLLM)/.installed: tests/vllm/requirements.txt packages/core/pyproject.toml packages/vllm/pyproject.toml
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/python -m pip install --quiet --requirement tests/vllm/requirements.txt
	$(VLLM)/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	$(VLLM)/bin/python -m pip install --quiet packages/core packages/vllm
	@touch $@

test-vllm: $(STAMP) $(VLLM)/.installed ## test editd-vllm in vLLM's CPU build
	EDITD_DEMO_MODEL="$$($(BIN)/python -m tests.fixtures.solved)" PYTHONPATH=.:packages/vllm \
		$(VLLM)/bin/python -m pytest -W default tests/vllm

bench-vllm: $(STAMP) $(VLLM)/.installed ## measure editd-vllm with 1, 8 and 32 concurrent requests on the CPU
	EDITD_DEMO_MODEL="$$($(BIN)/python -m tests.fixtures.solved)" PYTHONPATH=.:packages/vllm \
		$(VLLM)/bin/python -m benchmarks.inside_vllm

test-editors: $(STAMP) ## test the clients in Neovim and VS Code, installed into .testenv
	@export PATH="$(CURDIR)/$(BIN):$$PATH"; failed=0; \
	bash clients/nvim/tests/run_tests.sh || failed=1; \
	bash clients/vscode/test/run.sh || failed=1; \
	exit $$failed

test-editors-again: $(STAMP) ## run the parts of the clients' tests that failed in LOG=… once more
	@export PATH="$(CURDIR)/$(BIN):$$PATH"; bash clients/again.sh $(LOG)

# Goes on where it was, from its own checkpoint or from the adapter that is shipped. MINUTES as given.
train-embedded: $(STAMP) ## train the embedded model's adapter on the CPU for MINUTES=…; resumes
	@test -f build/embedded/corpus.jsonl.gz || $(BIN)/python -m training.corpus --out build/embedded/corpus.jsonl.gz
	$(BIN)/editd models pull embedded
	nice -n 19 $(BIN)/python -m training.train --corpus build/embedded/corpus.jsonl.gz --out build/embedded \
		--minutes $(MINUTES) --resume editd/embedded/weights/adapter.safetensors

# On a machine with a GPU the Python that is there often has torch, and nothing can be installed: GPU_PYTHON
# is used as it is. What it lacks can lie on PYTHONPATH (docs/explanation/speed.md).
test-gpu: ## run the GPU tests: GPU_PYTHON=python3 EDITD_TEST_DEVICE=cuda
	EDITD_TEST_DEVICE=$(EDITD_TEST_DEVICE) $(GPU_PYTHON) -m pytest -q tests/lossless \
		tests/unit/models/test_exactness.py tests/unit/models/test_devices.py

bench-gpu: ## measure every aim on a GPU: CASES=edits.jsonl for whole edits
	@$(GPU_PYTHON) -m benchmarks.gpu $(if $(CASES),--cases $(CASES))

# An environment of its own: the peers bring libraries that editd does not need. A llama-server on the PATH
# is used; without it the comparison goes on and says so.
$(COMPARE)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[compare,plot]'
	@touch $@

compare: $(COMPARE)/.installed ## compare with other engines on the CPU; writes docs/explanation/performance.md
	@mkdir -p build
	$(COMPARE)/bin/python -m benchmarks compare --repeats $(REPEATS) --minutes $(MINUTES) --limit $(LIMIT) \
		--json build/compare.json --plot docs/images/performance.svg --page docs/explanation/performance.md

stalls: $(STAMP) ## measure how long large and odd files make other clients wait
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m benchmarks.stalls

fuzz: $(STAMP) ## run the long fuzz tests
	$(BIN)/python -m pytest -n 2 -m slow

lint: $(STAMP) ## check formatting, lints and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(STAMP) ## regenerate the reference pages
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/edit_formats.py

clean: ## remove environments, builds and caches
	rm -rf $(VENV) $(DEMO) $(COMPARE) $(DOORS) $(VLLM) .pytest_cache .mypy_cache .ruff_cache build dist
