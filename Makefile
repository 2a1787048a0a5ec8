# Two commands do everything on a fresh machine: `make demo` and `make test`.
# All paths are relative and every tool runs as `python -m`, so the folder may lie anywhere, also below a name with spaces.

PYTHON ?= python3
RUN := .venv/bin/python
# Two workers for two cores; more threads per worker only get in each other's way.
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup demo results speed test torture check test-lerobot test-fetch test-metaworld test-ray docs notebook docs-environment images film film-tracks dist format clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s%s\n", $$1, $$2 }' Makefile

setup:  ## create .venv with the pinned packages and a GL library; does nothing when nothing changed
	@command -v $(PYTHON) >/dev/null || { echo "GLAM needs Python 3.11 or newer: please install it, then try again." >&2; exit 1; }
	@$(PYTHON) tools/set_up.py

demo: setup  ## the whole pipeline on one task in about ten minutes; writes a page, demo/index.html
	@$(RUN) -m glam demo --out demo

results: setup  ## write the pages of results from docs/results; BENCH=runs/bench publishes its records first
	@$(RUN) tools/make_results.py $(if $(BENCH),--publish $(BENCH))

speed: setup  ## measure every speed beside what it is compared with, half an hour on a quiet machine; QUICK=1: a minute
	@$(RUN) benchmarks/speed.py $(if $(QUICK),--quick --json speed.json)

test: check  ## everything: set-up, checks, all tests
	@OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 $(RUN) -m pytest -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

torture: setup  ## attack all that is promised and count what breaks, about an hour; QUICK=1: five minutes; AFRESH=1: from the start
	@OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 $(RUN) -m benchmarks.torture $(if $(QUICK),--quick,--publish) $(if $(AFRESH),--afresh)

check: setup  ## style, types, layers, sizes, safety, words and documents
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(RUN) -c 'from importlinter.cli import lint_imports_command as lint; lint()' --no-logo
	$(RUN) tools/check_sizes.py
	$(RUN) tools/check_safety.py
	$(RUN) tools/check_paths.py
	$(RUN) tools/check_words.py
	$(RUN) tools/check_documents.py

test-lerobot: setup  ## exchange datasets and policies with the real LeRobot library, in an environment of its own
	@bash tools/test_lerobot.sh

test-fetch: setup  ## run the example of a robot that GLAM does not know, in an environment of its own
	@bash tools/test_fetch.sh

test-metaworld: setup  ## run the example in Meta-World, with masks, in an environment of its own
	@bash tools/test_metaworld.sh

test-ray: setup  ## run grids and work on datasets on a local Ray cluster of two machines, in an environment of its own
	@bash tools/test_ray.sh

docs: docs-environment  ## build the documentation site, site/index.html, warnings as errors; needs no torch
	@.docs-venv/bin/python tools/docs_site.py

notebook: docs-environment  ## make examples/method.ipynb of examples/method.py
	@.docs-venv/bin/python tools/docs_site.py notebook

images: setup  ## draw the image of the tasks in README and docs again
	@$(RUN) tools/tasks_image.py docs/images/tasks.png

film: demo  ## make the film of the README again, from demos of two tasks: a quarter of an hour the first time
	@$(RUN) -m glam demo --task pick-place --out film/pick-place
	@$(RUN) tools/film.py docs/images/glam.webp film/pick-place demo

film-tracks: setup  ## make a film of a set without poses, from clicks to a policy; trains both stages, half an hour
	@$(RUN) tools/pose_free_film.py film/tracks.webp film/tracks

docs-environment:
	@command -v $(PYTHON) >/dev/null || { echo "GLAM needs Python 3.11 or newer: please install it, then try again." >&2; exit 1; }
	@$(PYTHON) tools/docs_environment.py

dist: setup  ## build wheels and sdists into dist/, install them into an empty environment and run glam there
	@bash tools/test_dist.sh

format: setup  ## rewrite the code in the agreed style
	@$(RUN) -m ruff check --fix --exit-zero --quiet .
	@$(RUN) -m ruff format --quiet .

clean:  ## remove what the other targets made
	rm -rf .venv .lerobot-venv .fetch-venv .metaworld-venv .ray-venv .docs-venv demo film dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
