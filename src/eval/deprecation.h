// Warnings about variables and outputs that the author of a module has deprecated, and about
// attributes and types of resources that a provider has.
//
// One source at one place is warned about once, whatever the number of calls and
// instances of the module around that place. For people, all places of one declaration are one
// warning.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/replacement.h"
#include "config/tree.h"
#include "config/values.h"
#include "diag/deprecation_level.h"
#include "diag/diagnostic.h"
#include "value/marks.h"

namespace tofu::eval {

using diag::DeprecationLevel;

class Deprecations {
 public:
  Deprecations(const config::Tree& tree, DeprecationLevel level);

  // Whether there is any output, or part of a resource, to warn about.
  bool has_sources() const { return !outputs_.empty() || !parts_.empty(); }
  // Something of a resource that its provider has deprecated, as marks name it.
  void add_part(std::string source);
  // Until this is taken back, no use in the root module is worth a warning.
  void silence_root(bool silent) { is_root_silent_ = silent; }
  // Variables that another run has warned about, as returned by variables_told().
  using WasTold = std::function<bool(const config::Variable& variable, diag::SourceRange place)>;
  void leave_out(WasTold was_reported) { was_told_ = std::move(was_reported); }
  // The variables that were warned about so far, and where.
  struct Told {
    const config::Variable* variable;
    diag::SourceRange place;
  };
  const std::vector<Told>& variables_told() const { return variables_told_; }

  // Whether uses in this module are not looked at, so that values keep their marks. A use that the
  // level silences counts as reported.
  bool is_silent_in(config::ModuleId user) const;
  // The marks of an output's value outside its module; nothing if it is not deprecated.
  value::Marks marks_of(const config::TreeNode& called, const config::Output& output) const;

  // `user` is the module where `place` is, which gives the variable a value.
  void warn_of(const config::Variable& variable, config::ModuleId user, diag::SourceRange place,
               diag::Diagnostics& diags);
  // The same for a value that has the mark of a source.
  void warn_of(const value::Deprecation& source, config::ModuleId user, diag::SourceRange place,
               diag::Diagnostics& diags);

 private:
  // Whether there is something to say, and it was not said before.
  bool is_new(const void* declaration, const std::string& part, config::ModuleId user,
              diag::SourceRange place);

  void find_modules();
  // The author's message with what else the author says.
  template <class Declaration>
  std::string text_of(const Declaration& declaration);

  const config::Tree* tree_;  // outlives it
  DeprecationLevel level_;
  bool is_root_silent_ = false;
  // Outputs, by address. Calls of the same files share them.
  std::map<std::string, const config::Output*, std::less<>> outputs_;
  // Parts of resources, by their address in their module.
  std::set<std::string, std::less<>> parts_;
  // Which warnings are reported where: a declaration, or a part of a resource.
  std::set<std::tuple<const void*, std::string, diag::SourceRange>> reported_;
  std::vector<Told> variables_told_;
  WasTold was_told_;
  // The modules of deprecated declarations, and what their authors say about them.
  std::optional<std::map<const void*, const config::Module*>> modules_;
  std::map<const config::Module*, config::Retirements> retirements_;
};

// The warning itself, for a variable that gets its value from outside the
// configuration.
void warn_of_deprecated(const config::Variable& variable, std::optional<diag::SourceRange> place,
                        diag::Diagnostics& diags);
// The same for an output that is used outside of any module. `source` is how it is named there:
// run.setup.address.
void warn_of_deprecated(const config::Output& output, const std::string& source,
                        diag::SourceRange place, diag::Diagnostics& diags);

}  // namespace tofu::eval
