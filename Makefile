# Counterweight. `make` lists what there is. Everything is installed into .venv; nothing outside the folder is touched,
# except that `make test` may install the system package "chromium" when no browser is found.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

HOST ?= 127.0.0.1
PORT ?= 8501
VENV ?= .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input install -qq
CANDIDATES := python3 python3.13 python3.12 python3.11
BROWSERS := chromium chromium-browser google-chrome google-chrome-stable

.PHONY: help run test lint type bench clean browser

help: ## list the commands
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

run: $(VENV)/installed-run ## start the dashboard (PORT=8501, HOST=127.0.0.1)
	@echo "Counterweight: open http://$(HOST):$(PORT) in a browser (stop with Ctrl-C)."
	@exec $(PY) -m streamlit run app.py --server.address $(HOST) --server.port $(PORT)

test: $(VENV)/installed-dev browser ## run every test, those in a real browser included
	@$(PY) -m pytest $(ARGS)

lint: $(VENV)/installed-dev ## check style and common mistakes
	@$(PY) -m ruff check .

type: $(VENV)/installed-dev ## check the types of core
	@$(PY) -m mypy core

bench: $(VENV)/installed-dev ## measure what the project promises (speed, memory)
	@for script in tests/bench/*.py; do echo "== $$script"; $(PY) "$$script"; done

clean: ## remove caches and the virtual environment; studies stay
	@rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# ---- what the commands above rest on

$(PY):
	@python=; for name in $(CANDIDATES); do \
	  if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; done; \
	if [ -z "$$python" ]; then echo "Python 3.11 or newer is needed; install it and run make again." >&2; exit 1; fi; \
	"$$python" -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Making the virtual environment failed; on Debian and Ubuntu install python3-venv and run make again." >&2; exit 1; }

$(VENV)/installed-run: requirements.txt | $(PY)
	@echo "Installing requirements.txt (only when it changed; about 2 GB, a minute or more) ..."
	@$(PIP) -r requirements.txt
	@touch $@

$(VENV)/installed-dev: requirements.txt requirements-dev.txt | $(PY)
	@echo "Installing requirements-dev.txt (only when it changed) ..."
	@$(PIP) -r requirements-dev.txt
	@touch $(VENV)/installed-run $@

browser:
	@if [ -n "$${COUNTERWEIGHT_CHROMIUM:-}" ]; then exit 0; fi; \
	for name in $(BROWSERS); do if command -v "$$name" >/dev/null; then exit 0; fi; done; \
	root=; if [ "$$(id -u)" != 0 ]; then root="sudo -n"; fi; \
	if command -v apt-get >/dev/null; then \
	  echo "Installing chromium for the browser tests ..."; \
	  if $$root apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive $$root apt-get install -y -qq chromium >/dev/null; then exit 0; fi; \
	fi; \
	echo "The browser tests need Chromium or Chrome: install it, or name its program in COUNTERWEIGHT_CHROMIUM." >&2; exit 1
