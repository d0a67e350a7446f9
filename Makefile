# What a person types; each target makes what it needs. `make help` lists them.
PYTHON ?= python3
PORT ?= 8000
PY = .venv/bin/python
PIP = $(PY) -m pip install --quiet --disable-pip-version-check
# The locks name every package and the hash of its files, so pip need not look for what else is wanted.
LOCKED = $(PIP) --no-deps --require-hashes -r
# The tests' many packages are laid in by uv in a tenth of pip's time; it does not read pip's settings.
UV_INSTALL = .venv/bin/uv pip install --quiet --python $(PY) $(addprefix --find-links ,$(PIP_FIND_LINKS))
COMPILE = .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make lock"
# packages/ in place, by paths that begin at the environment: each checkout that links to it has its own.
IN_PLACE = printf '../../../../%s\n' packages/* > $$($(PY) -c "import sysconfig; print(sysconfig.get_path('purelib'))")/jurybox.pth
# The command of the wheel, for this clone.
COMMAND = printf '\#!/bin/sh\nPYTHONPATH="%s" exec "%s/$(PY)" -m jurybox "$$@"\n' "$(CURDIR)" "$(CURDIR)" > .venv/bin/jurybox && chmod +x .venv/bin/jurybox
# One test process more than cores: browsers, servers and limits of time are waited for.
JOBS ?= $(shell expr $$(nproc 2>/dev/null || sysctl -n hw.ncpu) + 1)
# Each process begins with its share of the tests that lie together, and takes from the others when it is done.
DIST ?= worksteal
# Where nothing compiled is kept, each process compiles the project and its tests afresh: of processor,
# a start of manage.py takes 2.4 seconds instead of 1.6, and to collect the tests 21 instead of 10.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo setup client test test-postgres test-all lint real-weights bench-all bench-stats bench-card bench-judges bench-judge-lake bench-import bench-dashboards bench-labelling chaos fuzz bench-flows bench-growth bench-million lock sbom digests bench-proxy siege wheels wheel-trial docs house translations judge-tables
.DEFAULT_GOAL := help

help:
	@echo "make demo         the whole product on a simulated study, at http://127.0.0.1:$(PORT)/"
	@echo "make setup        .venv with all that the tests need"
	@echo "make test         the quick tests, on SQLite and, where one answers, on PostgreSQL"
	@echo "make test-postgres  of these, what may differ on PostgreSQL, there alone"
	@echo "make test-all     every test on both databases: before a release"
	@echo "make lint         ruff, mypy, migrations, deployment check"
	@echo "make bench-all    every goal of work on one machine in one table: an hour; ONLY=… for some of it"
	@echo "make bench-stats  the statistics against their baselines"
	@echo "make client       jurybox/client.py, written from the API's schema"
	@echo "make bench-card   judges' cards: whether intervals hold what was planted, and what a card costs"
	@echo "make real-weights each judge once on published weights that are here: docs/real-weights.md"
	@echo "make bench-judges the judges against the official ways of looking, asking and deciding"
	@echo "make bench-judge-lake  100,000 pictures on two nodes of Ray, whose processes are killed; needs requirements-ray.txt"
	@echo "make bench-labelling  people labelling at once: waiting, cost of an answer, nothing lost"
	@echo "make bench-import pictures against Pillow, label rows against sqlite3"
	@echo "make bench-flows  rows in, labels out and runs, on both databases; FULL=1 with 1,000,000 rows"
	@echo "make bench-dashboards the audit's pages with 100,000 images against 1,000"
	@echo "make bench-growth  every page with 1,000, 10,000 and 100,000 images; FULL=1 also with 1,000,000"
	@echo "make bench-million  twenty people in a study of 1,000,000 images; on each database about ten minutes"
	@echo "make fuzz         100,000 hostile files, forms and replies, and as many options of judges (CASES=… SEED=…)"
	@echo "make house        how large the house is, beside its limits and goals; WRITE=1 lowers the limits"
	@echo "make translations  new English sentences into locale/, and those that are gone out of it: before a release"
	@echo "make judge-tables  docs/judge-tables.md, and the fingerprints of new judges: before a release"
	@echo "make docs         the documentation as pages, in var/site/"
	@echo "make wheels       jurybox and each of packages/ as wheels, in dist/"
	@echo "make wheel-trial  all in empty environments: demo, audit, their tests; each extra alone; needs the package index"
	@echo "make lock         the locks made again from requirements*.txt (UPGRADE=1 takes newer transitive ones)"
	@echo "make sbom         sbom.json: every package of the whole product with its hashes (CycloneDX)"
	@echo "make digests      the images of compose.yaml by digest, as lines for its .env file"
	@echo "make bench-proxy  a minute behind nginx with TLS: labels, a large file, an export, HEADs"
	@echo "make siege        4,200 connections of strangers; how long others wait for a page"
	@echo "make chaos        kill -9 at random, 200 times on each database, and links cut; nothing may be lost"

demo: .venv/core
	@PORT=$(PORT) $(PY) manage.py demo

setup: .venv/dev

# The API's client, from the API's own schema.
client: .venv/dev
	DJANGO_SETTINGS_MODULE=audit.settings $(PY) -c "import django; django.setup(); from audit.reference.client import python; print(python())" > jurybox/client.new
	$(PY) -m ruff format -q --stdin-filename client.py - < jurybox/client.new > jurybox/client.py
	rm jurybox/client.new

test: .venv/dev
	$(PY) -m tests.run -n $(JOBS) --dist $(DIST) -m "not nightly" --durations=15
	$(MAKE) --no-print-directory test-postgres

# What may differ on the other database.
test-postgres: .venv/dev
	$(PY) -m tests.on_postgres -n $(JOBS) --dist $(DIST)

# Also what takes long: real servers, memory, drawn worlds, phones, layout, smoke runs of benchmarks.
test-all: .venv/dev
	ALL=1 FUZZ_CASES=100 $(PY) -m tests.run -n $(JOBS) --dist $(DIST) --durations=15 --hypothesis-seed=1
	ALL=1 $(PY) -m tests.on_postgres -n $(JOBS) --dist $(DIST)

lint: .venv/dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	$(PY) manage.py makemigrations --check --dry-run
	SECRET_KEY=$$($(PY) -c "import secrets; print(secrets.token_urlsafe(64))") \
		ALLOWED_HOSTS=jurybox.example TRUSTED_PROXIES=127.0.0.1 $(PY) -W error manage.py check --deploy --fail-level WARNING

bench-all: .venv/dev
	$(PY) -m tests.bench.bench_all $(ONLY)

bench-stats: .venv/dev
	$(PY) -m tests.bench.bench_stats
	$(PY) -m tests.bench.drawn_worlds
	$(PY) -m tests.bench.cause_worlds
	$(PY) -m tests.bench.hidden_labels
	$(PY) -m tests.bench.edge_coverage
	$(PY) -m tests.bench.many_looks
	$(PY) -m tests.bench.true_verdict
	$(PY) -m tests.bench.edit_verdict
	$(PY) -m tests.bench.equal_judges

bench-card: .venv/dev
	$(PY) -m tests.bench.card_worlds

bench-judges: .venv/dev
	$(PY) -m tests.bench.bench_judges

bench-judge-lake: .venv/dev
	$(PY) -m tests.bench.bench_judge_lake

real-weights: .venv/dev
	$(PY) -m tests.bench.real_weights

bench-labelling: .venv/dev
	$(PY) -m tests.bench.bench_labelling

bench-import: .venv/dev
	$(PY) -m tests.bench.bench_import

bench-dashboards: .venv/dev
	$(PY) -m tests.bench.bench_dashboards

bench-flows: .venv/dev
	$(PY) -m tests.bench.bench_flows

bench-growth: .venv/dev
	$(PY) -m tests.bench.bench_growth

bench-million: .venv/dev
	$(PY) -m tests.bench.bench_million

bench-proxy: .venv/dev
	$(PY) -m tests.bench.bench_proxy

siege: .venv/dev
	$(PY) -m tests.bench.bench_siege

chaos: .venv/dev
	$(PY) -m tests.chaos
	$(PY) -m tests.chaos --hosts
	$(PY) -m tests.chaos.between_steps

CASES ?= 100000
SEED ?= 1
fuzz: .venv/dev
	$(PY) -m tests.hostile.fuzz $(CASES) $(SEED)

house: .venv/dev
	$(PY) -m tests.house $(if $(WRITE),WRITE)

translations: .venv/dev
	$(PY) -m tests.languages

judge-tables: .venv/dev
	$(PY) manage.py judges --markdown > docs/judge-tables.md
	$(PY) -m tests.judging.pins

docs: .venv/dev
	.venv/bin/mkdocs build --strict

wheels: .venv/dev
	$(PY) -m build --wheel --no-isolation --outdir dist .
	for package in packages/*; do $(PY) -m build --wheel --no-isolation --outdir dist $$package || exit 1; done

wheel-trial: .venv/dev
	$(PY) -m tests.jurybox.trial
	$(PY) -m tests.jurybox.extras_trial $(EXTRAS)

# --- Supply -------------------------------------------------------------------------------------

# The list of parts is checked without them: loaded with all charts, they would make forty parsers, which
# takes 1.4 seconds of each start.
SLOW_TO_LOAD = rfc3987-syntax lark

# Without UPGRADE, what is locked already stays. torch comes in builds of its own for each kind of
# machine: the lock of the tests leaves it and its CUDA libraries to pip.
lock: .venv/dev
	$(if $(UPGRADE),rm -f requirements*.lock)
	$(COMPILE) requirements-core.txt -o requirements-core.lock
	$(COMPILE) requirements.txt -c requirements-core.lock -o requirements.lock
	$(COMPILE) requirements-generate.txt -c requirements.lock -o requirements-generate.lock
	$(COMPILE) requirements-mcp.txt -c requirements-generate.lock -o requirements-mcp.lock
	$(COMPILE) requirements-dev.txt -c requirements-generate.lock -c requirements-mcp.lock -o requirements-dev.lock \
		$(addprefix --no-emit-package ,$(SLOW_TO_LOAD)) \
		$$(sed -nE 's/^((torch|triton|cuda-[a-z-]+|nvidia-[a-z0-9-]+))==.*/--no-emit-package \1/p' requirements.lock)
	$(COMPILE) requirements-ray.txt -c requirements-generate.lock -c requirements-dev.lock -o requirements-ray.lock

sbom: .venv/dev
	.venv/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
		-o sbom.json requirements.lock

digests:
	@for name in PYTHON_IMAGE=python:3.11-slim-bookworm POSTGRES_IMAGE=postgres:15 REDIS_IMAGE=redis:7; do \
		image=$${name#*=}; \
		digest=$$(docker buildx imagetools inspect $$image --format '{{.Manifest.Digest}}') || exit 1; \
		echo "$${name%%=*}=$$image@$$digest"; \
	done

.venv/core: requirements-core.lock $(wildcard packages/*/pyproject.toml)
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(LOCKED) requirements-core.lock
	@$(IN_PLACE)
	@$(COMMAND)
	@touch $@

.venv/dev: requirements-dev.lock requirements.txt $(wildcard packages/*/pyproject.toml)
	test -x $(PY) || $(PYTHON) -m venv .venv
	sed -n '/^uv==/,/[^\\]$$/p' requirements-dev.lock > .venv/uv.lock
	$(LOCKED) .venv/uv.lock
	$(UV_INSTALL) --no-deps --require-hashes -r requirements-dev.lock
	$(UV_INSTALL) $$(grep '^torch==' requirements.txt)
	@$(IN_PLACE)
	@$(COMMAND)
	@touch .venv/core $@
