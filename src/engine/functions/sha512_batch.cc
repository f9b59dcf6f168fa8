// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/sha512_batch.h"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>

namespace weir::engine {
namespace {

constexpr size_t kBlockBytes = 128;
constexpr size_t kBlockWords = 16;
constexpr size_t kStateWords = 8;
constexpr size_t kLengthBytes = 16;
constexpr size_t kRounds = 80;

constexpr std::array<uint64_t, kStateWords> kStart = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

constexpr std::array<uint64_t, kRounds> kRoundConstants = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

bool ByOpenSsl(std::span<const std::string_view> messages, std::span<char* const> digests) {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA512", nullptr);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  if (!context || algorithm == nullptr) return false;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (EVP_DigestInit_ex2(context.get(), algorithm, nullptr) != 1 ||
        EVP_DigestUpdate(context.get(), messages[i].data(), messages[i].size()) != 1 ||
        EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digests[i]), nullptr) !=
            1) {
      return false;
    }
  }
  return true;
}

#if defined(__x86_64__)

template <size_t kLanes>
using Words = std::array<std::array<uint64_t, kLanes>, kBlockWords>;
template <size_t kLanes>
using State = std::array<std::array<uint64_t, kLanes>, kStateWords>;

// Compresses a block in each lane. A function's vectors are those of its target
// only where they are written in it, so that this is a macro and not a template.
#define WEIR_ROTATED(x, bits) (((x) >> (bits)) | ((x) << (64 - (bits))))
#define WEIR_SHA512_COMPRESS(NAME, TARGET, LANES)                                                  \
  __attribute__((target(TARGET))) void NAME(State<LANES>& state, const Words<LANES>& words) {      \
    using Vector = uint64_t __attribute__((vector_size(8 * (LANES))));                             \
    Vector w[kBlockWords];                                                                         \
    Vector before[kStateWords];                                                                    \
    std::memcpy(w, words.data(), sizeof(w));                                                       \
    std::memcpy(before, state.data(), sizeof(before));                                             \
    Vector a = before[0], b = before[1], c = before[2], d = before[3];                             \
    Vector e = before[4], f = before[5], g = before[6], h = before[7];                             \
    for (size_t t = 0; t < kRounds; ++t) {                                                         \
      Vector& word = w[t % kBlockWords];                                                           \
      if (t >= kBlockWords) {                                                                      \
        const Vector& early = w[(t + 1) % kBlockWords];                                            \
        const Vector& late = w[(t + 14) % kBlockWords];                                            \
        word += (WEIR_ROTATED(early, 1) ^ WEIR_ROTATED(early, 8) ^ (early >> 7)) +                 \
                w[(t + 9) % kBlockWords] +                                                         \
                (WEIR_ROTATED(late, 19) ^ WEIR_ROTATED(late, 61) ^ (late >> 6));                   \
      }                                                                                            \
      const Vector first = h + (WEIR_ROTATED(e, 14) ^ WEIR_ROTATED(e, 18) ^ WEIR_ROTATED(e, 41)) + \
                           ((e & f) ^ (~e & g)) + kRoundConstants[t] + word;                       \
      const Vector second = (WEIR_ROTATED(a, 28) ^ WEIR_ROTATED(a, 34) ^ WEIR_ROTATED(a, 39)) +    \
                            ((a & b) ^ (a & c) ^ (b & c));                                         \
      h = g, g = f, f = e, e = d + first;                                                          \
      d = c, c = b, b = a, a = first + second;                                                     \
    }                                                                                              \
    const Vector after[kStateWords] = {a, b, c, d, e, f, g, h};                                    \
    for (size_t i = 0; i < kStateWords; ++i) before[i] += after[i];                                \
    std::memcpy(state.data(), before, sizeof(before));                                             \
  }

WEIR_SHA512_COMPRESS(CompressAvx512, "avx512f", 8)
WEIR_SHA512_COMPRESS(CompressAvx2, "avx2", 4)
#undef WEIR_SHA512_COMPRESS
#undef WEIR_ROTATED

// One message on its way through a lane.
struct Lane {
  std::string_view message;
  char* digest = nullptr;
  size_t next_block = 0;
  size_t blocks = 0;

  bool busy() const { return next_block < blocks; }

  // The next 128 bytes, made in `padded` where they are not all of the message.
  const char* NextBlock(std::array<char, kBlockBytes>& padded) {
    const size_t from = next_block++ * kBlockBytes;
    const size_t size = message.size();
    if (from + kBlockBytes <= size) return message.data() + from;
    padded.fill(0);
    if (from < size) std::memcpy(padded.data(), message.data() + from, size - from);
    if (from <= size) padded[size - from] = static_cast<char>(0x80);
    if (next_block == blocks) {
      const uint64_t bits = __builtin_bswap64(static_cast<uint64_t>(size) * 8);
      std::memcpy(padded.data() + kBlockBytes - sizeof(bits), &bits, sizeof(bits));
    }
    return padded.data();
  }
};

template <size_t kLanes, void (*kCompress)(State<kLanes>&, const Words<kLanes>&)>
void InLanes(std::span<const std::string_view> messages, std::span<char* const> digests) {
  alignas(64) State<kLanes> state{};
  alignas(64) Words<kLanes> words{};
  std::array<Lane, kLanes> lanes;
  std::array<char, kBlockBytes> padded;
  size_t next = 0;
  while (true) {
    bool any = false;
    for (size_t i = 0; i < kLanes; ++i) {
      Lane& lane = lanes[i];
      if (!lane.busy() && next < messages.size()) {
        const size_t blocks =
            (messages[next].size() + 1 + kLengthBytes + kBlockBytes - 1) / kBlockBytes;
        lane = {messages[next], digests[next], 0, blocks};
        ++next;
        for (size_t k = 0; k < kStateWords; ++k) state[k][i] = kStart[k];
      }
      if (!lane.busy()) continue;
      any = true;
      const char* block = lane.NextBlock(padded);
      for (size_t k = 0; k < kBlockWords; ++k) {
        uint64_t word = 0;
        std::memcpy(&word, block + k * sizeof(word), sizeof(word));
        words[k][i] = __builtin_bswap64(word);
      }
    }
    if (!any) return;
    kCompress(state, words);
    for (size_t i = 0; i < kLanes; ++i) {
      if (lanes[i].busy() || lanes[i].digest == nullptr) continue;
      for (size_t k = 0; k < kStateWords; ++k) {
        const uint64_t word = __builtin_bswap64(state[k][i]);
        std::memcpy(lanes[i].digest + k * sizeof(word), &word, sizeof(word));
      }
      lanes[i].digest = nullptr;
    }
  }
}

#endif

}  // namespace

Sha512Way FastestSha512() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return Sha512Way::kAvx512;
  if (__builtin_cpu_supports("avx2")) return Sha512Way::kAvx2;
#endif
  return Sha512Way::kOpenSsl;
}

bool Sha512Batch(std::span<const std::string_view> messages, std::span<char* const> digests,
                 Sha512Way way) {
#if defined(__x86_64__)
  if (way == Sha512Way::kAvx512) InLanes<8, CompressAvx512>(messages, digests);
  if (way == Sha512Way::kAvx2) InLanes<4, CompressAvx2>(messages, digests);
  if (way != Sha512Way::kOpenSsl) return true;
#endif
  return ByOpenSsl(messages, digests);
}

}  // namespace weir::engine
