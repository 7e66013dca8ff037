#include "eval/deprecation_warnings.h"

#include <set>

#include "eval/shape.h"
#include "eval/validation.h"
#include "schema/deprecated.h"

namespace tofu::eval {

bool has_deprecated(const Program& program) {
  if (Deprecations(*program.tree, DeprecationLevel::All).has_sources()) return true;
  std::set<const schema::Block*> seen;
  for (std::uint32_t i = 0; i < program.objects.size(); ++i) {
    if (program.objects[i].kind != ObjectKind::Resource) continue;
    const schema::Block* block = program.row({i}).block();
    if (block == nullptr || !seen.insert(block).second) continue;
    if (schema::contains_deprecated(*block)) return true;
  }
  return false;
}

DeprecationWarnings::DeprecationWarnings(const Program& program, const functions::Table& functions,
                                         const RunInfo& facts, DeprecationLevel level)
    : validation_(std::make_unique<Validation>(program, functions, facts, level, unreported_)) {
  validation_->run_without_warnings_of_root();
}

DeprecationWarnings::~DeprecationWarnings() = default;

void DeprecationWarnings::warn_of_uses(const syntax::Expr& expr, diag::Diagnostics& diags) const {
  const std::lock_guard lock(mutex_);
  validation_->warn_of_uses(expr, diags);
}

}  // namespace tofu::eval
