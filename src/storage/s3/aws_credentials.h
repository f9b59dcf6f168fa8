// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "storage/http/http_client.h"
#include "storage/s3/signature_v4.h"

namespace weir::storage {

/// Where AWS's tools look for an identity, in their order: the environment
/// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN); the role AWS_ROLE_ARN for the
/// token of AWS_WEB_IDENTITY_TOKEN_FILE, as a service account of Kubernetes has it
/// (AWS_ENDPOINT_URL_STS names another service than AWS's); the profile AWS_PROFILE (or "default")
/// of ~/.aws/credentials and ~/.aws/config (AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE); a
/// container's role (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI); the machine's role
/// (instance metadata service, version 2; AWS_EC2_METADATA_DISABLED=true leaves it out). With none
/// of them requests are not signed: public buckets are read so.
///
/// Thread-safe. A role's credentials are asked for again five minutes before they end.
class AwsCredentialChain {
 public:
  /// Always `fixed`, when it has a key_id or nobody is to be `looked_for`. `clock` must outlive the
  /// chain.
  AwsCredentialChain(AwsCredentials fixed, bool looked_for, const Clock* clock = &Clock::System());

  /// Errors: kIo WEIR_STORE_CREDENTIALS when a role is named and its credentials do not come.
  Result<AwsCredentials> Current();

 private:
  Result<std::optional<AwsCredentials>> FromWebIdentity();
  Result<std::optional<AwsCredentials>> FromContainer();
  Result<std::optional<AwsCredentials>> FromInstance();
  Result<AwsCredentials> Ask();

  const Clock* clock_;
  std::mutex mutex_;
  HttpClient http_;
  std::optional<AwsCredentials> current_;
};

/// One setting of the active profile, e.g. "region"; empty when no file has it.
std::string AwsProfileSetting(const std::string& name);

/// The sections of an INI file as AWS writes it: section -> name -> value. Lines that are neither
/// are passed over.
using IniSections = std::map<std::string, std::map<std::string, std::string>>;
IniSections ParseIni(std::string_view text);

}  // namespace weir::storage
