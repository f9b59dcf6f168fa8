// SPDX-License-Identifier: Apache-2.0
#include "storage/http/part_upload.h"

#include <algorithm>

namespace weir::storage {

Status PartUpload::Append(std::string_view data) {
  while (!data.empty()) {
    const size_t room = RemoteStore::kPartSize - buffer_.size();
    buffer_.append(data.substr(0, room));
    data.remove_prefix(std::min(room, data.size()));
    // The last part is kept for Finish, which may need no parts at all.
    if (buffer_.size() == RemoteStore::kPartSize && !data.empty()) {
      has_parts_ = true;
      WEIR_RETURN_IF_ERROR(SendPart(buffer_));
      buffer_.clear();
    }
  }
  return {};
}

Status PartUpload::Finish() {
  if (!has_parts_) return store_.Put(path_, buffer_);
  WEIR_RETURN_IF_ERROR(SendPart(buffer_));
  return Complete();
}

Result<HttpResponse> PartUpload::Ask(HttpStore::Call call) {
  call.path = path_;
  WEIR_ASSIGN_OR_RETURN(auto response, store_.Ask(call));
  if (!response.is_success()) return Fail(store_.Explain("write", path_, response));
  return response;
}

}  // namespace weir::storage
