# Two commands are enough: `make demo` and `make test`. Each makes the environment it needs.
.DEFAULT_GOAL := help
.PHONY: screenshots help setup demo test check bench bench-window format lock clean

VENV := .venv
BIN := $(VENV)/bin
# Options for pytest, such as PYTEST="tests/unit -k tokens"; by default all tests on all cores.
PYTEST ?= -n auto

help:
	@echo "make demo    write the sample runs, audit them, show what was found"
	@echo "make test    make check, then all tests"
	@echo "make check   ruff, mypy, import contracts"
	@echo "make bench   reading and auditing against one pass of a JSON parser"
	@echo "make screenshots  pictures of every state of the window, and those of the README"
	@echo "make bench-window  the longest steps, the start and the memory of the window"
	@echo "make setup   the environment in $(VENV) alone (part of the others)"
	@echo "make format  let ruff rewrite what it can"
	@echo "make lock    choose new versions of the dependencies"
	@echo "make clean   remove everything that was made here"

# The stamps lie inside the environment, so that they go when it goes.
$(BIN)/python:
	@sh packaging/make_venv.sh $(VENV)

$(VENV)/.installed: packaging/requirements.lock pyproject.toml | $(BIN)/python
	@echo "Installing the locked dependencies into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		-r packaging/requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation --editable .
	@touch $@

# Without Qt's libraries only the window is missing: say so and go on, and look again next time.
setup: $(VENV)/.installed
	@test -e $(VENV)/.qt-checked || \
		if $(BIN)/python packaging/qt_libraries.py; then touch $(VENV)/.qt-checked; fi

demo: setup
	@$(BIN)/reread demo

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/python -m pytest $(PYTEST)

bench: setup
	$(BIN)/python tests/benchmarks/run.py

bench-window: setup
	$(BIN)/python tests/benchmarks/window.py

screenshots: setup
	$(BIN)/python packaging/screenshots.py pictures
	$(BIN)/python packaging/screenshots.py docs/pictures --readme

format: setup
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

# Chooses the newest versions that pyproject.toml allows, for every Python and system, with hashes.
lock: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-header --group test --group build pyproject.toml \
		--output-file packaging/requirements.lock

clean:
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find reviewer store tests packaging -type d -name __pycache__ -prune -exec rm -rf {} +
