# Corral's chores. `make` alone lists them.
# Variables: PYTHON=/path/to/python3 (which interpreter to build .venv from), PYTEST_ARGS='-k lease -x',
# DEMO_ARGS='--devices 20 --once', CHAOS_ARGS='--minutes 60 --seed 7', SCALE_ARGS='farms --nodes 10 50'.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
LOCK := requirements/lock.txt
PIP := $(PY) -m pip --disable-pip-version-check --no-input -qq
PYTEST_ARGS ?=
DEMO_ARGS ?=
CHAOS_ARGS ?=
SCALE_ARGS ?=
BENCH_ARGS ?=
FUZZ_ARGS ?=

# Whoever forbids compiled modules would have every process of a farm or a test compile all of them again.
unexport PYTHONDONTWRITEBYTECODE

# Candidates are tried by running them: a name on the PATH may be too old, or a shim with nothing behind it.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null </dev/null \
	&& { echo "$$name"; break; }; done)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: install
install: $(VENV)/installed ## build .venv from the locked, hashed dependencies (instant when up to date)

# The stamp is a copy of the lock that was installed: a lock whose time changed but not its text
# (after a git checkout, say) needs no network, and one whose text changed leaves nothing stale behind.
$(VENV)/lock.txt: $(LOCK)
	@if cmp -s $(LOCK) $@ && $(PY) -c '' 2>/dev/null; then touch $@; exit 0; fi; \
	python='$(PYTHON)'; \
	if [ -z "$$python" ]; then \
		echo "make: no Python 3.11 or newer with the venv and ensurepip modules was found on the PATH." >&2; \
		echo "make: install one (on Debian and Ubuntu: apt-get install python3 python3-venv)," >&2; \
		echo "make: or name it: make install PYTHON=/path/to/python3" >&2; \
		exit 1; \
	fi; \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "make: $$python is not a Python 3.11 or newer." >&2; exit 1; }; \
	"$$python" -c 'import ensurepip, venv' \
		|| { echo "make: $$python lacks venv or ensurepip (on Debian and Ubuntu: apt-get install python3-venv)." >&2; exit 1; }; \
	echo "Installing into $(VENV) with $$("$$python" --version)"; \
	"$$python" -m venv --clear $(VENV); \
	$(PIP) install --require-hashes -r $(LOCK); \
	cp $(LOCK) $@

$(VENV)/installed: $(VENV)/lock.txt pyproject.toml src/corral/__init__.py
	@$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: demo
demo: install ui ## a farm of 100 simulated phones, with a run on all of them; DEMO_ARGS='--devices 20 --once' changes that
	@$(BIN)/corral demo $(DEMO_ARGS)

.PHONY: dist
dist: install ui ## build the source distribution and the wheel into dist/
	$(PY) -m build --no-isolation

.PHONY: ui
ui: install ## build the web UI into the package (instant when nothing changed)
	@$(PY) ui/build.py

# The lock's Node, whatever else is on this machine.
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix ui --silent

.PHONY: ui-modules
ui-modules: install
	@$(PY) ui/build.py --install

.PHONY: ui-types
ui-types: ui-modules ## make the UI's types anew of the server's OpenAPI document
	@$(PY) ui/openapi.py > ui/openapi.json
	$(NPM) run types -- --output src/api/schema.ts

.PHONY: check
check: install ui-modules ## formatting, lint, types, architecture, and known vulnerabilities of dependencies
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(NPM) run check
	@$(PY) ui/openapi.py > ui/openapi.json
	@$(NPM) run types -- --output src/api/schema.ts --check \
		|| { echo "make: the UI's types are not those of the server: make ui-types" >&2; exit 1; }
	@$(PY) -m tests.audit

.PHONY: format
format: install ui-modules ## rewrite the code as `make check` wants it, where that is mechanical
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format
	$(NPM) run format

.PHONY: test
test: install ui browser ## the whole test suite; PYTEST_ARGS='-k lease -x' narrows it
	$(NPM) test
	$(PY) -m pytest -m 'not bench' -n auto --dist worksteal $(PYTEST_ARGS)

.PHONY: browser
browser: install
	@$(PY) -m tests.browser.chromium

.PHONY: bench
bench: install ## measure engine, server, node and simulator on this machine, then Corral beside other queues, which it installs for that
	@failed=0; \
	for measurement in 'tests.bench' 'tests.bench.others --no-write'; do \
		echo "$(PY) -m $$measurement"; \
		$(PY) -m $$measurement || failed=1; \
	done; \
	exit $$failed

.PHONY: bench-scale
bench-scale: install ## measure farms of up to a thousand nodes, and a database after a million jobs (15 minutes)
	$(PY) -m tests.bench.scale $(SCALE_ARGS)

.PHONY: bench-others
bench-others: install ## measure Corral beside other queues alone, and write docs/benchmarks.md
	$(PY) -m tests.bench.others $(BENCH_ARGS)

.PHONY: chaos
chaos: install ## try to break a farm for 10 minutes, and check what became of it
	$(PY) -m tests.chaos $(CHAOS_ARGS)

.PHONY: fuzz
fuzz: install ## feed nonsense to every reader for 10 minutes each; FUZZ_ARGS='recipes --minutes 1' narrows it
	$(PY) -m tests.fuzz $(FUZZ_ARGS)

.PHONY: bench-ui
bench-ui: install ui browser ## measure the web UI in a real Chromium
	$(PY) -m tests.bench.ui

.PHONY: lock
lock: install ## resolve pyproject.toml anew into requirements/ (LOCK_ARGS=--upgrade for newer releases)
	$(RESOLVE) $(LOCK_ARGS) --group dev --output-file $(LOCK) pyproject.toml
	$(RESOLVE) --constraints $(LOCK) --upgrade --output-file requirements/runtime.txt pyproject.toml

# runtime.txt is the lock without the tools: what an installation needs, in the very same versions.
RESOLVE := $(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock'

.PHONY: clean
clean: ## remove .venv and everything that tools left behind
	rm -rf $(VENV) build dist ui/node_modules ui/openapi.json src/corral/ui_dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .grimp_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
