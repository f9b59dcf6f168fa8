// SPDX-License-Identifier: Apache-2.0
#include "storage/s3/aws_credentials.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/json.h"
#include "base/text.h"
#include "storage/environment.h"
#include "storage/s3/s3_answers.h"
#include "storage/times.h"

namespace weir::storage {
namespace {

constexpr int64_t kRenewBeforeMs = 5 * 60 * 1000;

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string AwsFile(const char* variable, const char* name) {
  std::string path = Environment(variable);
  return path.empty() ? Environment("HOME") + "/.aws/" + name : path;
}

std::string ProfileName() {
  std::string name = Environment("AWS_PROFILE");
  return name.empty() ? "default" : name;
}

Error NoCredentials(const std::string& from, const std::string& reason) {
  return IoError("WEIR_STORE_CREDENTIALS", "no credentials from " + from + ": " + reason);
}

std::string WhyFailed(const HttpResponse& response) {
  return response.status == 0 ? response.failure : "HTTP status " + std::to_string(response.status);
}

// Where a token is exchanged for credentials: in the region, where one is named.
std::string SecurityTokenService() {
  std::string url = Environment("AWS_ENDPOINT_URL_STS");
  while (EndsWith(url, "/")) url.pop_back();
  if (!url.empty()) return url;
  std::string region = Environment("AWS_REGION");
  if (region.empty()) region = Environment("AWS_DEFAULT_REGION");
  return region.empty() ? "https://sts.amazonaws.com" : "https://sts." + region + ".amazonaws.com";
}

// The answer of both services: {"AccessKeyId": ..., "Expiration": "2026-01-01T00:00:00Z"}.
Result<AwsCredentials> ParseRole(const std::string& from, const std::string& body) {
  auto json = JsonValue::Parse(body);
  if (!json) return Fail(NoCredentials(from, "the answer is no JSON"));
  auto text = [&](const char* name) {
    const JsonValue* value = json->Find(name);
    return value != nullptr && value->is_string() ? value->text() : std::string();
  };
  AwsCredentials role{text("AccessKeyId"), text("SecretAccessKey"), text("Token"),
                      ParseIsoTime(text("Expiration"))};
  if (role.key_id.empty() || role.secret.empty())
    return Fail(NoCredentials(from, "the answer has no AccessKeyId and SecretAccessKey"));
  return role;
}

}  // namespace

IniSections ParseIni(std::string_view text) {
  IniSections sections;
  std::string section;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      section = Trim(line.substr(1, line.size() - 2));
      continue;
    }
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    sections[section][ToLowerAscii(Trim(line.substr(0, equals)))] = Trim(line.substr(equals + 1));
  }
  return sections;
}

std::string AwsProfileSetting(const std::string& name) {
  const std::string profile = ProfileName();
  auto credentials = ParseIni(ReadAll(AwsFile("AWS_SHARED_CREDENTIALS_FILE", "credentials")));
  if (auto value = credentials[profile].find(name); value != credentials[profile].end())
    return value->second;
  auto config = ParseIni(ReadAll(AwsFile("AWS_CONFIG_FILE", "config")));
  return config[profile == "default" ? profile : "profile " + profile][name];
}

AwsCredentialChain::AwsCredentialChain(AwsCredentials fixed, bool looked_for, const Clock* clock)
    : clock_(clock) {
  if (!fixed.key_id.empty() || !looked_for) current_ = std::move(fixed);
}

Result<AwsCredentials> AwsCredentialChain::Current() {
  std::lock_guard lock(mutex_);
  const bool is_fresh = current_ && (current_->expires_ms == 0 ||
                                     current_->expires_ms - kRenewBeforeMs > clock_->NowMillis());
  if (!is_fresh) {
    WEIR_ASSIGN_OR_RETURN(current_, Ask());
  }
  return *current_;
}

