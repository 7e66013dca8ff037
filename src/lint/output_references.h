// Places where the expressions of a module name outputs of modules that it calls, as text.
//
// Nothing is evaluated: `module.net.address`, also through an index, a splat, a `for` over the
// instances or a local value that is the module. A whole module that goes through a function or an
// argument is not followed.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "config/tree.h"
#include "diag/source.h"
#include "lint/walk.h"
#include "syntax/ast.h"

namespace tofu::lint {

// How the rest of a reference follows the module that it names.
enum class ReferenceForm : std::uint8_t { Traversal, Splat, LegacySplat };

struct OutputReference {
  const config::Output* output = nullptr;
  const config::Module* declared_in = nullptr;
  ReferenceForm form = ReferenceForm::Traversal;
  diag::SourceRange place;               // of the whole expression, as warnings point to it
  const syntax::TraversalStep* step;     // that names the output
  bool has_more_steps = false;           // after the step
  bool in_depends_on = false;            // where only a reference can stand
  bool in_for = false;                   // where a `for` binds names
  const syntax::Expr* parent = nullptr;  // the expression around it
};

// The outputs of a run of a test file, by its name; null if there is no such run.
using ModuleOfRun = std::function<const config::Module*(std::string_view run)>;

class OutputReferences final : public Visitor {
 public:
  using Found = std::function<void(const OutputReference&)>;

  // References in the files of `node`. All outlive it. `runs` is for test files.
  OutputReferences(const config::Tree& tree, const config::TreeNode& node, Found found,
                   ModuleOfRun runs = nullptr)
      : tree_(tree), node_(node), found_(std::move(found)), runs_(std::move(runs)) {}

  void expression(const syntax::Expr& expr, const Site& site) override;

 private:
  // A module whose outputs can be named: one instance, or all of a repeated call.
  struct Called {
    const config::Module* module;
    bool is_repeated;
  };
  using Steps = std::span<const syntax::TraversalStep>;

  std::optional<Called> value_of(const syntax::Expr& expr, const Site& site, int depth) const;
  std::optional<Called> start_of(const syntax::Traversal& traversal, std::size_t& taken,
                                 int depth) const;
  std::optional<Called> bound_by(const syntax::LocalExpr& expr, const Site& site, int depth) const;
  // Follows the steps up to the one that names an output; reports that.
  std::optional<Called> follow(Called from, Steps steps, const syntax::Expr* expr, const Site& site,
                               ReferenceForm form) const;

  const config::Tree& tree_;
  const config::TreeNode& node_;
  Found found_;
  ModuleOfRun runs_;
};

}  // namespace tofu::lint
