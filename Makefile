SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
RUNTIME := .venv/.runtime-stamp
DEV := .venv/.dev-stamp

.PHONY: help setup demo serve test check e2e-smoke up down fmt docs sheets lock chaos clean
.PHONY: bench-retrieval bench-scale bench-growth bench-backends bench-answers bench-strangers bench-handbooks bench-examples bench-debate bench-dialogues bench-formats bench-http bench-audit bench-access bench-tables bench-sheets bench-table-engine bench-routing

help: ## Show this list
	@. tools/saying.sh; wants_colours && bold=1 || bold=; \
		awk -v bold="$$bold" -f tools/help.awk $(MAKEFILE_LIST)

setup: $(RUNTIME) ## Make .venv with what Weft needs to run (PYTHON=… chooses the interpreter, EXTRAS=langgraph adds)
	@$(if $(EXTRAS),tools/setup.sh extras $(EXTRAS))
	@echo "weft is $(BIN)/weft"

demo: $(RUNTIME) ## Ask questions of documents that are on this machine (Q="…" asks your own)
	@$(BIN)/python tools/demo.py $(if $(Q),"$$Q")

serve: $(RUNTIME) ## Start the service
	@$(BIN)/weft serve

test: $(DEV) ## Run everything: format, lint, types, import contracts, all tests
	@tools/test.sh all

check: $(DEV) ## Run what needs no service and ends within a minute: the gates, house and unit tests
	@tools/test.sh quick

e2e-smoke: $(DEV) ## Go the way every user goes, over HTTP, on SQLite and on Neo4j
	@tools/servers.sh run $(BIN)/pytest tests/smoke

up: ## Start the servers that tests use: PostgreSQL and two Neo4j
	@tools/servers.sh up

down: ## Stop the servers that make up started
	@tools/servers.sh down

fmt: $(DEV) ## Format the code and mend what the linter can
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

docs: $(DEV) ## Write docs/reference anew from the code
	@$(BIN)/python tools/docs.py

sheets: $(DEV) ## Write the twins in JSON of the sheets of words that are written in YAML
	@$(BIN)/python tools/sheets.py

lock: ## Compile locks/*.txt from pyproject.toml (UPGRADE=1 takes newer versions)
	@tools/lock.sh

chaos: $(DEV) ## Kill and starve the processes hundreds of times, freeze and kill the servers, try the laws on more worlds
	@tools/servers.sh run $(BIN)/pytest -m chaos
	@WEFT_LAW_EXAMPLES=100 tools/servers.sh run $(BIN)/pytest tests/contract/test_laws.py tests/contract/test_patterns.py

bench-retrieval: $(RUNTIME) ## Measure recall and latency of search (SETS="squad2 selqa" of five; DATA=… SPLIT=dev; N=50 asks 50)
	@$(BIN)/python bench/bench_retrieval.py $(or $(DATA),../shared/data) $(or $(SPLIT),dev) \
		$(if $(N),--first $(N)) $(if $(SETS),--sets $(SETS))

bench-scale: $(RUNTIME) ## Measure search and updates at 10, 20 and 100 thousand passages (DATA=../shared/data)
	@$(BIN)/python bench/bench_scale.py $(or $(DATA),../shared/data)

bench-growth: $(RUNTIME) ## Measure ingestion in growing knowledge bases (SIZES="1000 10000" VECTORS=drawn|local DATA=…)
	@$(BIN)/python bench/ingest_growth.py $(SIZES) --vectors $(or $(VECTORS),drawn) --data $(or $(DATA),../shared/data)

bench-backends: $(DEV) ## Measure Neo4j beside SQLite: same evidence, latency, ingest (DATA=… SPLIT=…)
	@tools/servers.sh run $(BIN)/python bench/bench_backends.py $(or $(DATA),../shared/data) $(or $(SPLIT),dev)

bench-answers: $(RUNTIME) ## Measure answers: shown, refused, checked against planted errors (DATA=… SPLIT=…)
	@$(BIN)/python bench/bench_answers.py $(or $(DATA),../shared/data) $(or $(SPLIT),dev)

bench-strangers: $(RUNTIME) ## Ask documents that nobody tuned for: first, right, found, false (DATA=… SPLIT=… N=160)
	@$(BIN)/python bench/bench_strangers.py $(or $(DATA),../shared/data) $(or $(SPLIT),dev) --limit $(or $(N),160)

bench-handbooks: $(RUNTIME) ## Ask folders as people keep them, in their own words (HALF=keep, or teach, from which Weft learns)
	@$(BIN)/python bench/bench_handbooks.py --half $(or $(HALF),keep)

bench-routing: $(RUNTIME) ## Measure whom questions are handed to (DATA= a folder with router.jsonl and semantic.jsonl)
	@$(BIN)/python bench/bench_routing.py $(DATA)

bench-examples: $(RUNTIME) ## Ask the example organisation its questions, each as the person who asks it
	@$(BIN)/python bench/bench_examples.py

bench-tables: $(RUNTIME) ## Ask real tables that came with packages (SPLIT=dev; kept, unseen, lay-5 … are others)
	@$(BIN)/python bench/bench_tables.py $(if $(SPLIT),--split $(SPLIT))

bench-sheets: $(RUNTIME) ## Ask folders of sheets laid out by hand (NAMES="parish reserve" of 38)
	@$(BIN)/python bench/bench_sheets.py $(NAMES)

bench-table-engine: $(RUNTIME) ## Work out a million rows: the engine of tables beside pyarrow and DuckDB
	@$(BIN)/python bench/bench_table_engine.py

bench-debate: $(DEV) ## Measure a debate over eight knowledge bases beside its slowest agent
	@PYTHONPATH=tests $(BIN)/python bench/bench_debate.py

bench-dialogues: $(RUNTIME) ## Hold the dialogues of two turns: right, rewritten, rewritten into another question
	@$(BIN)/python bench/bench_dialogues.py

bench-formats: $(RUNTIME) ## Measure what is recovered of documents of other programs, by format
	@$(BIN)/python bench/bench_formats.py

bench-http: $(RUNTIME) ## Measure the service: throughput, open streams, memory
	@$(BIN)/python bench/bench_http.py

bench-audit: $(RUNTIME) ## Measure what a row of the audit log costs, alone and under load
	@$(BIN)/python bench/bench_audit.py

bench-access: $(DEV) ## Measure rights: a decision, the check of a key, how fast what is taken away is gone
	@PYTHONPATH=tests $(BIN)/python bench/bench_access.py

clean: ## Remove .venv, caches and what runs left behind
	@tools/servers.sh down
	rm -rf .venv .run build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests tools -name __pycache__ -prune -exec rm -rf {} +

$(RUNTIME): pyproject.toml locks/runtime.txt locks/build.txt
	@tools/setup.sh runtime

$(DEV): $(RUNTIME) locks/dev.txt locks/postgres.txt locks/neo4j.txt locks/langgraph.txt
	@tools/setup.sh dev
