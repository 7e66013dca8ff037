// Results of the conditions and checks in a configuration.
//
// One entry for each object of the configuration that has any, with the results of its instances:
// it is there even if a run failed before it knew them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/check_rule.h"

namespace tofu::plans {

enum class CheckStatus : std::uint8_t { Unknown, Pass, Fail, Error };

inline std::string_view name_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::Unknown: return "unknown";
    case CheckStatus::Pass: return "pass";
    case CheckStatus::Fail: return "fail";
    case CheckStatus::Error: return "error";
  }
  return "unknown";
}

struct CheckedInstance {
  addrs::Checkable address;
  CheckStatus status = CheckStatus::Unknown;
  std::vector<std::string> problems;  // the author's messages, of a failed one
};

struct CheckedObject {
  addrs::ConfigCheckable address;
  CheckStatus status = CheckStatus::Unknown;
  std::vector<CheckedInstance> instances;
};

}  // namespace tofu::plans
