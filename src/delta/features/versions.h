// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "delta/features/features.h"

namespace weir::delta {

/// From these versions on a protocol lists its features and implies none.
inline constexpr int kTableFeaturesReaderVersion = 3;
inline constexpr int kTableFeaturesWriterVersion = 7;

/// The legacy features that version numbers alone stand for.
FeatureSet ImpliedFeatures(int reader_version, int writer_version);

}  // namespace weir::delta
