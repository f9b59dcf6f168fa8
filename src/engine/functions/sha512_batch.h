// SPDX-License-Identifier: Apache-2.0
//
// SHA-512 (FIPS 180-4) of many short messages: eight at a time, one in each lane of the processor's
// vectors, where it has them (AVX-512, or AVX2 with four), else one after the other by OpenSSL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weir::engine {

constexpr size_t kSha512Bytes = 64;

/// What computes the hashes; they are the same.
enum class Sha512Way { kAvx512, kAvx2, kOpenSsl };

/// The fastest way that this processor has.
Sha512Way FastestSha512();

/// Hashes messages[i] into the 64 bytes at digests[i]. Requires as many digests as messages, and a
/// processor that has `way`. False when OpenSSL refuses. Thread-safe.
bool Sha512Batch(std::span<const std::string_view> messages, std::span<char* const> digests,
                 Sha512Way way = FastestSha512());

}  // namespace weir::engine
