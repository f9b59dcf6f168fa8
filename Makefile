# SPDX-License-Identifier: Apache-2.0
#
#   make build    set up what is missing, build build/weir and build/weir.duckdb_extension
#   make demo     build, and watch a small lake change
#   make test     build, and run every test
#   make check    format, layers, names, licences, lengths, and every test
#   make bench    measure the release build
#   make soak     sanitizers, simulations and fuzzers, SECONDS=60 for each fuzzer
#   make format   format the C++ sources; SINCE=main: those changed since then
#   make clean    remove what was built (but not what set-up fetched)
#
# PRESET=release|asan|tsan builds and tests another preset of CMakePresets.json (in build/PRESET).
PRESET ?= dev
JOBS ?= $(shell nproc)
SECONDS ?= 60
BUILD := $(if $(filter dev,$(PRESET)),build,build/$(PRESET))

.PHONY: build demo test check bench soak format clean compile

build:
	@scripts/setup.sh build
	@$(MAKE) --no-print-directory compile TARGET="weir weir_extension"

# TARGET: what to compile, everything when it is empty.
compile:
	@cmake --preset $(PRESET) >$(shell mkdir -p $(BUILD))$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS) $(if $(TARGET),--target $(TARGET))

demo:
	@scripts/setup.sh demo
	@$(MAKE) --no-print-directory compile TARGET=weir
	@scripts/demo.sh

test:
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory compile
	@scripts/test.sh --build $(BUILD)

check:
	@scripts/setup.sh check
	@$(MAKE) --no-print-directory compile
	@scripts/check.sh
	@$(MAKE) --no-print-directory test

bench:
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory build PRESET=release
	@bench/run.sh build/release

soak:
	@scripts/setup.sh check
	@scripts/soak.sh $(SECONDS)

format:
	@scripts/setup.sh format
	@{ $(if $(SINCE),git diff --name-only --diff-filter=d --relative $$(git merge-base HEAD $(SINCE));) \
	   $(if $(SINCE),git ls-files -o --exclude-standard,git ls-files -co --exclude-standard); } \
	  | grep -E '\.(cc|h)$$' | xargs -r clang-format-16 -i

clean:
	@find build -mindepth 1 -maxdepth 1 ! -name deps ! -name ccache -exec rm -rf {} +
