// SPDX-License-Identifier: Apache-2.0
#include "feed/config/feed_project.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"

namespace weir::feed {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kLoadTypes = {"IMAGE",  "DELTAIMAGE", "OVERWRITE",
                                                        "RELOAD", "DELTA",      "ADDITIONAL"};
constexpr std::array<std::string_view, 8> kSourceKinds = {"parquet", "csv",      "json",   "delta",
                                                          "query",   "postgres", "sqlite", "mysql"};
constexpr const char* kSourceKeys =
    "parquet csv json delta query postgres sqlite mysql table options";

/// One mapping of the file: finds its keys in any case and says what is wrong with them.
class Section {
 public:
  Section(const fs::path& file, std::string where, YAML::Node node)
      : file_(file), where_(std::move(where)), node_(std::move(node)) {}

  Error Problem(std::string name, const std::string& message) const {
    return InvalidArgument(std::move(name), file_.string() + ": " + where_ + ": " + message);
  }
  Error BadValue(const std::string& key, const std::string& message) const {
    return Problem("WEIR_FEED_CONFIG_BAD_VALUE", "`" + key + "` " + message);
  }

  /// `known` separated by blanks.
  Status CheckKeys(const std::string& known) const {
    if (!node_.IsMap())
      return Fail(Problem("WEIR_FEED_CONFIG_NOT_YAML", "expected keys and values"));
    for (const auto& entry : node_) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      if ((" " + ToLowerAscii(known) + " ").find(" " + ToLowerAscii(key) + " ") ==
          std::string::npos) {
        return Fail(Problem("WEIR_FEED_CONFIG_UNKNOWN_KEY",
                            "unknown key `" + key + "`; known are " + known));
      }
    }
    return {};
  }

  /// The mapping under `key`.
  Section Below(const std::string& key, const YAML::Node& node) const {
    return {file_, where_ + ": `" + key + "`", node};
  }

  YAML::Node Find(const std::string& key) const {
    for (const auto& entry : node_) {
      if (entry.first.IsScalar() && EqualsIgnoreCase(entry.first.Scalar(), key))
        return entry.second;
    }
    return YAML::Node(YAML::NodeType::Null);
  }

  Result<std::string> Text(const std::string& key, const std::string& otherwise) const {
    const YAML::Node value = Find(key);
    if (value.IsNull()) return otherwise;
    if (value.IsScalar()) return value.Scalar();
    return Fail(BadValue(key, "must be a text"));
  }

  Result<std::string> RequiredText(const std::string& key) const {
    WEIR_ASSIGN_OR_RETURN(std::string text, Text(key, ""));
    if (!text.empty()) return text;
    return Fail(Problem("WEIR_FEED_CONFIG_MISSING_KEY", "`" + key + "` is missing"));
  }

  /// A list of texts, or one text.
  Result<std::vector<std::string>> Texts(const std::string& key) const {
    const YAML::Node value = Find(key);
    std::vector<std::string> texts;
    if (value.IsNull()) return texts;
    if (value.IsScalar()) return std::vector<std::string>{value.Scalar()};
    for (const auto& item : value) {
      if (!value.IsSequence() || !item.IsScalar())
        return Fail(BadValue(key, "must be a list of texts"));
      texts.push_back(item.Scalar());
    }
    return texts;
  }

 private:
  const fs::path& file_;
  std::string where_;
  YAML::Node node_;
};

bool IsUrl(const std::string& place) { return place.find("://") != std::string::npos; }

/// A path of the file, made absolute.
std::string Place(const FeedProject& project, const std::string& text) {
  if (StartsWith(text, "file://")) return text.substr(7);
  if (text.empty() || IsUrl(text)) return text;
  const fs::path path = text;
  return (path.is_absolute() ? path : project.root / path).lexically_normal().string();
}

