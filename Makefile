# Everything goes through a private environment in .venv; each target sets up what it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PYTEST := sh .ci/memory $(BIN)/python -m pytest -q
STAMP  := $(VENV)/.installed

# Without compiled modules every start of the program would compile them again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-hosts test-hosts-more evals evals-promptfoo evals-live lint format types contracts docs check-docs packages check-packages bench faults fuzz fuzz-fixes clean

help:            ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml constraints.txt
	@sh .ci/venv "$(PYTHON)" "$(VENV)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e . --group dev
	@touch $(STAMP)

demo: $(STAMP)   ## set up and maintain a real topic wiki, step by step
	@rm -rf build/demo
	@$(BIN)/llm-wiki demo build/demo

test: $(STAMP)   ## set up and run every check: style, types, floors, docs, tests
	@$(MAKE) --no-print-directory lint check-docs check-packages
	@$(PYTEST) -n 2 --dist worksteal -m "not hosts"

lint: $(STAMP)   ## style, types and import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

HOST_CLIENT := tests/hosts/node_modules/.package-lock.json
$(HOST_CLIENT): tests/hosts/package-lock.json
	@cd tests/hosts && npm ci --no-audit --no-fund --loglevel=error

test-hosts: $(STAMP) $(HOST_CLIENT) ## drive a real host client with a scripted model
	@$(PYTEST) -n 2 --dist loadfile -m hosts --ignore tests/hosts/more tests/hosts

# The lock does not name the parts of every system, so `npm ci` would refuse it.
MORE_CLIENTS := tests/hosts/more/node_modules/.package-lock.json
$(MORE_CLIENTS): tests/hosts/more/package-lock.json
	@cd tests/hosts/more && npm install --no-save --no-audit --no-fund --loglevel=error

test-hosts-more: $(STAMP) $(MORE_CLIENTS) ## the same with Codex and OpenCode (a download of 290 MB)
	@$(BIN)/python -m pytest -q -m hosts tests/hosts/more

evals: $(STAMP)  ## put the evaluation cases to readers without a model
	@$(PYTEST) -n 2 -m evals evals

PROMPTFOO := evals/node_modules/.package-lock.json
$(PROMPTFOO): evals/package-lock.json
	@cd evals && npm ci --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error

evals-promptfoo: $(STAMP) $(PROMPTFOO) ## the same cases through promptfoo
	@sh .ci/memory $(BIN)/python evals/run.py offline

evals-live: $(STAMP) ## put cases to a model, if a key is set
	@$(BIN)/python evals/run.py live

format: $(STAMP) ## rewrite the code in the project's style
	@$(BIN)/ruff check --fix -q .
	@$(BIN)/ruff format -q .

docs: $(STAMP)   ## regenerate the generated tables
	@$(BIN)/python docs/generate.py

check-docs: $(STAMP) ## fail when a generated table is stale
	@$(BIN)/python docs/generate.py --check

packages: $(STAMP) ## render the packages of all hosts from their one source
	@$(BIN)/python -m llm_wiki.hosts.packages

check-packages: $(STAMP) ## fail when a rendered package is stale
	@$(BIN)/python -m llm_wiki.hosts.packages --check

bench: $(STAMP)  ## print the figures we publish
	@$(BIN)/python benchmarks/lint.py
	@$(BIN)/python benchmarks/startup.py
	@$(BIN)/python benchmarks/search.py
	@$(BIN)/python benchmarks/redact.py
	@$(BIN)/python benchmarks/retract.py
	@$(BIN)/python benchmarks/hook.py

faults: $(STAMP) ## only the tests that kill the process at every write
	@FAULTS=all $(PYTEST) tests/faults

TIME ?= 60
FUZZER := $(VENV)/.fuzzer
$(FUZZER): $(STAMP)
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --group fuzz
	@touch $(FUZZER)

fuzz: $(FUZZER)  ## put the parsers under fire for TIME seconds in all (default 60)
	@$(BIN)/python tests/fuzz --time $(TIME)

FIRST ?= 0
COUNT ?= 500
fuzz-fixes: $(STAMP) ## repair COUNT wikis damaged at random, from number FIRST on, and prove each repair
	@PYTHONPATH=scripts:tests $(BIN)/python tests/fixkit_fuzz.py $(FIRST) $(COUNT)

clean:           ## remove the environment and everything built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
