// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/pipeline_spec.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pipeline/spec/project_template.h"
#include "storage/temporary_directory.h"

namespace weir::pipeline {
namespace {

namespace fs = std::filesystem;

class PipelineSpecTest : public ::testing::Test {
 protected:
  fs::path Write(const std::string& name, const std::string& text) {
    const fs::path file = root_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }

  std::string ErrorOf(const std::string& text) {
    const auto spec = LoadSpec(Write("spark-pipeline.yml", text));
    return spec ? "" : spec.error().name;
  }

  storage::TemporaryDirectory directory_;
  fs::path root_ = directory_.path();
};

TEST_F(PipelineSpecTest, ReadsEveryKey) {
  const auto spec =
      LoadSpec(Write("spark-pipeline.yml",
                     "name: shop\nstorage: file:///data/state\ncatalog: lakehouse\nschema: cdc\n"
                     "configuration:\n  spark.sql.catalog.lakehouse.warehouse: /data/w\n"
                     "libraries:\n  - glob:\n      include: transformations/**\n"));
  ASSERT_TRUE(spec) << spec.error().ToString();
  EXPECT_EQ(spec->name, "shop");
  EXPECT_EQ(spec->storage, "/data/state");
  EXPECT_EQ(spec->warehouse, "/data/w");
  EXPECT_EQ(spec->catalog, "lakehouse");
  EXPECT_EQ(spec->database, "cdc");
  EXPECT_EQ(spec->libraries, std::vector<std::string>{"transformations/**"});
}

TEST_F(PipelineSpecTest, PlacesAreRelativeToTheSpec) {
  const auto spec =
      LoadSpec(Write("spark-pipeline.yml", "name: a\nstorage: state\ndatabase: default\n"));
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->storage, root_ / "state");
  EXPECT_EQ(spec->warehouse, root_ / "warehouse");
  EXPECT_EQ(spec->database, "main");
}

TEST_F(PipelineSpecTest, RefusesWithSparksNames) {
  const std::string head = "name: a\nstorage: b\n";
  EXPECT_EQ(ErrorOf("storage: b\n"), "PIPELINE_SPEC_MISSING_REQUIRED_FIELD");
  EXPECT_EQ(ErrorOf("name: a\n"), "PIPELINE_SPEC_MISSING_REQUIRED_FIELD");
  EXPECT_EQ(ErrorOf(head + "other: 1\n"), "PIPELINE_SPEC_UNEXPECTED_FIELD");
  EXPECT_EQ(ErrorOf(head + "configuration: 1\n"), "PIPELINE_SPEC_FIELD_NOT_DICT");
  EXPECT_EQ(ErrorOf(head + "configuration:\n  a: [1]\n"), "PIPELINE_SPEC_DICT_VALUE_NOT_STRING");
  EXPECT_EQ(ErrorOf(head + "configuration:\n  [a]: b\n"), "PIPELINE_SPEC_DICT_KEY_NOT_STRING");
  EXPECT_EQ(ErrorOf(head + "libraries:\n  - glob:\n      include: '*.sql'\n"),
            "PIPELINE_SPEC_INVALID_GLOB_PATTERN");
  EXPECT_EQ(ErrorOf(head + "libraries: x\n"), "PIPELINE_SPEC_FIELD_NOT_DICT");
  EXPECT_EQ(ErrorOf("name: a\nstorage: s3://b/c\n"), "PIPELINE_STORAGE_ROOT_INVALID");
  EXPECT_EQ(ErrorOf("- a\n- b\n"), "WEIR_PIPELINE_SPEC_NOT_YAML");
  EXPECT_EQ(ErrorOf("name: [a\n"), "WEIR_PIPELINE_SPEC_NOT_YAML");
  EXPECT_EQ(LoadSpec(root_ / "none.yml").error().name, "PIPELINE_SPEC_FILE_DOES_NOT_EXIST");
}

TEST_F(PipelineSpecTest, IsFoundUpwards) {
  Write("spark-pipeline.yml", "");
  fs::create_directories(root_ / "a/b");
  EXPECT_EQ(*FindSpec(root_ / "a/b"), root_ / "spark-pipeline.yml");
  Write("spark-pipeline.yaml", "");
  EXPECT_EQ(FindSpec(root_ / "a/b").error().name, "MULTIPLE_PIPELINE_SPEC_FILES_FOUND");
  fs::remove(root_ / "spark-pipeline.yaml");
  fs::remove(root_ / "spark-pipeline.yml");
  EXPECT_EQ(FindSpec(root_ / "a/b").error().name, "PIPELINE_SPEC_FILE_NOT_FOUND");
}

TEST_F(PipelineSpecTest, CollectsDefinitionFiles) {
  const auto files_of = [&](const std::string& include) {
    const auto spec = LoadSpec(
        Write("spark-pipeline.yml",
              "name: a\nstorage: b\nlibraries:\n  - glob:\n      include: " + include + "\n"));
    return DefinitionFiles(*spec);
  };
  Write("t/b.sql", "");
  Write("t/deep/a.py", "");
  Write("t/notes.txt", "");
  const auto files = files_of("t/**");
  ASSERT_TRUE(files);
  EXPECT_EQ(*files, (std::vector<fs::path>{root_ / "t/b.sql", root_ / "t/deep/a.py"}));
  EXPECT_EQ(files_of("t/notes.txt").error().name,
            "PIPELINE_UNSUPPORTED_DEFINITIONS_FILE_EXTENSION");
  EXPECT_EQ(files_of("t/none.sql").error().name, "PIPELINE_SPEC_FILE_DOES_NOT_EXIST");
  EXPECT_EQ(files_of("none/**").error().name, "PIPELINE_SPEC_FILE_DOES_NOT_EXIST");
}

TEST_F(PipelineSpecTest, AnInitialProjectLoads) {
  const auto files = MakeProject(root_, "shop's", ProjectLanguage::kSql);
  ASSERT_TRUE(files) << files.error().ToString();
  const auto spec = LoadSpec(root_ / "shop's" / "spark-pipeline.yml");
  ASSERT_TRUE(spec) << spec.error().ToString();
  EXPECT_EQ(spec->name, "shop's");
  EXPECT_EQ(DefinitionFiles(*spec)->size(), 1u);
  EXPECT_EQ(MakeProject(root_, "shop's", ProjectLanguage::kSql).error().name,
            "WEIR_PROJECT_EXISTS");
  EXPECT_EQ(MakeProject(root_, "a/b", ProjectLanguage::kSql).error().name,
            "WEIR_PROJECT_NAME_INVALID");
}

}  // namespace
}  // namespace weir::pipeline
