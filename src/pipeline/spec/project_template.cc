// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/project_template.h"

#include <fstream>
#include <utility>

namespace weir::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSpec = R"(# Run with: weir run
name: @NAME@
storage: pipeline-storage
libraries:
  - glob:
      include: transformations/**
)";

constexpr const char* kSql =
    R"(-- Change events, one JSON object a line, in files that arrive in the folder `events`.
CREATE TEMPORARY VIEW customer_events AS
SELECT * FROM STREAM read_files('events', format => 'json');

-- The newest state of each customer.
CREATE STREAMING TABLE customers;

CREATE FLOW customers_cdc AS AUTO CDC INTO customers
FROM STREAM(customer_events)
KEYS (id)
APPLY AS DELETE WHEN op = 'DELETE'
SEQUENCE BY version
COLUMNS * EXCEPT (op)
STORED AS SCD TYPE 1;

-- Computed from the table in each run.
CREATE MATERIALIZED VIEW customers_per_city AS
SELECT city, count(*) AS customers FROM customers GROUP BY city;
)";

constexpr const char* kPython = R"py(from weir import pipelines as dp


# Change events, one JSON object a line, in files that arrive in the folder `events`.
@dp.temporary_view
def customer_events():
    return "SELECT * FROM STREAM read_files('events', format => 'json')"


# The newest state of each customer.
dp.create_streaming_table("customers")

dp.create_auto_cdc_flow(
    name="customers_cdc",
    target="customers",
    source="customer_events",
    keys=["id"],
    sequence_by="version",
    apply_as_deletes="op = 'DELETE'",
    except_column_list=["op"],
    stored_as_scd_type=1,
)


# Computed from the table in each run.
@dp.materialized_view
def customers_per_city():
    return "SELECT city, count(*) AS customers FROM customers GROUP BY city"
)py";

constexpr const char* kEvents =
    R"({"id": 1, "name": "alice", "city": "Oslo", "version": 1, "op": "UPSERT"}
{"id": 2, "name": "bob", "city": "Lima", "version": 1, "op": "UPSERT"}
{"id": 1, "name": "alicia", "city": "Oslo", "version": 2, "op": "UPSERT"}
{"id": 3, "name": "carol", "city": "Lima", "version": 1, "op": "UPSERT"}
)";

constexpr const char* kIgnore = "pipeline-storage/\nwarehouse/\n";

/// A YAML scalar in single quotes.
std::string YamlText(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

Status Write(const fs::path& file, std::string text, const std::string& name) {
  if (const size_t place = text.find("@NAME@"); place != std::string::npos)
    text.replace(place, 6, name);
  std::error_code failure;
  fs::create_directories(file.parent_path(), failure);
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (out) return {};
  return Fail(IoError("WEIR_IO_ERROR", file.string() + " cannot be written"));
}

}  // namespace

Result<std::vector<std::string>> MakeProject(const fs::path& parent, const std::string& name,
                                             ProjectLanguage language) {
  const bool plain = !name.empty() && name != "." && name != ".." &&
                     name.find('/') == std::string::npos && name.find('\n') == std::string::npos;
  if (!plain) {
    return Fail(
        InvalidArgument("WEIR_PROJECT_NAME_INVALID", "`" + name + "` is no name of a folder"));
  }
  const fs::path folder = parent / name;
  std::error_code failure;
  if (fs::exists(folder, failure)) {
    return Fail(AlreadyExists("WEIR_PROJECT_EXISTS",
                              folder.string() + " is already there; choose another name"));
  }
  const bool python = language == ProjectLanguage::kPython;
  const std::vector<std::pair<std::string, const char*>> files = {
      {"spark-pipeline.yml", kSpec},
      {python ? "transformations/customers.py" : "transformations/customers.sql",
       python ? kPython : kSql},
      {"events/2024-01-01.json", kEvents},
      {".gitignore", kIgnore}};
  std::vector<std::string> written;
  for (const auto& [file, text] : files) {
    WEIR_RETURN_IF_ERROR(Write(folder / file, text, YamlText(name)));
    written.push_back(file);
  }
  return written;
}

}  // namespace weir::pipeline
