# SPDX-License-Identifier: Apache-2.0
.PHONY: build
JOBS ?= $(shell nproc)

build:
	@scripts/setup.sh build
	@cmake --preset dev -Wno-dev --log-level=WARNING
	@cmake --build build -j $(JOBS)