Status ReadSettings(const Section& settings, FeedProject& project) {
  WEIR_RETURN_IF_ERROR(
      settings.CheckKeys("SchemaLAKE SchemaDL LakeLocation Warehouse ReadDatabase"));
  WEIR_ASSIGN_OR_RETURN(project.schema_lake, settings.Text("SchemaLAKE", "LAKE"));
  if (project.schema_lake.empty()) return Fail(settings.BadValue("SchemaLAKE", "is empty"));
  // The other schemas of the warehouse, with tables of the same names.
  for (const char* taken : {"HIS", "LoadManagement"}) {
    if (EqualsIgnoreCase(project.schema_lake, taken))
      return Fail(
          settings.BadValue("SchemaLAKE", std::string("is ") + taken + ", which has other tables"));
  }
  WEIR_ASSIGN_OR_RETURN(project.schema_dl, settings.Text("SchemaDL", "DL"));
  WEIR_ASSIGN_OR_RETURN(const std::string location, settings.Text("LakeLocation", ""));
  // Azure SQL's spelling of abfss://.
  project.lake_location =
      StartsWith(location, "adls://") ? "abfss" + location.substr(4) : Place(project, location);
  WEIR_ASSIGN_OR_RETURN(const std::string warehouse, settings.Text("Warehouse", "warehouse"));
  project.warehouse = Place(project, warehouse);
  WEIR_ASSIGN_OR_RETURN(const std::string database, settings.Text("ReadDatabase", "feed.duckdb"));
  project.read_database = Place(project, database);
  return {};
}

Status CheckName(const Section& entry, const std::string& key, const std::string& name) {
  const bool fits = name.find_first_of("/\\*?[]{}\"'=") == std::string::npos && name[0] != '.' &&
                    name[0] != '_' && Trim(name) == name &&
                    std::ranges::none_of(name, [](unsigned char c) { return c < 0x20; });
  if (fits) return {};
  return Fail(entry.Problem("WEIR_FEED_BAD_NAME",
                            "`" + key + "` is '" + name +
                                "'; it becomes a folder: no / \\ * ? [ ] { } = or quotes, and no . "
                                "or _ in front"));
}

// A database's `table`, or `query` in its own SQL.
Status ReadRelation(const Section& source, TableSource& from) {
  WEIR_ASSIGN_OR_RETURN(from.table, source.Text("table", ""));
  if (from.is_database()) {
    WEIR_ASSIGN_OR_RETURN(from.server_query, source.Text("query", ""));
  }
  const bool fits = from.is_database()
                        ? from.table.empty() != from.server_query.empty() && from.options.empty()
                        : from.table.empty();
  if (fits) return {};
  return Fail(source.BadValue(
      std::string(ToString(from.kind)),
      from.is_database() ? "needs `table` or `query` beside it, one of them, and no `options`"
                         : "has a `table` beside it, as only a database can"));
}

Status ReadSource(const Section& entry, const FeedProject& project, TableSource& from) {
  const YAML::Node node = entry.Find("from");
  if (node.IsNull())
    return Fail(entry.Problem("WEIR_FEED_CONFIG_MISSING_KEY", "`from` is missing"));
  const Section source = entry.Below("from", node);
  WEIR_RETURN_IF_ERROR(source.CheckKeys(kSourceKeys));
  std::vector<TableSource::Kind> kinds;
  for (size_t i = 0; i < kSourceKinds.size(); ++i) {
    if (!source.Find(std::string(kSourceKinds[i])).IsNull())
      kinds.push_back(static_cast<TableSource::Kind>(i));
  }
  if (!kinds.empty() && kinds.back() >= TableSource::Kind::kPostgres)
    std::erase(kinds, TableSource::Kind::kQuery);
  if (kinds.size() != 1) {
    return Fail(source.Problem("WEIR_FEED_CONFIG_BAD_VALUE",
                               "expected one of parquet, csv, json, delta (a path), query (a "
                               "SELECT), postgres, mysql (a connection) and sqlite (a file)"));
  }
  from.kind = kinds[0];
  const std::string kind(ToString(from.kind));
  WEIR_ASSIGN_OR_RETURN(from.text, source.Text(kind, ""));
  if (from.text.empty()) return Fail(source.BadValue(kind, "is empty"));
  const YAML::Node options = source.Find("options");
  if (!options.IsNull() && !options.IsMap())
    return Fail(source.BadValue("options", "must be keys and values"));
  for (const auto& option : options)
    from.options.emplace_back(option.first.Scalar(), option.second.Scalar());
  WEIR_RETURN_IF_ERROR(ReadRelation(source, from));
  if (from.kind < TableSource::Kind::kQuery || from.kind == TableSource::Kind::kSqlite)
    from.text = Place(project, from.text);
  return {};
}

Status ReadPlatform(const Section& entry, UsedTable& table) {
  WEIR_ASSIGN_OR_RETURN(std::string text, entry.Text("DataPlatform", "DWH"));
  std::erase(text, ' ');
  text = ToLowerAscii(text);
  table.on_lake = text == "dl" || text == "dwh,dl" || text == "dl,dwh";
  table.on_dwh = text != "dl";
  if (text != "dwh" && !table.on_lake) {
    return Fail(entry.Problem("WEIR_FEED_DATA_PLATFORM_UNKNOWN",
                              "DataPlatform is '" + text + "'; expected DWH, DL or DWH,DL"));
  }
  return {};
}

