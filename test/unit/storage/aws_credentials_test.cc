// SPDX-License-Identifier: Apache-2.0
#include "storage/s3/aws_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "storage/scripted_server.h"
#include "storage/temporary_directory.h"

namespace weir::storage {
namespace {

using Variables = std::map<std::string, std::string>;

/// Sets variables, and takes all back at the end.
class ScopedEnvironment {
 public:
  explicit ScopedEnvironment(const Variables& values) : names_(values) {
    for (const auto& [name, value] : values) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~ScopedEnvironment() {
    for (const auto& [name, value] : names_) ::unsetenv(name.c_str());
  }

 private:
  const Variables names_;
};

TEST(AwsCredentials, IniAsAwsWritesIt) {
  auto sections = ParseIni("[default]\nregion = eu-west-1\n# note\n\n[profile two]\n Region=x=y\n");
  EXPECT_EQ(sections["default"]["region"], "eu-west-1");
  EXPECT_EQ(sections["profile two"]["region"], "x=y");
}

TEST(AwsCredentials, TheChosenProfile) {
  TemporaryDirectory home;
  std::ofstream(home.path() + "/credentials")
      << "[default]\naws_access_key_id=a\n[work]\naws_access_key_id=b\naws_secret_access_key=c\n";
  std::ofstream(home.path() + "/config") << "[profile work]\nregion=eu-north-1\n";
  ScopedEnvironment environment(
      Variables{{"AWS_SHARED_CREDENTIALS_FILE", home.path() + "/credentials"},
                {"AWS_CONFIG_FILE", home.path() + "/config"},
                {"AWS_PROFILE", "work"}});
  EXPECT_EQ(AwsProfileSetting("region"), "eu-north-1");
  AwsCredentialChain chain({}, true);
  EXPECT_EQ(chain.Current()->key_id, "b");
  EXPECT_EQ(chain.Current()->secret, "c");
}

TEST(AwsCredentials, WhatIsGivenGoesFirst) {
  ScopedEnvironment environment(Variables{{"AWS_ACCESS_KEY_ID", "environment"}});
  AwsCredentialChain given({"given", "secret", "", 0}, true);
  EXPECT_EQ(given.Current()->key_id, "given");
  AwsCredentialChain found({}, true);
  EXPECT_EQ(found.Current()->key_id, "environment");
  AwsCredentialChain nobody({}, false);
  EXPECT_EQ(nobody.Current()->key_id, "");
}

TEST(AwsCredentials, TheRoleOfAMachineIsRenewed) {
  TemporaryDirectory home;
  ScriptedServer metadata;
  auto answer_role = [&](const std::string& key, const std::string& until) {
    metadata.Answer("200 OK", "token");
    metadata.Answer("200 OK", "weir-role\n");
    metadata.Answer("200 OK", R"({"AccessKeyId":")" + key +
                                  R"(","SecretAccessKey":"s","Token":"t","Expiration":")" + until +
                                  R"("})");
  };
  ScopedEnvironment environment(Variables{{"AWS_SHARED_CREDENTIALS_FILE", home.path() + "/none"},
                                          {"AWS_CONFIG_FILE", home.path() + "/none"},
                                          {"AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.url()}});
  FixedClock clock(1769900400000);  // 2026-01-31T23:00:00Z
  AwsCredentialChain chain({}, true, &clock);
  answer_role("first", "2026-02-01T00:00:00Z");
  EXPECT_EQ(chain.Current()->key_id, "first");
  EXPECT_EQ(chain.Current()->session_token, "t");
  EXPECT_EQ(metadata.requests().size(), 3u) << "asked once";
  EXPECT_THAT(metadata.requests()[2], testing::HasSubstr("security-credentials/weir-role"));
  clock.Set(1769900400000 + 56 * 60 * 1000);
  answer_role("second", "2026-02-01T06:00:00Z");
  EXPECT_EQ(chain.Current()->key_id, "second");
}

TEST(AwsCredentials, AServiceAccountsTokenIsExchangedForARole) {
  TemporaryDirectory home;
  ScriptedServer service;
  std::ofstream(home.path() + "/token") << "header.payload+/=\n";
  ScopedEnvironment environment(Variables{{"AWS_WEB_IDENTITY_TOKEN_FILE", home.path() + "/token"},
                                          {"AWS_ROLE_ARN", "arn:aws:iam::1:role/weir"},
                                          {"AWS_ENDPOINT_URL_STS", service.url() + "/"}});
  FixedClock clock(1769900400000);  // 2026-01-31T23:00:00Z
  AwsCredentialChain chain({}, true, &clock);
  service.Answer("200 OK",
                 "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
                 "<AccessKeyId>k</AccessKeyId><SecretAccessKey>s</SecretAccessKey>"
                 "<SessionToken>t</SessionToken><Expiration>2026-02-01T00:00:00Z</Expiration>"
                 "</Credentials></AssumeRoleWithWebIdentityResult>"
                 "</AssumeRoleWithWebIdentityResponse>");
  EXPECT_EQ(chain.Current()->key_id, "k");
  EXPECT_EQ(chain.Current()->secret, "s");
  EXPECT_EQ(chain.Current()->session_token, "t");
  ASSERT_EQ(service.requests().size(), 1u) << "asked once";
  EXPECT_THAT(service.requests()[0], testing::StartsWith("POST / "));
  EXPECT_THAT(service.requests()[0],
              testing::HasSubstr("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fweir&RoleSessionName="
                                 "weir&WebIdentityToken=header.payload%2B%2F%3D"));
  clock.Set(1769900400000 + 56 * 60 * 1000);
  service.Answer("403 Forbidden", "<ErrorResponse/>");
  const auto refused = chain.Current();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, "WEIR_STORE_CREDENTIALS");
  EXPECT_THAT(refused.error().message, testing::Not(testing::HasSubstr("payload")));
}

TEST(AwsCredentials, AContainersRoleThatDoesNotComeIsAnError) {
  TemporaryDirectory home;
  ScriptedServer container;
  container.Answer("403 Forbidden");
  ScopedEnvironment environment(Variables{{"AWS_SHARED_CREDENTIALS_FILE", home.path() + "/none"},
                                          {"AWS_CONFIG_FILE", home.path() + "/none"},
                                          {"AWS_CONTAINER_CREDENTIALS_FULL_URI", container.url()}});
  AwsCredentialChain chain({}, true);
  EXPECT_EQ(chain.Current().error().name, "WEIR_STORE_CREDENTIALS");
}

}  // namespace
}  // namespace weir::storage
