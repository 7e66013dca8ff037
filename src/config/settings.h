// The settings in the `terraform`, `tofu` and `language` blocks of a module.
//
// Version constraints are gathered before anything else in a module is decoded,
// even from files that have other errors: a module written for a newer language
// has to fail with "needs another version".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "addrs/version.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/body.h"

namespace tofu::config {

// Which of the two versions a constraint speaks of.
enum class VersionKind : std::uint8_t {
  Tofu,       // a tofu block, compatible_with, or a terraform block in a .tofu file
  Terraform,  // a terraform block in a .tf file
};

struct VersionRequirement {
  addrs::Constraints constraints;
  VersionKind kind = VersionKind::Tofu;
  diag::SourceRange range;  // of the whole argument
  // The problem in a constraint for Terraform, reported only if the constraint is checked. That of
  // a constraint for us is reported when the module is declared.
  std::vector<diag::Diagnostic> problems;
};

struct ProviderAlias {
  std::string name;
  std::string alias;
};

struct RequiredProvider {
  std::string name;          // local name
  std::string source;        // as written; empty if not said
  addrs::Provider provider;  // its meaning
  std::optional<addrs::Constraints> constraints;
  std::vector<ProviderAlias> aliases;  // configuration_aliases
  diag::SourceRange range;             // of the entry's value
};

struct ProviderMeta {
  std::string name;
  syntax::Body config;
  diag::SourceRange name_range;
  diag::SourceRange range;
};

struct Backend {
  std::string type;
  syntax::Body config;
  diag::SourceRange type_range;
  diag::SourceRange range;
};

struct Cloud {
  syntax::Body config;
  diag::SourceRange range;
};

}  // namespace tofu::config
