// A software bill of materials: the packages and providers that a configuration is made of.
//
// In the JSON forms of CycloneDX 1.5 and SPDX 2.3. The text depends on nothing but what comes in,
// so that one that is under version control changes only with the packages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tofu::documents {

struct BomComponent {
  enum class Kind : std::uint8_t { ModulePackage, Provider };
  Kind kind = Kind::ModulePackage;
  std::string source;                    // of a package, or the address of a provider
  std::string version;                   // of a registry; the commit of a repository
  std::vector<std::string> hashes = {};  // as the lock file has them
  std::string license = {};              // its SPDX identifier; empty: not known
  std::string license_file = {};
  std::vector<std::string> used_by = {};
  std::vector<std::size_t> needs = {};  // others in the list
  bool is_direct = true;                // the root module needs it
};

struct BomSubject {
  std::string name;          // of the configuration
  std::string tool_version;  // of this program
  std::string created;       // RFC 3339; CycloneDX leaves it out
};

std::string cyclonedx_json(const BomSubject& subject, std::span<const BomComponent> components);
std::string spdx_json(const BomSubject& subject, std::span<const BomComponent> components);

}  // namespace tofu::documents
