// Warnings about variables and outputs that the author of a module has deprecated.
//
// One source at one place is warned about once, whatever the number of calls and
// instances of the module around that place. The words are those of the author, so
// only warnings with the same words are folded into one.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "config/tree.h"
#include "config/values.h"
#include "diag/diagnostic.h"

namespace tofu::eval {

// Whose uses of something deprecated are worth a warning.
enum class DeprecationLevel : std::uint8_t {
  All,
  Local,  // of the root module, and of modules reached through relative paths only
  None,
};

class Deprecations {
 public:
  Deprecations(const config::Tree& tree, DeprecationLevel level) : tree_(tree), level_(level) {}

  // `user` is the module where `place` is, which gives the variable a value.
  void warn_of(const config::Variable& variable, config::ModuleId user, diag::SourceRange place,
               diag::Diagnostics& diags);
  // The same for one that names the output; `address` is that of the output.
  void warn_of(const config::Output& output, const std::string& address, config::ModuleId user,
               diag::SourceRange place, diag::Diagnostics& diags);

 private:
  // Whether there is something to say, and it was not said before.
  bool is_new(const void* source, config::ModuleId user, diag::SourceRange place);

  const config::Tree& tree_;
  DeprecationLevel level_;
  std::set<std::pair<const void*, diag::SourceRange>> told_;  // source and place
};

// The warning itself, for a variable that gets its value from outside the
// configuration.
void warn_of_deprecated(const config::Variable& variable, std::optional<diag::SourceRange> place,
                        diag::Diagnostics& diags);

}  // namespace tofu::eval
