// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "delta/actions/actions.h"
#include "delta/features/features.h"

namespace weir::delta {

/// The least protocol that holds everything the metadata asks for: what properties and schema make
/// use of, `delta.feature.NAME = supported`, the versions of `delta.minReaderVersion` and
/// `delta.minWriterVersion` (which stand for the features they imply), and whatever those require.
/// New tables start from versions 1 and 2, with `delta.ignoreProtocolDefaults = true` from 1 and 1.
/// The result is in its weakest form: legacy versions where they say exactly the same, else feature
/// lists.
///
/// With `current`, the protocol of an existing table, nothing that it supports is ever dropped (a
/// version number stands for all features it implies), and it is returned as it is when nothing is
/// missing.
///
/// Pure: whether Weir can write such a table is CheckWritable's question. The caller takes the
/// protocol's keys out of the configuration with RemoveProtocolProperties.
///
/// Errors: kInvalidArgument DELTA_UNSUPPORTED_FEATURES_IN_CONFIG (unknown NAME),
/// DELTA_UNSUPPORTED_FEATURE_STATUS, DELTA_PROTOCOL_PROPERTY_NOT_INT,
/// DELTA_INVALID_PROTOCOL_VERSION, DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE,
/// DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT (a timestampNtz column for a table that does not
/// support it yet).
Result<Protocol> ProtocolFor(const Metadata& metadata, const DataType& schema,
                             const Protocol* current);

/// Removes the keys that steer the protocol and are never stored: `delta.feature.*`,
/// `delta.minReaderVersion`, `delta.minWriterVersion`, `delta.ignoreProtocolDefaults`.
void RemoveProtocolProperties(StringMap& configuration);

/// The weakest protocol that supports exactly these features.
Protocol WeakestProtocol(FeatureSet features);

/// `current` without `feature`, in its weakest form, for DROP FEATURE.
/// Errors: kInvalidArgument DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT,
/// DELTA_FEATURE_DROP_DEPENDENT_FEATURE (names those that require it); kUnsupportedFeature
/// DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE.
Result<Protocol> ProtocolWithout(const Protocol& current, Feature feature);

}  // namespace weir::delta