Status ReadLoadType(const Section& entry, UsedTable& table) {
  WEIR_ASSIGN_OR_RETURN(const std::string text, entry.Text("LoadType", "IMAGE"));
  for (size_t i = 0; i < kLoadTypes.size(); ++i) {
    if (!EqualsIgnoreCase(text, kLoadTypes[i])) continue;
    table.load_type = static_cast<LoadType>(i);
    return {};
  }
  return Fail(
      entry.Problem("WEIR_FEED_LOAD_TYPE_UNKNOWN", "LoadType is '" + text +
                                                       "'; expected IMAGE, DELTAIMAGE, OVERWRITE, "
                                                       "RELOAD, DELTA or ADDITIONAL"));
}

Status ReadColumns(const Section& entry, UsedTable& table) {
  WEIR_ASSIGN_OR_RETURN(table.keys, entry.Texts("keys"));
  WEIR_ASSIGN_OR_RETURN(table.tracked, entry.Texts("tracked"));
  WEIR_ASSIGN_OR_RETURN(table.delta_column, entry.Text("delta", ""));
  WEIR_ASSIGN_OR_RETURN(table.delta_from, entry.Text("delta_from", ""));
  WEIR_ASSIGN_OR_RETURN(const std::string duplicates, entry.Text("duplicates", "error"));
  if (duplicates != "error" && duplicates != "last")
    return Fail(entry.BadValue("duplicates", "is '" + duplicates + "'; expected error or last"));
  table.keep_last_duplicate = duplicates == "last";
  std::set<std::string> seen;
  for (const std::string& key : table.keys) {
    if (!seen.insert(ToLowerAscii(key)).second)
      return Fail(entry.BadValue("keys", "names '" + key + "' twice"));
  }
  if (table.keys.empty() && table.load_type != LoadType::kAdditional) {
    return Fail(entry.Problem("WEIR_FEED_CONFIG_MISSING_KEY",
                              "`keys` is missing; only LoadType ADDITIONAL does without"));
  }
  if (table.delta_column.empty() && (table.load_type == LoadType::kDeltaImage ||
                                     table.keep_last_duplicate || !table.delta_from.empty())) {
    return Fail(entry.Problem(
        "WEIR_FEED_CONFIG_MISSING_KEY",
        "`delta` is missing; DELTAIMAGE, `delta_from` and `duplicates: last` need it"));
  }
  return {};
}

Result<UsedTable> ReadTable(const fs::path& file, const FeedProject& project, size_t number,
                            const YAML::Node& node) {
  const Section unnamed(file, "table " + std::to_string(number), node);
  WEIR_RETURN_IF_ERROR(unnamed.CheckKeys(
      "Source Schema Table from keys tracked delta delta_from duplicates LoadType "
      "DataPlatform"));
  UsedTable table;
  for (auto [key, name] : {std::pair("Source", &table.source), std::pair("Schema", &table.schema),
                           std::pair("Table", &table.table)}) {
    WEIR_ASSIGN_OR_RETURN(*name, unnamed.RequiredText(key));
    WEIR_RETURN_IF_ERROR(CheckName(unnamed, key, *name));
  }
  const Section entry(file, "table " + table.display(), node);
  WEIR_RETURN_IF_ERROR(ReadSource(entry, project, table.from));
  WEIR_RETURN_IF_ERROR(ReadPlatform(entry, table));
  WEIR_RETURN_IF_ERROR(ReadLoadType(entry, table));
  WEIR_RETURN_IF_ERROR(ReadColumns(entry, table));
  return table;
}

Status CheckDistinct(const FeedProject& project) {
  std::set<std::string> ids;
  std::set<std::string> views;
  for (const UsedTable& table : project.tables) {
    if (!ids.insert(ToLowerAscii(table.id())).second) {
      return Fail(InvalidArgument(
          "WEIR_FEED_DUPLICATE_TABLE",
          project.file.string() + ": two tables are called " + table.id() + "; rename one"));
    }
    if (!table.lake_only()) continue;
    const std::string name = ToLowerAscii(table.table);
    if (views.contains(name) || views.contains(name + "_feed") ||
        (EndsWith(name, "_feed") && views.contains(name.substr(0, name.size() - 5)))) {
      return Fail(InvalidArgument("WEIR_FEED_DUPLICATE_TABLE",
                                  project.file.string() + ": the read objects of " +
                                      table.display() + " and of another table on DL alone would " +
                                      "share the name " + project.schema_dl + "." + table.table +
                                      "; rename one"));
    }
    views.insert(name);
  }
  return {};
}

