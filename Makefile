# Every target prepares .venv by itself: python 3.11 or newer, pip and make are all that is needed.
# PYTHON=/path/to/python chooses the interpreter that .venv is made from.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTHON ?=
JOBS ?= 2

# What is linted and type-checked; the optional parts join when they exist.
CODE := src tests docs $(wildcard check_proof.py) $(if $(wildcard benchmarks/*.py),benchmarks)

.PHONY: help demo test test-full bench check chromium coq theory verify docs format clean

help:
	@echo "make demo       show what epstar does"
	@echo "make test       format, lint, types, tests and doctests"
	@echo "make test-full  the same, with the long campaigns"
	@echo "make verify     the theory in Coq, and answers of every kind proven by it"
	@echo "make bench      the benchmarks"
	@echo "make docs       the documentation, with the pages and pictures that are made by programs"
	@echo "make format     format the code and fix what can be fixed"
	@echo "make clean      remove the environment, caches and build outputs"

# A candidate is taken only if it runs, is new enough and can make an environment: a launcher that exists
# may still point at nothing, and some systems package venv apart from python.
$(STAMP): pyproject.toml constraints.txt
	@found=""; \
	for candidate in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 python; do \
	    if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	        && "$$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
	        found="$$candidate"; break; \
	    fi; \
	    if [ -n "$(PYTHON)" ]; then break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	    if [ -n "$(PYTHON)" ]; then \
	        echo "error: PYTHON=$(PYTHON) is not a Python 3.11 or newer with the venv module." >&2; \
	    else \
	        echo "error: no Python 3.11 or newer with the venv module was found;" \
	            "install one, or name it with: make PYTHON=/path/to/python" >&2; \
	    fi; \
	    exit 1; \
	fi; \
	echo "preparing $(VENV) with $$("$$found" --version)"; \
	"$$found" -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' --constraint constraints.txt
	@touch $@

demo: $(STAMP)
	@rm -rf build/demo && mkdir -p build
	@$(BIN)/epstar demo --output build/demo
	@if [ -t 0 ] && [ -t 1 ]; then exec $(BIN)/epstar serve; fi

check: $(STAMP)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy --strict $(CODE)

# Where Debian's packages put programs, for a shell whose path leaves it out.
export PATH := $(PATH):/usr/bin

# The browser tests drive Debian's chromium; where it is missing it is installed, or the command says what to do.
chromium:
	@command -v chromium >/dev/null || { \
	    echo "installing chromium for the browser tests"; \
	    if [ "$$(id -u)" = 0 ]; then elevate=""; else elevate="sudo -n"; fi; \
	    { $$elevate apt-get update -qq && $$elevate apt-get install -y -qq chromium; } >/dev/null 2>&1; \
	    command -v chromium >/dev/null; \
	} || { \
	    echo "error: the browser tests need chromium, which is missing and could not be installed;" \
	        "install it with: apt-get install chromium" >&2; \
	    exit 1; \
	}

# The theory and exported answers are checked by Debian's coq, which comes in the same way.
coq:
	@command -v coqc >/dev/null || { \
	    echo "installing coq for the proofs in theory/"; \
	    if [ "$$(id -u)" = 0 ]; then elevate=""; else elevate="sudo -n"; fi; \
	    { $$elevate apt-get update -qq && $$elevate apt-get install -y -qq coq; } >/dev/null 2>&1; \
	    command -v coqc >/dev/null; \
	} || { \
	    echo "error: the proofs in theory/ need coqc, which is missing and could not be installed;" \
	        "install it with: apt-get install coq" >&2; \
	    exit 1; \
	}

# Prints what the theorems rest on: the axioms of Coq's real numbers.
theory: coq
	@mkdir -p build/theory && cp -pu theory/*.v theory/_CoqProject build/theory
	@cd build/theory && coq_makefile -f _CoqProject -o Makefile.coq && $(MAKE) -s -f Makefile.coq

# PROBLEMS=papers.json:random.json has the linear questions of more files proven.
PROBLEMS ?=
verify: theory $(STAMP)
	EPSTAR_PROBLEMS=$(PROBLEMS) $(BIN)/python -m pytest -n $(JOBS) $(TOGETHER) -q tests/theory tests/export

# Each worker of the tests has a core of its own: threads of the linear algebra would only wait for each other there (a
# question that takes 1.6 CPU seconds by one thread took 9 by two beside other work).
test test-full verify: export OPENBLAS_NUM_THREADS := 1
# Many tests start a program, which would compile the whole package each time: half a second in place of 0.3.
test test-full verify: export PYTHONDONTWRITEBYTECODE :=

# Tests that share what takes long are given to one worker, in the order of tests/conftest.py.
TOGETHER := --dist loadgroup --no-loadscope-reorder

# The property tests draw the same examples every time here, and new ones in every full run. A test that does not end within
# ten minutes, where the longest takes one, fails and says where it was: it would hold up all others for ever.
test: check chromium coq
	$(BIN)/python -m pytest -n $(JOBS) $(TOGETHER) -m "not full" -q --hypothesis-seed=0 \
	    -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true --max-worker-restart=0

test-full: check chromium coq
	$(BIN)/python -m pytest -n $(JOBS) $(TOGETHER) -q

# The peers get an environment of their own, so that epstar's stays as it is installed.
PEERS := .venv-peers
$(PEERS)/.installed: $(STAMP) benchmarks/peers.txt
	@$(BIN)/python -m venv --clear $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[plot,table,spark,web]' \
	    --requirement benchmarks/peers.txt --constraint constraints.txt
	@touch $@

bench: $(PEERS)/.installed
	$(PEERS)/bin/python -m benchmarks

docs: $(STAMP)
	$(BIN)/python -m epstar_papers.pages docs/papers
	$(BIN)/python -m docs.pages
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d build/doctrees docs build/docs
	@echo "the documentation is in build/docs/index.html"

format: $(STAMP)
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

clean:
	rm -rf $(VENV) $(PEERS) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name '__pycache__' -type d -prune -exec rm -rf {} +
	find src -name '*.egg-info' -type d -prune -exec rm -rf {} +
