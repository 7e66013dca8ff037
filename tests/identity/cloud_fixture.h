// Clouds as tests see them.
//
// An environment and a home directory of the test's own, and stand-ins for services on
// loopback. Nothing of the machine that the test runs on is asked.
#pragma once

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include "identity/cloud.h"
#include "net/secret.h"
#include "tests/net/scratch.h"
#include "tests/net/test_server.h"

namespace tofu::identity {

class CloudFixture : public ::testing::Test {
 protected:
  CloudFixture() {
    environment_["HOME"] = scratch_.path();
    // Nothing of the machine that tests run on.
    environment_["AWS_EC2_METADATA_DISABLED"] = "true";
    environment_["GCE_METADATA_HOST"] = "127.0.0.1:1";
    environment_["ARM_MSI_ENDPOINT"] = "http://127.0.0.1:1/none";
  }

  static net::WebOptions quick() {
    net::WebOptions options;
    options.retries = 0;
    return options;
  }

  static net::Origin origin(std::string_view url) { return net::Origin(*net::parse_web_url(url)); }
  // The text, as a service at `url` gets it.
  static std::string revealed(const net::Secret& secret, std::string_view url) {
    return std::string(secret.reveal_to(origin(url)).value_or("(not for this origin)"));
  }

  net::Scratch scratch_;
  std::map<std::string, std::string, std::less<>> environment_;
  std::stop_source stop_;
  net::Web web_{quick(), stop_.get_token()};
  net::EnvironmentVariable variable_ = [this](std::string_view name) {
    const auto found = environment_.find(name);
    return found == environment_.end() ? std::string_view() : std::string_view(found->second);
  };
  Cloud cloud_{web_, variable_, stop_.get_token()};
};

}  // namespace tofu::identity
