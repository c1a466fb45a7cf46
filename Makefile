# A thin front: each target sets the machine up (tools/setup) and calls CMake, CTest or a script of tools/.
#   BUILD=dir      where to build (default build; one folder per preset below it)
#   JOBS=n         parallel jobs (default: all cores)
#   CONFIGURE_FLAGS=-D...  more options for CMake
#   PYTHONS=...    interpreters to make wheels for (default python3)

BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
FUZZ_INPUTS ?=
MUTANTS ?= 300
PYTHONS ?= python3
CONFIGURE_FLAGS ?=

# An interrupted or failed recipe leaves nothing half done behind; CMake alone decides what is stale.
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

# Compile through ccache where it is installed.
CCACHE := $(shell command -v ccache 2>/dev/null)
ifneq ($(CCACHE),)
export CMAKE_C_COMPILER_LAUNCHER ?= $(CCACHE)
export CMAKE_CXX_COMPILER_LAUNCHER ?= $(CCACHE)
# Or it would not cache what uses the precompiled headers of the tests.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
endif

SETUP := ./tools/setup
PROGRAM := $(BUILD)/release/bin/mindgap
VENV := $(abspath $(BUILD))/venv
CTEST := ctest --no-tests=error --output-on-failure --parallel $(JOBS)

# $(call configure,PRESET[,flags]) and $(call compile,PRESET[,flags])
configure = cmake --preset $(1) -B $(BUILD)/$(1) --log-level=WARNING $(2) $(CONFIGURE_FLAGS) >/dev/null
# for `configure`: the module for Python, built with the environment of tools/python_env
WITH_PYTHON := -DMINDGAP_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(VENV)/bin/python
compile = $(configure) && cmake --build $(BUILD)/$(1) --parallel $(JOBS)
section = @printf '\n== %s\n' "$(1)"

.PHONY: help build run test sanitize test-long wheel deb stubs docs site calibrate fuzz mutate tsan bench format lint install clean

help: ## list the targets
	@echo "mindgap: make TARGET [BUILD=dir] [JOBS=n]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

build: ## build the library and the program, build/release/bin/mindgap
	@$(SETUP) build
	@$(call compile,release,-DMINDGAP_BUILD_TESTS=OFF -DMINDGAP_BUILD_PYTHON=OFF)

run: build ## decide on the built-in example, with a report to look at
	$(PROGRAM) decide examples/vans --units 8 --horizon 100 --coverage examples/vans/coverage.csv \
	  --worlds 256 --tipping --report $(BUILD)/vans.html

test: ## format, layers, the tests in Release with Python, the consumer of the installed package
	@$(SETUP) test
	@tools/python_env $(VENV) & \
	  printf '\n== format\n' && tools/format --check && printf '\n== layers\n' && tools/check_layers; \
	  checked=$$?; wait $$! && exit $$checked
	$(call section,build: release)
	@$(call compile,release,-DMINDGAP_BUILD_TESTS=ON $(WITH_PYTHON))
	$(call section,tests: release (with Python and the consumer of the installed package))
	@$(CTEST) --test-dir $(BUILD)/release -L short
	@printf '\nmake test: format, layers, release tests with Python and the consumer passed\n'

sanitize: ## the same C++ tests under the address and undefined-behaviour sanitizers
	@$(SETUP) test
	$(call section,build: address and undefined-behaviour sanitizers)
	@$(call compile,asan)
	$(call section,tests: address and undefined-behaviour sanitizers)
	@$(CTEST) --test-dir $(BUILD)/asan -L short
	@printf '\nmake sanitize: the tests passed under the sanitizers\n'

test-long: ## what is too long for test: full statistics in Release, the thread sanitizer, clang-tidy, fuzzing
	@$(SETUP) test fuzz
	$(call section,long tests: release)
	@$(call compile,release,-DMINDGAP_BUILD_TESTS=ON)
	@$(CTEST) --test-dir $(BUILD)/release -L long
	@$(MAKE) --no-print-directory tsan
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=150

