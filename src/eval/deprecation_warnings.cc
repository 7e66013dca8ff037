#include "eval/deprecation_warnings.h"

#include "eval/validation.h"

namespace tofu::eval {

bool has_deprecated_outputs(const config::Tree& tree) {
  return Deprecations(tree, DeprecationLevel::All).has_outputs();
}

DeprecationWarnings::DeprecationWarnings(const Program& program, const functions::Table& functions,
                                         const Facts& facts)
    : validation_(std::make_unique<Validation>(program, functions, facts, DeprecationLevel::All,
                                               unreported_)) {
  validation_->run_without_warnings_of_root();
}

DeprecationWarnings::~DeprecationWarnings() = default;

void DeprecationWarnings::warn_of_uses(const syntax::Expr& expr, diag::Diagnostics& diags) const {
  validation_->warn_of_uses(expr, diags);
}

}  // namespace tofu::eval
