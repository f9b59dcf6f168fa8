// SPDX-License-Identifier: Apache-2.0
//
// The XML that Azure's Blob service answers with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/object_store.h"

namespace weir::storage {

/// One page of List Blobs, with metadata. `path` of the entries is the blob's name.
struct AzureListPage {
  std::vector<ObjectInfo> entries;
  std::vector<std::string> folder_blobs;  ///< The placeholders of a hierarchical account.
  std::string next;                       ///< Marker; empty on the last page.
};

/// Errors: kIo WEIR_IO_ERROR for anything else.
Result<AzureListPage> ParseAzureList(std::string_view body);

/// <Code> and <Message> of an error, empty where there is none.
struct AzureFailure {
  std::string code;
  std::string message;
};
AzureFailure ParseAzureFailure(std::string_view body);

}  // namespace weir::storage
