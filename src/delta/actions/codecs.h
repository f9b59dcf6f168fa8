// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "delta/actions/member_table.h"

namespace weir::delta {

// What stands behind the name of each action. Reading returns false and leaves the reason in the
// context; the action may then be half filled.
bool ReadAction(JsonInput input, Protocol& action, ReadContext& context);
bool ReadAction(JsonInput input, Metadata& action, ReadContext& context);
bool ReadAction(JsonInput input, AddFile& action, ReadContext& context);
bool ReadAction(JsonInput input, RemoveFile& action, ReadContext& context);
bool ReadAction(JsonInput input, AddCdcFile& action, ReadContext& context);
bool ReadAction(JsonInput input, SetTransaction& action, ReadContext& context);
bool ReadAction(JsonInput input, DomainMetadata& action, ReadContext& context);
bool ReadAction(JsonInput input, CommitInfo& action, ReadContext& context);
bool ReadAction(JsonInput input, CheckpointMetadata& action, ReadContext& context);
bool ReadAction(JsonInput input, Sidecar& action, ReadContext& context);

void WriteAction(JsonWriter& writer, const Protocol& action);
void WriteAction(JsonWriter& writer, const Metadata& action);
void WriteAction(JsonWriter& writer, const AddFile& action);
void WriteAction(JsonWriter& writer, const RemoveFile& action);
void WriteAction(JsonWriter& writer, const AddCdcFile& action);
void WriteAction(JsonWriter& writer, const SetTransaction& action);
void WriteAction(JsonWriter& writer, const DomainMetadata& action);
void WriteAction(JsonWriter& writer, const CommitInfo& action);
void WriteAction(JsonWriter& writer, const CheckpointMetadata& action);
void WriteAction(JsonWriter& writer, const Sidecar& action);

}  // namespace weir::delta