Result<FeedProject> ReadRoot(const fs::path& file, const YAML::Node& root) {
  const Section section(file, "feed", root);
  WEIR_RETURN_IF_ERROR(section.CheckKeys("settings setup tables"));
  FeedProject project;
  project.file = file;
  project.root = file.parent_path();
  YAML::Node settings = section.Find("settings");
  if (settings.IsNull()) settings = YAML::Node(YAML::NodeType::Map);
  WEIR_RETURN_IF_ERROR(ReadSettings(Section(file, "settings", settings), project));
  WEIR_ASSIGN_OR_RETURN(project.setup, section.Texts("setup"));
  const YAML::Node tables = section.Find("tables");
  if (!tables.IsSequence() || tables.size() == 0)
    return Fail(section.Problem("WEIR_FEED_CONFIG_MISSING_KEY", "`tables` is no list of tables"));
  for (const auto& node : tables) {
    WEIR_ASSIGN_OR_RETURN(UsedTable table,
                          ReadTable(file, project, project.tables.size() + 1, node));
    project.tables.push_back(std::move(table));
  }
  WEIR_RETURN_IF_ERROR(CheckDistinct(project));
  return project;
}

bool IsNamed(const UsedTable& table, std::string_view name) {
  return EqualsIgnoreCase(name, table.table) ||
         EqualsIgnoreCase(name, table.schema + "." + table.table) ||
         EqualsIgnoreCase(name, table.display()) || EqualsIgnoreCase(name, table.id());
}

}  // namespace

std::string_view ToString(TableSource::Kind kind) {
  return kSourceKinds[static_cast<size_t>(kind)];
}

std::string_view ToString(LoadType type) { return kLoadTypes[static_cast<size_t>(type)]; }

Result<fs::path> FindProject(const std::string& file, const fs::path& start) {
  std::error_code failure;
  if (!file.empty()) {
    if (fs::is_regular_file(file, failure)) return fs::absolute(file).lexically_normal();
    return Fail(NotFound("WEIR_FEED_PROJECT_NOT_FOUND", file + " does not exist"));
  }
  for (fs::path folder = fs::absolute(start, failure).lexically_normal();;
       folder = folder.parent_path()) {
    for (const char* name : {"feed.yml", "feed.yaml"}) {
      if (fs::is_regular_file(folder / name, failure)) return folder / name;
    }
    if (folder == folder.parent_path()) break;
  }
  return Fail(NotFound("WEIR_FEED_PROJECT_NOT_FOUND",
                       "no feed.yml in " + start.string() + " or above it; name one with " +
                           "--project, or make a feed with `weir feed init NAME`"));
}

Result<FeedProject> LoadProject(const fs::path& file) {
  try {
    return ReadRoot(file, YAML::LoadFile(file.string()));
  } catch (const YAML::Exception& problem) {
    return Fail(
        InvalidArgument("WEIR_FEED_CONFIG_NOT_YAML", file.string() + ": " + problem.what()));
  }
}

Result<std::vector<const UsedTable*>> SelectTables(const FeedProject& project,
                                                   const std::vector<std::string>& names) {
  std::vector<const UsedTable*> selected;
  if (names.empty()) {
    for (const UsedTable& table : project.tables) selected.push_back(&table);
    return selected;
  }
  for (const std::string& name : names) {
    const UsedTable* found = nullptr;
    for (const UsedTable& table : project.tables) {
      if (!IsNamed(table, name)) continue;
      if (found != nullptr) {
        return Fail(InvalidArgument("WEIR_FEED_TABLE_AMBIGUOUS",
                                    "'" + name + "' is " + found->display() + " and " +
                                        table.display() + "; give the longer name"));
      }
      found = &table;
    }
    if (found == nullptr) {
      return Fail(NotFound("WEIR_FEED_TABLE_UNKNOWN",
                           project.file.string() + " has no table '" + name + "'"));
    }
    if (std::ranges::find(selected, found) == selected.end()) selected.push_back(found);
  }
  return selected;
}

}  // namespace weir::feed
