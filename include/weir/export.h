// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the shared library shows to the programs that link it.
#define WEIR_EXPORT __attribute__((visibility("default")))
