# What a person types; each target makes what it needs. `make help` lists them.
PYTHON ?= python3
PORT ?= 8000
PY = .venv/bin/python
PIP = $(PY) -m pip install --quiet --disable-pip-version-check
# As many test processes as cores.
JOBS ?= auto

.PHONY: help demo setup test test-postgres lint bench-stats bench-judges bench-import bench-dashboards bench-labelling chaos fuzz bench-upgrade
.DEFAULT_GOAL := help

help:
	@echo "make demo         the whole product on a simulated study, at http://127.0.0.1:$(PORT)/"
	@echo "make setup        .venv with all that the tests need"
	@echo "make test         every test, on SQLite and, where one answers, on PostgreSQL"
	@echo "make test-postgres  of these, what touches the database, on PostgreSQL alone"
	@echo "make lint         ruff, mypy, migrations, deployment check"
	@echo "make bench-stats  the statistics against their baselines"
	@echo "make bench-judges the judges against the official ways of looking, asking and deciding"
	@echo "make bench-labelling  people labelling at once: waiting, cost of an answer, nothing lost"
	@echo "make bench-import pictures against Pillow, label rows against sqlite3"
	@echo "make bench-dashboards the audit's pages with 100,000 images against 1,000"
	@echo "make bench-upgrade  a database of the first version with 1,000,000 answers, migrated"
	@echo "make fuzz         100,000 broken and hostile files, forms and replies (CASES=… SEED=…)"
	@echo "make chaos        kill -9 at random, 200 times on each database; nothing may be lost"

demo: .venv/core
	PORT=$(PORT) $(PY) manage.py demo

setup: .venv/dev

test: .venv/dev
	$(PY) -m pytest -n $(JOBS) --durations=15
	$(MAKE) --no-print-directory test-postgres

# The same tests of everything that touches the database, on the other one.
test-postgres: .venv/dev
	$(PY) -m tests.on_postgres -n $(JOBS)

lint: .venv/dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	$(PY) manage.py makemigrations --check --dry-run
	SECRET_KEY=$$($(PY) -c "import secrets; print(secrets.token_urlsafe(64))") \
		ALLOWED_HOSTS=jurybox.example $(PY) -W error manage.py check --deploy --fail-level WARNING

bench-stats: .venv/dev
	$(PY) -m tests.bench.bench_stats

bench-judges: .venv/dev
	$(PY) -m tests.bench.bench_judges

bench-labelling: .venv/dev
	$(PY) -m tests.bench.bench_labelling

bench-import: .venv/dev
	$(PY) -m tests.bench.bench_import

bench-dashboards: .venv/dev
	$(PY) -m tests.bench.bench_dashboards

chaos: .venv/dev
	$(PY) -m tests.chaos

bench-upgrade: .venv/dev
	$(PY) -m tests.bench.bench_upgrade

CASES ?= 100000
SEED ?= 1
fuzz: .venv/dev
	$(PY) -m tests.hostile.fuzz $(CASES) $(SEED)

.venv/core: requirements-core.txt
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PIP) -r requirements-core.txt
	@touch $@

.venv/dev: requirements-dev.txt requirements.txt requirements-core.txt
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PIP) -r requirements-dev.txt
	@touch .venv/core $@