wheel: build ## make a wheel for Python (build/wheels) and test it in an environment of its own; PYTHONS="python3.12 ..."
	@$(SETUP) test
	@tools/wheel $(BUILD) $(PYTHONS)

stubs: ## write the types of the Python module, python/mindgap/_core.pyi, anew
	@$(SETUP) test
	@tools/python_env $(VENV)
	@$(call configure,release,$(WITH_PYTHON)) && cmake --build $(BUILD)/release --parallel $(JOBS) --target mindgap_python
	@PYTHONPATH=$(BUILD)/release/python $(VENV)/bin/python -m nanobind.stubgen -q -m mindgap._core -o python/mindgap/_core.pyi

docs: ## the reference of the Python package, build/docs/python/index.html
	@$(SETUP) test
	@tools/python_env $(VENV)
	@$(call configure,release,$(WITH_PYTHON)) && cmake --build $(BUILD)/release --parallel $(JOBS) --target mindgap_python
	@PYTHONPATH=$(BUILD)/release/python $(VENV)/bin/pdoc --docformat restructuredtext -o $(BUILD)/docs/python mindgap
	@echo "$(BUILD)/docs/python/index.html"

site: docs ## the documentation site, build/site/index.html; opens from a folder, needs no network to read
	@$(SETUP) site
	@$(call compile,release,-DMINDGAP_BUILD_TESTS=OFF $(WITH_PYTHON))
	@tools/python_env $(BUILD)/site-env python3 site/requirements.lock
	@tools/site $(BUILD) $(BUILD)/site-env

calibrate: ## are stated gains and verdicts right? 200 drawn problems, up to an hour
	@$(SETUP) test
	@$(call configure,release,-DMINDGAP_BUILD_TESTS=ON) && cmake --build $(BUILD)/release --parallel $(JOBS) --target calibrate
	@$(BUILD)/release/bin/calibrate

fuzz: ## run each fuzz target for FUZZ_SECONDS (60), or with FUZZ_INPUTS inputs
	@$(SETUP) fuzz
	@$(call configure,fuzz) && cmake --build $(BUILD)/fuzz --parallel $(JOBS) --target fuzzers
	@tools/fuzz $(BUILD)/fuzz $(FUZZ_SECONDS) $(FUZZ_INPUTS)

mutate: ## change operators and constants of the numerics, one at a time: do the tests notice? MUTANTS=300, an hour
	@$(SETUP) test
	@tools/mutate $(BUILD)/mutate --count $(MUTANTS) --jobs $(JOBS)

tsan: ## the tests under the thread sanitizer
	@$(SETUP) test
	@$(call compile,tsan)
	@TSAN_OPTIONS=suppressions=$(CURDIR)/tools/tsan.supp $(CTEST) --test-dir $(BUILD)/tsan -L short

bench: ## build and run the benchmarks; prints one table
	@$(SETUP) bench
	@tools/python_env $(VENV)
	@$(call compile,release,-DMINDGAP_BUILD_BENCH=ON -DMINDGAP_BUILD_TESTS=OFF $(WITH_PYTHON))
	@bench/run $(BUILD)/release

format: ## format the C++ sources in place
	@$(SETUP) test
	@tools/format

lint: ## clang-tidy over every source
	@$(SETUP) lint
	@$(call configure,lint)
	@tools/lint $(BUILD)/lint $(JOBS)

install: build ## install to PREFIX (/usr/local); DESTDIR is honoured
	@tools/sbom $(PROGRAM) $(BUILD)/release/notices
	@cmake --install $(BUILD)/release --prefix "$(PREFIX)"

deb: build ## make a Debian package (build/deb); DEB_FLAGS=--try installs it in a clean root made by debootstrap
	@$(SETUP) deb
	@tools/deb $(BUILD) $(DEB_FLAGS)

clean: ## remove the build folder
	rm -rf -- "$(BUILD)"
