// A lint rule: its identifier, group, severity and the summary of its findings.
//
// Identifiers and groups are written `namespace:name`. The namespace `core` holds the rules of
// OpenTofu 1.13 under their names there; the program's further rules are in `tofu`.
#pragma once

#include <cstdint>
#include <string_view>

namespace tofu::lint {

enum class Severity : std::uint8_t { Notice, Warning, Error };

std::string_view to_string(Severity severity);

struct Rule {
  std::string_view id;     // core:unused-local
  std::string_view group;  // core:improvement
  Severity severity = Severity::Warning;
  std::string_view summary;  // a few words, no final period
  std::string_view help;     // one sentence for lists of rules
  bool has_fix = false;      // at least some findings can be fixed automatically

  // "core": the part before the colon.
  std::string_view space() const { return id.substr(0, id.find(':')); }
};

}  // namespace tofu::lint
