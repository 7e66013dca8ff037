// All uses of deprecated variables, outputs and provider attributes in a configuration, as a list
// for people and programs, and as a baseline: the uses that are known and accepted.
//
// Made from the warnings about them. A baseline names files, blocks and declarations, not lines, so
// that it stays valid while the files change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "config/tree.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::runs {

struct DeprecatedUse {
  std::string declaration;  // variable "size", output "address", aws_x.y.old
  std::string module;       // that declares it: module.net; empty: the root module
  std::string source;       // of that module
  std::string author;       // of that module: acme, github.com/acme, "this configuration"
  std::string message;
  std::string removed_in;  // a version or a date; empty: not said
  std::string file;        // of the use; empty: the command line or the environment
  std::uint32_t line = 0;
  std::string block;  // around the use
  std::string user;   // the module with the use; empty: the root module
};

// Those of the warnings that are about such uses, in their order.
std::vector<DeprecatedUse> deprecated_uses(const config::Tree& tree, const diag::SourceMap& sources,
                                           std::span<const diag::Diagnostic> warnings);

// How often a declaration may be used in a block of a file.
class DeprecationBaseline {
 public:
  explicit DeprecationBaseline(std::span<const DeprecatedUse> uses);

  static diag::Checked<DeprecationBaseline> read(const std::string& path, diag::Diagnostics& diags);
  std::string text() const;

  // Whether the use is one of those that are left; it is not after that.
  bool take(const DeprecatedUse& use);
  // How many were not taken.
  std::size_t left() const;

 private:
  DeprecationBaseline() = default;
  struct Key {
    std::string file;
    std::string block;
    std::string declaration;
    std::string source;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::size_t> counts_;
};

// What the options say of such warnings: those of the baseline are dropped, and the others become
// errors.
struct DeprecationPolicy {
  bool errors = false;
  std::string baseline;  // a path; empty: none

  void apply(const config::Tree& tree, const diag::SourceMap& sources,
             diag::Diagnostics& diags) const;
};

}  // namespace tofu::runs
