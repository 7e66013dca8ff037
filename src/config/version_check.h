// Whether the modules of a configuration are made for this version.
//
// Constraints for OpenTofu are compared with the tofu version. A module that only has constraints
// for Terraform is compared with the Terraform line whose language this release matches, with a
// warning for its author. The caller supplies the versions of this program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/version.h"
#include "config/module.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::config {

// How strictly version constraints are taken; see docs/version-compatibility.md.
enum class VersionCheck : std::uint8_t {
  Equivalent,  // terraform constraints against the Terraform line, with a warning
  Identical,   // terraform constraints against the tofu version
  TofuOnly,    // terraform constraints are for the other tool
  Off,
};

// "equivalent", "identical", "tofu-only", "off". Nothing for any other word.
std::optional<VersionCheck> parse_version_check(std::string_view word);
std::string_view version_check_words();  // all of them, for a message

// The versions to compare with constraints.
struct OwnVersions {
  addrs::Version tofu{0, 0, 0};
  std::uint64_t terraform_major = 0;
  std::uint64_t terraform_minor = 0;

  // A version of the line that comes after all its patch releases.
  addrs::Version terraform() const {
    return addrs::Version(terraform_major, terraform_minor, 999'999);
  }
  // Whether some patch release of the line meets all of `constraints` together.
  bool terraform_meets(const addrs::Constraints& constraints) const;
  std::string terraform_text() const;  // 1.12.x
};

struct ModuleVersions {
  std::string name;  // as shown: "the root module", "module.net"
  const std::vector<VersionRequirement>* requirements;
  bool is_local = true;  // not fetched
};

// A constraint for Terraform that some patch release of the equivalent line meets.
struct EquivalentVersion {
  diag::SourceRange range;
  addrs::Constraints constraints;
  bool allows_newest = true;  // false: only some patch releases of the line meet it
  bool is_local = true;       // in a module that was not fetched
};

struct VersionReport {
  // One error for each constraint that does not hold or cannot be read. If there
  // are any, nothing else about the module is worth telling: it may be written in
  // a language that this version does not know.
  diag::Diagnostics errors;
  // Constraints for Terraform that hold for the equivalent line, in order.
  std::vector<EquivalentVersion> equivalent;
};

// `modules` with the root first.
VersionReport check_versions(std::span<const ModuleVersions> modules, VersionCheck mode,
                             const OwnVersions& own);

// How the places of equivalent constraints are listed: for people one warning that lists the other
// places, for programs one for each place.
enum class Listing : std::uint8_t { Together, Each };
void warn_of_equivalence(std::span<const EquivalentVersion> places, const OwnVersions& own,
                         Listing listing, const diag::SourceMap& sources, diag::Diagnostics& diags);

}  // namespace tofu::config
