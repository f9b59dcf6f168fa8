// SPDX-License-Identifier: Apache-2.0
#include "storage/azure/azure_answers.h"

#include <pugixml.hpp>

#include "base/text.h"
#include "storage/times.h"

namespace weir::storage {
namespace {

bool IsFolderBlob(const pugi::xml_node& blob) {
  return EqualsIgnoreCase(blob.child("Metadata").child_value("hdi_isfolder"), "true") ||
         EqualsIgnoreCase(blob.child("Properties").child_value("ResourceType"), "directory");
}

}  // namespace

Result<AzureListPage> ParseAzureList(std::string_view body) {
  // A byte order mark stands before Azure's answers.
  if (StartsWith(body, "\xEF\xBB\xBF")) body.remove_prefix(3);
  pugi::xml_document document;
  const bool is_xml = document.load_buffer(body.data(), body.size()).status == pugi::status_ok;
  const pugi::xml_node list = document.child("EnumerationResults");
  if (!is_xml || !list)
    return Fail(IoError("WEIR_IO_ERROR", "the store's answer is no list of blobs"));
  AzureListPage page;
  for (const pugi::xml_node blob : list.child("Blobs").children("Blob")) {
    const std::string name = blob.child_value("Name");
    if (IsFolderBlob(blob)) {
      page.folder_blobs.push_back(name);
      continue;
    }
    const pugi::xml_node properties = blob.child("Properties");
    ObjectInfo& entry = page.entries.emplace_back();
    entry.path = name;
    entry.size = properties.child("Content-Length").text().as_llong();
    entry.modified_ms = ParseHttpTime(properties.child_value("Last-Modified"));
  }
  for (const pugi::xml_node prefix : list.child("Blobs").children("BlobPrefix")) {
    ObjectInfo& entry = page.entries.emplace_back();
    entry.path = prefix.child_value("Name");
    if (EndsWith(entry.path, "/")) entry.path.pop_back();
    entry.is_directory = true;
  }
  page.next = list.child_value("NextMarker");
  return page;
}

AzureFailure ParseAzureFailure(std::string_view body) {
  if (StartsWith(body, "\xEF\xBB\xBF")) body.remove_prefix(3);
  pugi::xml_document document;
  document.load_buffer(body.data(), body.size());
  const pugi::xml_node error = document.child("Error");
  std::string message = error.child_value("Message");
  return {error.child_value("Code"), message.substr(0, message.find('\n'))};
}

}  // namespace weir::storage
