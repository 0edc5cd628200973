# Corral's chores. `make` alone lists them.
# Variables: PYTHON=/path/to/python3 (which interpreter to build .venv from), PYTEST_ARGS='-k lease -x'.

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

# Candidates are tried by running them: a name on the PATH may be too old, or a shim with nothing behind it.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null </dev/null \
	&& { echo "$$name"; break; }; done)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

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

.PHONY: check
check: install ## formatting, lint, types and architecture
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

.PHONY: format
format: install ## rewrite the code as `make check` wants it, where that is mechanical
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format

.PHONY: test
test: install ## the whole test suite; PYTEST_ARGS='-k lease -x' narrows it
	$(PY) -m pytest -m 'not bench' -n logical $(PYTEST_ARGS)

.PHONY: bench
bench: install ## measure engine, server, node and simulator on this machine
	$(PY) -m tests.bench

.PHONY: lock
lock: install ## resolve pyproject.toml anew into requirements/lock.txt (LOCK_ARGS=--upgrade for newer releases)
	$(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' \
		$(LOCK_ARGS) --group dev --output-file $(LOCK) pyproject.toml

.PHONY: clean
clean: ## remove .venv and everything that tools left behind
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .grimp_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