Result<AwsCredentials> AwsCredentialChain::Ask() {
  AwsCredentials found{Environment("AWS_ACCESS_KEY_ID"), Environment("AWS_SECRET_ACCESS_KEY"),
                       Environment("AWS_SESSION_TOKEN")};
  if (!found.key_id.empty()) return found;
  WEIR_ASSIGN_OR_RETURN(auto web, FromWebIdentity());
  if (web) return *web;
  found = {AwsProfileSetting("aws_access_key_id"), AwsProfileSetting("aws_secret_access_key"),
           AwsProfileSetting("aws_session_token")};
  if (!found.key_id.empty()) return found;
  WEIR_ASSIGN_OR_RETURN(auto container, FromContainer());
  if (container) return *container;
  WEIR_ASSIGN_OR_RETURN(auto instance, FromInstance());
  return instance.value_or(AwsCredentials{});
}

Result<std::optional<AwsCredentials>> AwsCredentialChain::FromWebIdentity() {
  const std::string token_file = Environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  const std::string role = Environment("AWS_ROLE_ARN");
  if (token_file.empty() || role.empty()) return std::nullopt;
  // Kubernetes renews the file, so it is read each time.
  const std::string token(Trim(ReadAll(token_file)));
  if (token.empty()) return Fail(NoCredentials(token_file, "there is no token in the file"));
  std::string session = Environment("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "weir";
  const std::string form =
      "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + UrlEncode(role) +
      "&RoleSessionName=" + UrlEncode(session) + "&WebIdentityToken=" + UrlEncode(token);
  HttpRequest request;
  request.method = "POST";
  request.url = SecurityTokenService() + "/";
  request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  request.body = form;
  const auto response = http_.Send([&] { return request; }, Retry::kSafe);
  if (!response.is_success()) return Fail(NoCredentials(request.url, WhyFailed(response)));
  AwsCredentials credentials = ParseAssumedRole(response.body);
  if (credentials.key_id.empty() || credentials.secret.empty())
    return Fail(NoCredentials(request.url, "the answer has no Credentials"));
  return credentials;
}

Result<std::optional<AwsCredentials>> AwsCredentialChain::FromContainer() {
  std::string url = Environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  const std::string relative = Environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  if (!relative.empty()) url = "http://169.254.170.2" + relative;
  if (url.empty()) return std::nullopt;
  HttpRequest request;
  request.url = url;
  std::string token = Environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  const std::string token_file = Environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (!token_file.empty()) token = Trim(ReadAll(token_file));
  if (!token.empty()) request.headers.emplace_back("Authorization", token);
  const auto response = http_.Send([&] { return request; }, Retry::kSafe);
  if (!response.is_success()) return Fail(NoCredentials(url, WhyFailed(response)));
  WEIR_ASSIGN_OR_RETURN(auto role, ParseRole(url, response.body));
  return role;
}

// A machine outside of AWS does not answer here, which means no role and is no error.
Result<std::optional<AwsCredentials>> AwsCredentialChain::FromInstance() {
  if (EqualsIgnoreCase(Environment("AWS_EC2_METADATA_DISABLED"), "true")) return std::nullopt;
  std::string base = Environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (base.empty()) base = "http://169.254.169.254";
  while (EndsWith(base, "/")) base.pop_back();
  HttpRequest request;
  request.method = "PUT";
  request.url = base + "/latest/api/token";
  request.headers.emplace_back("X-aws-ec2-metadata-token-ttl-seconds", "21600");
  request.connect_ms = 1000;
  const auto token = http_.Send([&] { return request; }, Retry::kNever);
  if (!token.is_success()) return std::nullopt;

  request = {};
  request.url = base + "/latest/meta-data/iam/security-credentials/";
  request.headers.emplace_back("X-aws-ec2-metadata-token", token.body);
  const auto role = http_.Send([&] { return request; }, Retry::kSafe);
  if (role.status == 404) return std::nullopt;
  if (!role.is_success()) return Fail(NoCredentials(request.url, WhyFailed(role)));
  request.url += std::string(Trim(role.body.substr(0, role.body.find('\n'))));
  const auto answer = http_.Send([&] { return request; }, Retry::kSafe);
  if (!answer.is_success()) return Fail(NoCredentials(request.url, WhyFailed(answer)));
  WEIR_ASSIGN_OR_RETURN(auto credentials, ParseRole(request.url, answer.body));
  return credentials;
}

}  // namespace weir::storage
