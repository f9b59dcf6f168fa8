// SPDX-License-Identifier: Apache-2.0
#include "feed/config/project_template.h"

#include <fstream>
#include <utility>

namespace weir::feed {
namespace {

constexpr const char* kFeed =
    R"(# A lake feed: `weir feed load` compares each source table with what was there last time and writes
# what has changed. All paths start at this file's folder.
settings:
  LakeLocation: lake-storage     # the Parquet files of the feed go below lake/ here
  Warehouse: warehouse           # Delta tables: the index (LAKE), history (HIS), logs (LoadManagement)
  ReadDatabase: feed.duckdb      # read objects (DL), for any DuckDB client
  SchemaLAKE: LAKE
  SchemaDL: DL

tables:
  - Source: Shop
    Schema: dbo
    Table: Customers
    from: {csv: data/customers.csv}     # or parquet, json, delta (a path) or query (a SELECT)
    keys: [id]
    LoadType: IMAGE                     # IMAGE, DELTAIMAGE, OVERWRITE, RELOAD, DELTA, ADDITIONAL
    DataPlatform: DL                    # DWH, DL or DWH,DL
)";

constexpr const char* kCustomers =
    "id,name,city,since\n"
    "1,Alice,Utrecht,2021-03-01\n"
    "2,Bob,Gent,2022-07-15\n"
    "3,Chiara,Torino,2023-11-30\n";

constexpr const char* kIgnore = "lake-storage/\nwarehouse/\nfeed.duckdb*\n";

Status Write(const std::filesystem::path& file, const char* text) {
  std::error_code failure;
  std::filesystem::create_directories(file.parent_path(), failure);
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (out) return {};
  return Fail(IoError("WEIR_IO_ERROR", "cannot write " + file.string()));
}

}  // namespace

Result<std::vector<std::string>> MakeFeedProject(const std::filesystem::path& parent,
                                                 const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos || name[0] == '.') {
    return Fail(InvalidArgument("WEIR_FEED_BAD_NAME",
                                "'" + name + "' cannot be the name of a project's folder"));
  }
  const std::filesystem::path folder = parent / name;
  std::error_code failure;
  if (std::filesystem::exists(folder, failure)) {
    return Fail(AlreadyExists("WEIR_FEED_PROJECT_EXISTS",
                              folder.string() + " is already there; choose another name"));
  }
  std::vector<std::string> files;
  for (const auto& [file, text] :
       {std::pair("feed.yml", kFeed), std::pair("data/customers.csv", kCustomers),
        std::pair(".gitignore", kIgnore)}) {
    WEIR_RETURN_IF_ERROR(Write(folder / file, text));
    files.emplace_back(file);
  }
  return files;
}

}  // namespace weir::feed
