# Everything a developer runs, from a fresh clone, with only Python >= 3.11 and make. `make` alone lists the targets.
PYTHON ?= python3
LOWEST_PYTHON ?= $(PYTHON)
VENV ?= .venv
DEMO_VENV ?= .venv-demo
LATEST_VENV = .venv-latest
LOWEST_VENV = .venv-lowest
FROZEN_VENV = .venv-constraints

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test check bench nightly latest lowest constraints clean

help:
	@echo 'make demo         verify every mechanism, then release a private count (the small environment)'
	@echo 'make test         the tests, but those that take minutes'
	@echo 'make check        ruff, formatting, pyright (strict), the import contracts'
	@echo 'make bench        the benchmarks, beside the peers'
	@echo 'make nightly      the thorough verification, the slow tests, then the unit tests with the latest'
	@echo '                  and with the lowest versions of every dependency'
	@echo 'make constraints  write constraints.txt anew from the newest versions'
	@echo 'make clean        remove environments, caches and builds'
	@echo
	@echo 'Another Python: make test PYTHON=python3.13 VENV=.venv-3.13'

# $(call make_venv,FOLDER,PYTHON): an empty environment, or one sentence saying what is missing.
define make_venv
	@$(2) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo 'discreet needs Python 3.11 or newer, which "$(2)" is not; name one: make $(MAKECMDGOALS) PYTHON=python3.12' >&2; exit 1; }
	@$(2) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo 'This Python cannot make environments (it lacks ensurepip); on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	@echo 'making $(1)'
	@$(2) -m venv $(1)
endef

# $(call pip,FOLDER): quiet, and nothing but what is asked for.
pip = $(1)/bin/python -m pip install -q --disable-pip-version-check
# Exact versions, for the build backends too: older pips read the first variable there, newer ones the second.
pinned = PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt $(call pip,$(1)) -c constraints.txt

$(VENV)/.made:
	$(call make_venv,$(VENV),$(PYTHON))
	@touch $@

$(DEMO_VENV)/.made:
	$(call make_venv,$(DEMO_VENV),$(PYTHON))
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(VENV)/.made
	@echo 'installing discreet[test] into $(VENV)'
	@$(call pinned,$(VENV)) -e '.[test]'
	@touch $@

$(VENV)/.check: pyproject.toml constraints.txt | $(VENV)/.made
	@echo 'installing discreet[test,check] into $(VENV)'
	@$(call pinned,$(VENV)) -e '.[test,check]'
	@touch $@

$(VENV)/.bench: pyproject.toml constraints.txt | $(VENV)/.made
	@echo 'installing discreet[bench] into $(VENV)'
	@$(call pinned,$(VENV)) -e '.[bench]'
	@touch $@

$(DEMO_VENV)/.base: pyproject.toml constraints.txt | $(DEMO_VENV)/.made
	@echo 'installing discreet into $(DEMO_VENV)'
	@$(call pinned,$(DEMO_VENV)) -e .
	@touch $@

demo: $(DEMO_VENV)/.base
	@echo '== every mechanism, verified on all small tables: discreet verify'
	@$(DEMO_VENV)/bin/discreet verify
	@echo
	@echo '== a private count: python examples/private_count.py'
	@$(DEMO_VENV)/bin/python examples/private_count.py

test: $(VENV)/.test
	@$(VENV)/bin/python -m pytest

check: $(VENV)/.check
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/pyright --pythonpath $(VENV)/bin/python
	$(VENV)/bin/lint-imports --no-logo

bench: $(VENV)/.bench
	@$(VENV)/bin/python -m benchmarks

nightly: $(VENV)/.test
	$(VENV)/bin/discreet verify --thorough
	$(VENV)/bin/python -m pytest -m nightly
	@$(MAKE) --no-print-directory latest lowest

latest:
	@rm -rf $(LATEST_VENV)
	$(call make_venv,$(LATEST_VENV),$(PYTHON))
	@echo 'installing the latest version of every dependency'
	@$(call pip,$(LATEST_VENV)) --upgrade --upgrade-strategy eager -e '.[test]'
	$(LATEST_VENV)/bin/python -m pytest tests/unit

lowest:
	@rm -rf $(LOWEST_VENV)
	@$(LOWEST_PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || { \
	  echo 'The lowest versions are those that have wheels for Python 3.11: make $(MAKECMDGOALS) LOWEST_PYTHON=python3.11' >&2; exit 1; }
	$(call make_venv,$(LOWEST_VENV),$(LOWEST_PYTHON))
	@echo 'installing the lowest version of every dependency'
	@$(LOWEST_VENV)/bin/python scripts/lowest.py test > $(LOWEST_VENV)/lowest.txt
	@$(call pip,$(LOWEST_VENV)) -c $(LOWEST_VENV)/lowest.txt -e '.[test]'
	$(LOWEST_VENV)/bin/python -m pytest tests/unit

# The build backends (hatchling and editables are ours, setuptools and wheel a peer's) are frozen too.
# xxhash < 4: pure-ldp's local hashing breaks with 4.
constraints:
	@rm -rf $(FROZEN_VENV)
	$(call make_venv,$(FROZEN_VENV),$(PYTHON))
	@$(call pip,$(FROZEN_VENV)) --upgrade -e '.[test,check,bench]' hatchling editables setuptools wheel 'xxhash<4'
	@{ echo '# The exact versions that `make` installs, the build backends included.'; \
	   echo '# Written by `make constraints`; do not edit by hand.'; \
	   $(FROZEN_VENV)/bin/python -m pip freeze --all --exclude-editable --exclude pip; } > $(FROZEN_VENV)/frozen.txt
	@mv $(FROZEN_VENV)/frozen.txt constraints.txt
	@rm -rf $(FROZEN_VENV)

clean:
	rm -rf $(VENV) $(DEMO_VENV) $(LATEST_VENV) $(LOWEST_VENV) $(FROZEN_VENV) build dist out .discreet-example *.egg-info
	rm -rf .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
