// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spark/spark_engine.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "pipeline/spec/python_program.h"

namespace weir::pipeline {
namespace {

/// What the child executes; only calls that are safe after fork. It is not reached by the
/// terminal's Ctrl-C, so that a batch is finished, and it does not outlive this process.
[[noreturn]] void ExecWorker(int requests, int answers, int log, char* const* arguments) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(requests, STDIN_FILENO);
  ::dup2(answers, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execvp(arguments[0], arguments);
  ::_exit(127);
}

int64_t Number(const JsonValue& counts, std::string_view name) {
  const JsonValue* value = counts.Find(name);
  return value == nullptr ? 0 : value->AsInt64().value_or(0);
}

std::string Text(const JsonValue& node, std::string_view name) {
  const JsonValue* value = node.Find(name);
  return value == nullptr ? "" : value->text();
}

BatchCounts ReadCounts(const JsonValue& json) {
  BatchCounts counts;
  counts.rows_in = Number(json, "rows_in");
  counts.upserted = Number(json, "upserted");
  counts.deleted = Number(json, "deleted");
  counts.dropped = Number(json, "dropped");
  const JsonValue* expectations = json.Find("expectations");
  if (expectations == nullptr) return counts;
  for (const JsonValue& item : expectations->items()) {
    const std::string violation = Text(item, "violation");
    counts.expectations.push_back({Text(item, "dataset"), Text(item, "name"),
                                   violation == "drop"   ? Violation::kDropRow
                                   : violation == "fail" ? Violation::kFailUpdate
                                                         : Violation::kWarn,
                                   Number(item, "passed"), Number(item, "failed")});
  }
  return counts;
}

}  // namespace

SparkEngine::SparkEngine(SparkOptions options, std::filesystem::path log)
    : options_(std::move(options)), log_(std::move(log)) {}

SparkEngine::~SparkEngine() {
  if (requests_ != nullptr) std::fclose(requests_);
  if (answers_ != nullptr) std::fclose(answers_);
  int status = 0;
  while (child_ > 0 && ::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
}

Status SparkEngine::Check(const GraphFlow& flow) {
  const AutoCdcClauses& clauses = flow.flow.auto_cdc;
  const char* what = flow.flow.kind == FlowKind::kSnapshotCdc ? "AUTO CDC FROM SNAPSHOT"
                     : !clauses.truncate_when.empty()         ? "APPLY AS TRUNCATE WHEN"
                     : clauses.ignore_null_updates            ? "IGNORE NULL UPDATES"
                     : !clauses.columns_to_update.empty()     ? "COLUMNS TO UPDATE"
                                                              : nullptr;
  for (const SourceReference& source : flow.query.sources) {
    const bool aside = std::ranges::any_of(
        source.files.options, [](const auto& option) { return option.first == "badrecordspath"; });
    if (aside) what = "the option badRecordsPath";
  }
  if (what == nullptr) return {};
  return Fail(UnsupportedFeature(
      "WEIR_SPARK_FLOW_NOT_SUPPORTED",
      flow.flow.origin.ToString() + ": flow `" + flow.flow.name + "` has " + what +
          ", which Weir's own engine does and Spark does not; run it without --engine spark",
      "0A000"));
}

Status SparkEngine::Start() {
  const auto not_run = [&](const std::string& why) {
    return IoError("WEIR_SPARK_NOT_RUN", why + "; Spark's messages are in " + log_.string());
  };
  JsonValue settings = JsonValue::Array();
  for (const std::string& setting : options_.settings)
    settings.items().push_back(JsonValue::String(setting));
  const std::string configuration =
      JsonValue::Object({{"master", JsonValue::String(options_.master)},
                         {"remote", JsonValue::String(options_.remote)},
                         {"settings", std::move(settings)}})
          .ToString();
  std::vector<std::string> texts = {FindPython(), "-B", "-m", "weir._spark_engine", configuration};
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);

  std::array<int, 2> to{};
  std::array<int, 2> from{};
  const int log = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (log < 0 || ::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0)
    return Fail(not_run(std::strerror(errno)));
  std::signal(SIGPIPE, SIG_IGN);
  child_ = ::fork();
  if (child_ == 0) ExecWorker(to[0], from[1], log, arguments.data());
  const int failure = errno;
  ::close(to[0]);
  ::close(from[1]);
  ::close(log);
  requests_ = ::fdopen(to[1], "w");
  answers_ = ::fdopen(from[0], "r");
  if (child_ < 0) return Fail(not_run(std::strerror(failure)));
  return {};
}

Result<JsonValue> SparkEngine::Exchange(const JsonValue& request) {
  const std::string line = request.ToString() + "\n";
  std::fwrite(line.data(), 1, line.size(), requests_);
  std::fflush(requests_);
  char* text = nullptr;
  size_t capacity = 0;
  const ssize_t length = ::getline(&text, &capacity, answers_);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  if (length <= 0) {
    return Fail(IoError("WEIR_SPARK_NOT_RUN",
                        "the Python process of Spark has ended without an answer; the package "
                        "pyspark and Java are needed, and its messages are in " +
                            log_.string()));
  }
  return JsonValue::Parse(std::string_view(text, static_cast<size_t>(length)));
}

Result<BatchCounts> SparkEngine::Apply(const JsonValue& request) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (child_ < 0) WEIR_RETURN_IF_ERROR(Start());
  WEIR_ASSIGN_OR_RETURN(const JsonValue answer, Exchange(request));
  if (const JsonValue* error = answer.Find("error"))
    return Fail(InvalidArgument(Text(*error, "name"), Text(*error, "message")));
  const JsonValue* counts = answer.Find("counts");
  if (counts == nullptr) return Fail(IoError("WEIR_SPARK_FAILED", "an answer without counts"));
  return ReadCounts(*counts);
}

}  // namespace weir::pipeline
