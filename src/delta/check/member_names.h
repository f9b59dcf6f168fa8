// SPDX-License-Identifier: Apache-2.0
//
// A reader passes over members that it does not know, so one changed byte in a member's name makes
// the member vanish without a word. A name that differs by one character from one that the protocol
// has and the object lacks is such a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace weir::delta {

/// The damaged names in the lines of a commit or compaction, each as a sentence. Actions that
/// nobody knows, and names of later protocols, are none; what is no JSON is passed over.
std::vector<std::string> DamagedNamesInActions(std::string_view text);
/// The same for the object in a `.crc`.
std::vector<std::string> DamagedNamesInChecksum(const JsonValue& checksum);

}  // namespace weir::delta
